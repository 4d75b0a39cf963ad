/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * everycall: makes the system calls of x86-64, for `dtr trace`, in the current directory and in name spaces of its own.
 * Calls that would change the machine, wait, or end the process have arguments that the kernel refuses. Not made are
 * those that have no such arguments: see tests/cmd/trace.t.
 */
#ifdef __x86_64__
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/falloc.h>
#include <linux/fanotify.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/quota.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static char bytes[4096], text[256];

#define MAKE(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

static void paths(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH };
	struct utimbuf seconds = { 1000000000, 1000000001 };
	struct timeval micro[2] = { { 1000000000, 5 }, { 1000000001, 6 } };
	struct timespec nano[2] = { { 1000000000, UTIME_NOW }, { 1000000001, 7 } };

	MAKE(mkdir, "d", 0750);
	MAKE(mkdirat, AT_FDCWD, "d/e", 0700);
	MAKE(creat, "d/f", 0640);
	MAKE(link, "d/f", "d/g");
	MAKE(linkat, AT_FDCWD, "d/f", AT_FDCWD, "d/h", AT_SYMLINK_FOLLOW);
	MAKE(symlink, "f", "d/s");
	MAKE(symlinkat, "f", AT_FDCWD, "d/t");
	MAKE(readlink, "d/s", bytes, 100);
	MAKE(readlinkat, AT_FDCWD, "d/t", bytes, 100);
	MAKE(access, "d/f", R_OK | W_OK);
	MAKE(faccessat, AT_FDCWD, "d/f", F_OK);
	MAKE(faccessat2, AT_FDCWD, "d/f", X_OK, AT_EACCESS);
	MAKE(chmod, "d/f", 0600);
	MAKE(fchmodat, AT_FDCWD, "d/f", 04755);
	MAKE(chown, "d/f", 0, -1);
	MAKE(lchown, "d/s", -1, 0);
	MAKE(fchownat, AT_FDCWD, "d/s", 0, 0, AT_SYMLINK_NOFOLLOW);
	MAKE(truncate, "d/f", 10);
	MAKE(utime, "d/f", &seconds);
	MAKE(utime, "d/f", NULL);
	MAKE(utimes, "d/f", micro);
	MAKE(futimesat, AT_FDCWD, "d/f", micro);
	MAKE(utimensat, AT_FDCWD, "d/f", nano, AT_SYMLINK_NOFOLLOW);
	MAKE(utimensat, AT_FDCWD, "d/f", NULL, 0);
	MAKE(stat, "d/f", bytes);
	MAKE(lstat, "d/s", bytes);
	MAKE(newfstatat, AT_FDCWD, "d/s", bytes, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
	MAKE(statx, AT_FDCWD, "d/f", AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE, bytes);
	MAKE(mkdir, "sticky", 0700);
	MAKE(chmod, "sticky", 01777);
	MAKE(stat, "sticky", bytes);
	MAKE(statx, AT_FDCWD, "/proc", 0, STATX_TYPE, bytes);
	MAKE(statfs, "/proc", bytes);
	MAKE(rename, "d/g", "d/i");
	MAKE(renameat, AT_FDCWD, "d/h", AT_FDCWD, "d/j");
	MAKE(renameat2, AT_FDCWD, "d/i", AT_FDCWD, "d/j", RENAME_EXCHANGE);
	MAKE(mknod, "d/p", S_IFIFO | 0600, 0);
	MAKE(mknodat, AT_FDCWD, "d/n", S_IFREG | 0644, 0);
	MAKE(mknod, "d/no/c", S_IFCHR | 0600, 0x105);
	MAKE(setxattr, "d/f", "trusted.a", "value", 5, XATTR_CREATE);
	MAKE(lsetxattr, "d/f", "trusted.b", "\0\1", 2, 0);
	MAKE(getxattr, "d/f", "trusted.a", bytes, 100);
	MAKE(lgetxattr, "d/f", "trusted.none", bytes, 100);
	MAKE(listxattr, "d/f", bytes, 0);
	MAKE(llistxattr, "d/f", NULL, 0);
	MAKE(removexattr, "d/f", "trusted.none");
	MAKE(lremovexattr, "d/f", "trusted.b");
	MAKE(open, "d/f", O_WRONLY | O_APPEND | O_NOCTTY | O_NOFOLLOW);
	MAKE(open, "d", O_RDWR | O_TMPFILE, 0600);
	MAKE(openat, AT_FDCWD, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	MAKE(openat2, AT_FDCWD, "d/f", &how, sizeof how);
	MAKE(getcwd, text, 1);
	MAKE(chdir, "d/no");
	MAKE(chroot, "d/no");
	MAKE(unlink, "d/p");
	MAKE(unlinkat, AT_FDCWD, "d/e", AT_REMOVEDIR);
	MAKE(rmdir, "d");
	MAKE(acct, "/no/such/file");
	MAKE(swapon, "/no/such/file", 0x8001);
	MAKE(swapoff, "/no/such/file");
	MAKE(uselib, "/no/such/file");
	MAKE(ustat, 0, bytes);
	MAKE(sysfs, 3, 0, 0);
	MAKE(quotactl, QCMD(Q_GETFMT, USRQUOTA), "/no/such/device", 0, bytes);
	MAKE(name_to_handle_at, AT_FDCWD, "/no/such/file", NULL, NULL, AT_SYMLINK_FOLLOW);
	MAKE(execve, "/no/such/program", ((char *[]){ "a", "b c", NULL }), NULL);
	MAKE(execveat, AT_FDCWD, "/no/such/program", ((char *[]){ "a", NULL }), NULL, AT_SYMLINK_NOFOLLOW);
}

static void contents(void)
{
	int fd = (int)MAKE(open, "data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct iovec v[2] = { { "one", 3 }, { "two", 3 } }, in[2] = { { bytes, 2 }, { bytes + 2, 10 } };
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -3, .l_len = 1 };
	struct f_owner_ex owner = { F_OWNER_PID, 0 };
	loff_t at = 2, to = 4;

	MAKE(write, fd, "0123456789012345678901234567890123456789", 40);
	MAKE(pwrite64, fd, "abc", 3, 7);
	MAKE(writev, fd, v, 2);
	MAKE(pwritev, fd, v, 2, 5);
	MAKE(pwritev2, fd, v, 1, 5, 0, RWF_DSYNC);
	MAKE(lseek, fd, 3, SEEK_SET);
	MAKE(lseek, fd, 0, SEEK_DATA);
	MAKE(read, fd, bytes, 36);
	MAKE(pread64, fd, bytes, 5, 1);
	MAKE(readv, fd, in, 2);
	MAKE(preadv, fd, in, 2, 3);
	MAKE(preadv2, fd, in, 2, 3, 0, RWF_NOWAIT | RWF_HIPRI);
	MAKE(fstat, fd, bytes);
	MAKE(fstatfs, -1, bytes);
	MAKE(fchmod, fd, 0644);
	MAKE(fchown, fd, -1, -1);
	MAKE(ftruncate, fd, 4000);
	MAKE(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 5000);
	MAKE(fadvise64, fd, 0, 100, POSIX_FADV_WILLNEED);
	MAKE(readahead, fd, 0, 4096);
	MAKE(fsync, -1);
	MAKE(fdatasync, -1);
	MAKE(syncfs, -1);
	MAKE(sync_file_range, fd, 0, 100, SYNC_FILE_RANGE_WAIT_BEFORE);
	MAKE(flock, fd, LOCK_SH | LOCK_NB);
	MAKE(flock, fd, LOCK_UN);
	MAKE(fcntl, fd, F_SETLK, &lock);
	MAKE(fcntl, fd, F_GETLK, &lock);
	MAKE(fcntl, fd, F_OFD_GETLK, &lock);
	MAKE(fcntl, fd, F_GETFL);
	MAKE(fcntl, fd, F_SETFL, O_APPEND | O_NONBLOCK);
	MAKE(fcntl, fd, F_SETFD, FD_CLOEXEC);
	MAKE(fcntl, fd, F_DUPFD, 30);
	MAKE(fcntl, fd, F_GETOWN_EX, &owner);
	MAKE(fcntl, fd, F_SETOWN_EX, &owner);
	MAKE(fcntl, fd, F_SETOWN, 0);
	MAKE(fcntl, fd, F_GETLEASE);
	MAKE(fcntl, fd, F_NOTIFY, DN_CREATE | DN_MULTISHOT);
	MAKE(fcntl, fd, F_SETSIG, SIGUSR1);
	MAKE(fcntl, fd, 12345, 7);
	MAKE(fsetxattr, fd, "trusted.c", "v", 1, XATTR_REPLACE);
	MAKE(fgetxattr, fd, "trusted.c", bytes, 10);
	MAKE(flistxattr, fd, bytes, 100);
	MAKE(fremovexattr, fd, "trusted.c");
	MAKE(sendfile, -1, fd, &at, 5);
	MAKE(sendfile, -1, fd, NULL, 5);
	MAKE(copy_file_range, fd, &at, fd, &to, 1, 0);
	MAKE(splice, fd, &at, -1, &to, 1, SPLICE_F_MORE);
	MAKE(getdents, fd, bytes, sizeof bytes);
	MAKE(getdents64, fd, bytes, sizeof bytes);
	MAKE(fchdir, fd);
	MAKE(open_by_handle_at, -1, NULL, O_RDONLY);
	MAKE(quotactl_fd, -1, QCMD(Q_SYNC, GRPQUOTA), 0, NULL);
	MAKE(ioctl, fd, FIONREAD, bytes);
	MAKE(ioctl, fd, TCGETS, bytes);
	MAKE(ioctl, fd, TIOCGWINSZ, bytes);
	MAKE(ioctl, fd, FIOCLEX, 0);
	MAKE(ioctl, fd, 0x12345678, 9);
	MAKE(close, fd);
}

static void descriptors(void)
{
	int p[2], ep = (int)MAKE(epoll_create1, EPOLL_CLOEXEC), one = 1;
	struct epoll_event ev = { EPOLLIN | EPOLLRDHUP, { .u64 = 5 } }, got[2];
	struct pollfd f[2] = { { 0, POLLIN | POLLPRI, 0 }, { -1, 0, 0 } };
	struct itimerspec its = { { 1, 0 }, { 1000, 5 } };
	struct timespec now = { 0, 0 };
	struct timeval none = { 0, 0 };
	struct { const sigset_t *set; size_t n; } mask = { NULL, 8 };
	struct iovec v = { "abc", 3 };
	fd_set set;
	int t, e;

	MAKE(pipe, p);
	MAKE(pipe2, p, O_NONBLOCK | O_CLOEXEC);
	MAKE(vmsplice, p[1], &v, 1, SPLICE_F_NONBLOCK);
	MAKE(tee, p[0], p[0], 1, SPLICE_F_NONBLOCK);
	MAKE(ioctl, p[0], FIONREAD, &one);
	MAKE(fcntl, p[0], F_GETPIPE_SZ);
	MAKE(dup, p[0]);
	MAKE(dup2, p[0], 50);
	MAKE(dup3, p[0], 51, O_CLOEXEC);
	MAKE(close_range, 50, 60, CLOSE_RANGE_CLOEXEC);
	MAKE(epoll_create, 5);
	MAKE(epoll_ctl, ep, EPOLL_CTL_ADD, p[0], &ev);
	MAKE(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	MAKE(epoll_wait, ep, got, 2, 0);
	MAKE(epoll_pwait, ep, got, 2, 0, NULL, 8);
	MAKE(epoll_pwait2, ep, got, 2, &now, NULL, 8);
	MAKE(epoll_ctl, ep, EPOLL_CTL_DEL, p[0], NULL);
	f[0].fd = p[0];
	MAKE(poll, f, 2, 0);
	MAKE(ppoll, f, 2, &now, NULL, 8);
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	MAKE(select, p[0] + 1, &set, NULL, NULL, &none);
	FD_SET(p[0], &set);
	MAKE(pselect6, p[0] + 1, &set, NULL, NULL, &now, &mask);
	e = (int)MAKE(eventfd, 3);
	MAKE(eventfd2, 3, EFD_SEMAPHORE | EFD_CLOEXEC);
	MAKE(read, e, bytes, 8);
	t = (int)MAKE(timerfd_create, CLOCK_BOOTTIME, TFD_CLOEXEC);
	MAKE(timerfd_settime, t, TFD_TIMER_ABSTIME, &its, NULL);
	MAKE(timerfd_gettime, -1, &its);
	MAKE(inotify_init);
	t = (int)MAKE(inotify_init1, IN_CLOEXEC);
	MAKE(inotify_add_watch, t, ".", IN_CREATE | IN_MOVED_TO);
	MAKE(inotify_rm_watch, t, 1);
	t = (int)MAKE(fanotify_init, FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_LARGEFILE);
	MAKE(fanotify_mark, -1, FAN_MARK_ADD | FAN_MARK_ONLYDIR, FAN_OPEN | FAN_CLOSE_WRITE, AT_FDCWD, ".");
	MAKE(memfd_create, "name", MFD_CLOEXEC);
	MAKE(memfd_secret, 0x5);
	MAKE(userfaultfd, O_CLOEXEC | O_NONBLOCK | 0x100000);
	MAKE(pidfd_open, 0, 0);
	MAKE(pidfd_getfd, -1, 0, 0);
	MAKE(pidfd_send_signal, -1, SIGUSR1, NULL, 0);
	MAKE(kcmp, -1, -1, 0, 1, 2);
	MAKE(close, 12345);
}

static void memory(void)
{
	char *m = (char *)MAKE(mmap, NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec local = { bytes, 4 }, remote = { text, 4 };
	unsigned char vec[2];

	MAKE(brk, 0);
	MAKE(mprotect, m, 4096, PROT_READ | PROT_EXEC);
	MAKE(madvise, m, 8192, MADV_DONTFORK);
	MAKE(madvise, m, 4096, MADV_POPULATE_READ);
	MAKE(mincore, m, 8192, vec);
	MAKE(msync, m, 4096, MS_ASYNC | MS_INVALIDATE);
	MAKE(mlock, m, 4096);
	MAKE(mlock2, m, 4096, MLOCK_ONFAULT);
	MAKE(munlock, m, 4096);
	MAKE(mlockall, 0);
	MAKE(munlockall);
	MAKE(mremap, m, 8192, 4096, MREMAP_MAYMOVE);
	MAKE(mremap, m, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, m);
	MAKE(remap_file_pages, m, 4096, 0, 0, MAP_NONBLOCK);
	MAKE(mbind, m, 4096, MPOL_DEFAULT, NULL, 0, 0);
	MAKE(mbind, m, 4096, MPOL_BIND, NULL, 0, MPOL_MF_MOVE | MPOL_MF_STRICT);
	MAKE(set_mempolicy, MPOL_DEFAULT, NULL, 0);
	MAKE(get_mempolicy, vec, NULL, 0, NULL, MPOL_F_NODE);
	MAKE(migrate_pages, -1, 0, NULL, NULL);
	MAKE(move_pages, -1, 0, NULL, NULL, NULL, MPOL_MF_MOVE);
	MAKE(set_mempolicy_home_node, m, 4096, 0, 1);
	MAKE(pkey_alloc, 0, 4);
	MAKE(pkey_free, 20);
	MAKE(pkey_mprotect, m, 4096, PROT_READ, 20);
	MAKE(process_vm_readv, getpid(), &local, 1, &remote, 1, 0);
	MAKE(process_vm_writev, -1, &local, 1, &remote, 1, 0);
	MAKE(process_madvise, -1, &local, 1, MADV_COLD, 0);
	MAKE(process_mrelease, -1, 0);
	MAKE(membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 1);
	MAKE(munmap, m, 4096);
}

static void handler(int sig)
{
	(void)sig;
}

static void signals(void)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	stack_t stack = { .ss_sp = bytes, .ss_size = sizeof bytes, .ss_flags = 0 };
	struct timespec none = { 0, 0 };
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	uint64_t set = 1 << (SIGUSR2 - 1), empty = 0, all = ~0ull << 10;

	sigaction(SIGUSR1, &sa, NULL);
	MAKE(rt_sigaction, SIGUSR2, NULL, bytes, 8);
	MAKE(rt_sigprocmask, SIG_BLOCK, &set, bytes, 8);
	MAKE(rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	MAKE(rt_sigprocmask, SIG_SETMASK, &empty, NULL, 8);
	MAKE(rt_sigpending, bytes, 8);
	MAKE(rt_sigtimedwait, &set, &info, &none, 8);
	MAKE(rt_sigsuspend, NULL, 7);
	MAKE(rt_sigqueueinfo, -1, SIGUSR1, &info);
	MAKE(rt_tgsigqueueinfo, -1, -1, SIGUSR1, &info);
	MAKE(sigaltstack, &stack, NULL);
	MAKE(sigaltstack, NULL, bytes);
	MAKE(signalfd, -1, &set, 8);
	MAKE(signalfd4, -1, &set, 8, SFD_CLOEXEC);
	MAKE(kill, -12345678, SIGRTMIN + 1);
	MAKE(tkill, -1, SIGUSR1);
	MAKE(tgkill, -1, -1, 0);
	MAKE(alarm, 0);
}

static void processes(void)
{
	struct rlimit64 limit;
	struct sched_param param = { 0 };
	struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t r, d, p; } attr = {
		.size = 48, .policy = SCHED_BATCH, .nice = 0 };
	struct __user_cap_header_struct cap = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2];
	gid_t groups[4] = { 0 };
	unsigned long cpus[16] = { 0 };
	char name[16] = "everycall";
	void *p, *q;
	int n;

	MAKE(getppid);
	MAKE(getuid);
	MAKE(geteuid);
	MAKE(getgid);
	MAKE(getegid);
	MAKE(getresuid, bytes, bytes + 4, bytes + 8);
	MAKE(getresgid, bytes, bytes + 4, bytes + 8);
	MAKE(setuid, 0);
	MAKE(setgid, 0);
	MAKE(setreuid, -1, -1);
	MAKE(setregid, -1, 0);
	MAKE(setresuid, -1, 0, -1);
	MAKE(setresgid, -1, -1, -1);
	MAKE(setfsuid, 0);
	MAKE(setfsgid, 0);
	MAKE(getgroups, 0, NULL);
	MAKE(setgroups, -1, groups);
	MAKE(getpgid, 1);
	MAKE(setpgid, -1, 0);
	MAKE(getsid, -1);
	MAKE(getpriority, PRIO_USER, 0);
	MAKE(setpriority, PRIO_PROCESS, 0, 0);
	MAKE(ioprio_get, 1, 0);
	MAKE(ioprio_set, 1, 0, 2 << 13 | 4);
	MAKE(getrlimit, RLIMIT_CORE, &limit);
	MAKE(setrlimit, RLIMIT_CORE, &limit);
	MAKE(prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	MAKE(prlimit64, 0, RLIMIT_STACK, &limit, NULL);
	MAKE(getrusage, 12, bytes);
	MAKE(sched_getscheduler, 0);
	MAKE(sched_setscheduler, 0, SCHED_BATCH, &param);
	MAKE(sched_getparam, 0, &param);
	MAKE(sched_setparam, 0, &param);
	MAKE(sched_setattr, 0, &attr, 0);
	MAKE(sched_getattr, 0, &attr, sizeof attr, 0);
	MAKE(sched_getaffinity, 0, sizeof cpus, cpus);
	cpus[0] &= -cpus[0];
	MAKE(sched_setaffinity, 0, sizeof cpus, cpus);
	MAKE(sched_get_priority_max, SCHED_RR);
	MAKE(sched_get_priority_min, SCHED_IDLE);
	MAKE(sched_rr_get_interval, -1, bytes);
	MAKE(sched_yield);
	MAKE(getcpu, &n, NULL, NULL);
	MAKE(set_tid_address, &n);
	MAKE(set_robust_list, bytes, 24);
	MAKE(get_robust_list, 0, &p, &q);
	MAKE(set_robust_list, NULL, 24);
	MAKE(rseq, bytes, 32, 0, 0x53053053);
	MAKE(capget, &cap, caps);
	MAKE(capset, &cap, caps);
	MAKE(personality, 0xffffffff);
	MAKE(arch_prctl, 0x1003, &p);
	MAKE(prctl, PR_SET_NAME, name);
	MAKE(prctl, PR_GET_NAME, name);
	MAKE(prctl, PR_SET_PDEATHSIG, SIGTERM);
	MAKE(prctl, PR_GET_PDEATHSIG, &n);
	MAKE(prctl, PR_SET_KEEPCAPS, 0);
	MAKE(prctl, PR_CAPBSET_READ, CAP_NET_ADMIN);
	MAKE(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	MAKE(prctl, PR_SET_TIMERSLACK, 50000);
	MAKE(prctl, PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
	MAKE(seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, NULL);
	MAKE(ptrace, PTRACE_CONT, -1, NULL, SIGUSR1);
	MAKE(ptrace, PTRACE_SETOPTIONS, -1, NULL, PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL);
	MAKE(iopl, 0);
	MAKE(ioperm, 0x80, 0, 1);
	MAKE(modify_ldt, 0, bytes, 16);
	MAKE(unshare, 0x1);
	MAKE(setns, -1, CLONE_NEWNET);
	MAKE(clone, 0x10000, NULL, NULL, NULL, NULL);
	MAKE(clone3, ((uint64_t[11]){ CLONE_THREAD }), 88);
	n = (int)MAKE(fork);
	if (!n)
		MAKE(exit, 3);
	MAKE(wait4, n, &n, WUNTRACED | __WALL, NULL);
	n = (int)vfork();
	if (!n)
		_exit(4);
	MAKE(waitid, P_PID, n, bytes, WEXITED | WNOWAIT, NULL);
	MAKE(waitid, P_ALL, 0, bytes, WEXITED, NULL);
	MAKE(wait4, -1, NULL, WNOHANG, NULL);
}

static void sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un un = { AF_UNIX, "socket" };
	struct iovec v = { "data", 4 }, r = { bytes, 100 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 }, rm = { .msg_iov = &r, .msg_iovlen = 1 };
	struct mmsghdr mm = { .msg_hdr = m }, rmm = { .msg_hdr = rm };
	struct timespec none = { 0, 0 };
	socklen_t n = sizeof un;
	int s = (int)MAKE(socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP), p[2], one = 1, u;

	MAKE(bind, s, &in, sizeof in);
	MAKE(setsockopt, s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	MAKE(getsockopt, s, SOL_SOCKET, SO_TYPE, &one, ((socklen_t[]){ sizeof one }));
	MAKE(getsockopt, s, SOL_SOCKET, SO_PEERCRED, bytes, ((socklen_t[]){ 12 }));
	MAKE(setsockopt, s, IPPROTO_IP, IP_TTL, &one, sizeof one);
	MAKE(getsockopt, s, SOL_SOCKET, SO_ERROR, &one, ((socklen_t[]){ sizeof one }));
	MAKE(sendto, s, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	MAKE(recvfrom, s, bytes, 10, MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
	u = (int)MAKE(socket, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	MAKE(bind, u, &un, sizeof un);
	MAKE(listen, u, 5);
	MAKE(accept, u, NULL, NULL);
	MAKE(accept4, u, NULL, NULL, SOCK_CLOEXEC);
	MAKE(getsockname, u, &un, &n);
	MAKE(getpeername, u, NULL, NULL);
	MAKE(connect, u, &in, sizeof in);
	MAKE(socketpair, AF_UNIX, SOCK_SEQPACKET, 0, p);
	MAKE(sendmsg, p[0], &m, MSG_EOR);
	MAKE(recvmsg, p[1], &rm, MSG_DONTWAIT);
	MAKE(sendmmsg, p[0], &mm, 1, MSG_DONTWAIT);
	MAKE(recvmmsg, p[1], &rmm, 1, MSG_DONTWAIT, &none);
	MAKE(shutdown, p[0], SHUT_WR);
	MAKE(socket, AF_NETLINK, SOCK_RAW, 0);
	MAKE(socket, AF_INET6, SOCK_STREAM, IPPROTO_TCP);
}

static void ipc(void)
{
	struct { long type; char text[8]; } message = { 5, "hello" };
	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 16 };
	struct sembuf op = { 0, 2, IPC_NOWAIT };
	struct timespec none = { 0, 0 };
	void *at;
	int id, q;

	id = (int)MAKE(shmget, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	at = (void *)MAKE(shmat, id, NULL, SHM_RDONLY);
	MAKE(shmctl, id, SHM_LOCK, NULL);
	MAKE(shmdt, at);
	MAKE(shmctl, id, IPC_RMID, NULL);
	id = (int)MAKE(semget, 0x77, 2, IPC_CREAT | IPC_EXCL | 0640);
	MAKE(semop, id, &op, 1);
	MAKE(semtimedop, id, &op, 1, &none);
	MAKE(semctl, id, 1, SETVAL, 5);
	MAKE(semctl, id, 0, GETVAL, 0);
	MAKE(semctl, id, 0, IPC_RMID, 0);
	id = (int)MAKE(msgget, IPC_PRIVATE, IPC_CREAT | 0600);
	MAKE(msgsnd, id, &message, 6, IPC_NOWAIT);
	MAKE(msgrcv, id, &message, 6, 5, IPC_NOWAIT | MSG_NOERROR);
	MAKE(msgctl, id, IPC_RMID, NULL);
	q = (int)MAKE(mq_open, "queue", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);
	MAKE(mq_timedsend, q, "hello", 5, 3, NULL);
	MAKE(mq_timedreceive, q, bytes, 16, bytes + 100, &none);
	MAKE(mq_getsetattr, q, NULL, &attr);
	MAKE(mq_notify, q, NULL);
	MAKE(mq_unlink, "queue");
	MAKE(sethostname, "name", 4);
	MAKE(setdomainname, "domain", 6);
}

static void mounts(void)
{
	int fd;

	MAKE(mount, "none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	MAKE(mount, "none", "d", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k");
	MAKE(umount2, "d", MNT_DETACH | UMOUNT_NOFOLLOW);
	MAKE(pivot_root, "/no/such", "/no/such");
	fd = (int)MAKE(fsopen, "tmpfs", 1);
	MAKE(fsconfig, fd, 1, "size", "64k", 0);
	MAKE(fsconfig, fd, 6, NULL, NULL, 0);
	fd = (int)MAKE(fsmount, fd, 1, 2);
	MAKE(move_mount, fd, "", AT_FDCWD, "/no/such", 4);
	MAKE(open_tree, AT_FDCWD, "d", 1 | O_CLOEXEC | AT_RECURSIVE);
	MAKE(fspick, AT_FDCWD, "/no/such", 1);
	MAKE(mount_setattr, AT_FDCWD, "d", AT_RECURSIVE, bytes, 1);
}

static void times_(void)
{
	struct timespec none = { 0, 1 };
	struct itimerval it = { { 0, 0 }, { 0, 0 } };
	struct itimerspec its = { { 0, 0 }, { 0, 0 } };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 7 };
	int word = 1, id;

	MAKE(time, NULL);
	MAKE(times, NULL);
	MAKE(clock_getres, CLOCK_REALTIME, bytes);
	MAKE(clock_gettime, -1, bytes);
	MAKE(clock_settime, -1, &none);
	MAKE(gettimeofday, NULL, bytes);
	MAKE(settimeofday, ((struct timeval[]){ { -1, 0 } }), NULL);
	MAKE(nanosleep, &none, bytes);
	MAKE(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &none, NULL);
	MAKE(adjtimex, 0x10);
	MAKE(clock_adjtime, -1, bytes);
	MAKE(getitimer, ITIMER_VIRTUAL, &it);
	MAKE(setitimer, ITIMER_PROF, &it, NULL);
	id = -1;
	MAKE(timer_create, CLOCK_MONOTONIC, &ev, &id);
	MAKE(timer_settime, id, TIMER_ABSTIME, &its, NULL);
	MAKE(timer_gettime, id, &its);
	MAKE(timer_getoverrun, id);
	MAKE(timer_delete, id);
	MAKE(futex, &word, FUTEX_WAIT_PRIVATE, 2, &none);
	MAKE(futex, &word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 5);
	MAKE(futex, &word, FUTEX_WAKE_PRIVATE, 1);
	MAKE(futex, &word, FUTEX_WAIT_BITSET, 2, &none, NULL, FUTEX_BITSET_MATCH_ANY);
	MAKE(futex, &word, FUTEX_REQUEUE, 1, 1, &word);
	MAKE(futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC);
}

static void rest(void)
{
	struct io_event events[1];
	struct perf_event_attr attr = { .size = 1 };
	unsigned long ctx = 0;

	MAKE(io_setup, 4, &ctx);
	MAKE(io_submit, ctx, 0, NULL);
	MAKE(io_getevents, ctx, 0, 1, events, ((struct timespec[]){ { 0, 0 } }));
	MAKE(io_pgetevents, ctx, 0, 1, events, ((struct timespec[]){ { 0, 0 } }), NULL);
	MAKE(io_cancel, ctx, NULL, NULL);
	MAKE(io_destroy, ctx);
	MAKE(io_uring_setup, 0, NULL);
	MAKE(io_uring_enter, -1, 1, 2, IORING_ENTER_GETEVENTS, NULL, 0);
	MAKE(io_uring_register, -1, IORING_REGISTER_BUFFERS, NULL, 0);
	MAKE(getrandom, bytes, 0, GRND_NONBLOCK);
	MAKE(uname, bytes);
	MAKE(sysinfo, NULL);
	MAKE(syslog, 10, NULL, 0);
	MAKE(reboot, LINUX_REBOOT_MAGIC1, 1, LINUX_REBOOT_CMD_CAD_OFF, NULL);
	MAKE(kexec_load, 0, 0, NULL, 1);
	MAKE(kexec_file_load, -1, -1, 0, NULL, 0x8);
	MAKE(init_module, NULL, 0, "");
	MAKE(finit_module, -1, "a=1", 2);
	MAKE(delete_module, "no_such_module", O_NONBLOCK);
	MAKE(bpf, -1, NULL, 0);
	MAKE(perf_event_open, &attr, -1, -1, -1, 8);
	MAKE(add_key, "no_such_type", "name", "x", 1, KEY_SPEC_PROCESS_KEYRING);
	MAKE(request_key, "no_such_type", "name", NULL, KEY_SPEC_THREAD_KEYRING);
	MAKE(keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
	MAKE(landlock_create_ruleset, NULL, 0, 1);
	MAKE(landlock_add_rule, -1, 1, NULL, 0);
	MAKE(landlock_restrict_self, -1, 0);
	MAKE(lookup_dcookie, 0, NULL, 0);
	MAKE(_sysctl, NULL);
	MAKE(create_module, NULL, 0);
	MAKE(query_module, NULL, 0, NULL, 0, NULL);
	MAKE(get_kernel_syms, NULL);
	MAKE(nfsservctl, 0, NULL, NULL);
	MAKE(set_thread_area, NULL);
	MAKE(get_thread_area, NULL);
	MAKE(afs_syscall, 1, 2, 3, 4, 5, 6);
	MAKE(epoll_ctl_old, 1, 2, 3, 4, 5, 6);
	MAKE(epoll_wait_old, 1, 2, 3, 4, 5, 6);
	MAKE(getpmsg, 1, 2, 3, 4, 5, 6);
	MAKE(putpmsg, 1, 2, 3, 4, 5, 6);
	MAKE(security, 1, 2, 3, 4, 5, 6);
	MAKE(tuxcall, 1, 2, 3, 4, 5, 6);
	MAKE(vserver, 1, 2, 3, 4, 5, 6);
	MAKE(getpgrp);
	MAKE(umask, 022);
	MAKE(setsid);
	MAKE(gettid);
}

int main(void)
{
	MAKE(read, 0, text, 8);
	MAKE(getpid);
	paths();
	contents();
	descriptors();
	memory();
	signals();
	processes();
	sockets();
	if (!MAKE(unshare, CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS)) {
		ipc();
		mounts();
	}
	times_();
	rest();
	return 0;
}

#else

int main(void)
{
	return 0;
}

#endif
