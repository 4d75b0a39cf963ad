/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flagged: system calls whose arguments are flags, commands and modes, in the current directory, for `dtr trace`. Some
 * fail, everywhere alike.
 */
#include <fcntl.h>
#include <linux/falloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <unistd.h>

static long all;	/* results that nothing else uses */

static void files(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3, .l_len = 10 };
	int fd = open("file", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	all += syscall(SYS_faccessat2, AT_FDCWD, "file", R_OK | W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
	all += fcntl(fd, F_SETLK, &lock);
	lock.l_type = F_RDLCK;
	all += fcntl(fd, F_GETLK, &lock);	/* the answer: F_UNLCK */
	all += fcntl(fd, F_SETFD, FD_CLOEXEC);
	all += fcntl(fd, F_GETFD);
	all += fcntl(fd, F_DUPFD_CLOEXEC, 40);
	all += flock(fd, LOCK_EX | LOCK_NB);
	all += flock(fd, LOCK_UN);
	all += fallocate(-1, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096);
	all += sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	all += setxattr("no-such-file", "user.a", "v", 1, XATTR_CREATE);
	all += mknodat(AT_FDCWD, "fifo", S_IFIFO | 0600, 0);
	all += mknodat(AT_FDCWD, "socket", S_IFSOCK | 0644, 0);
	all += mknodat(-1, "device", S_IFCHR | 0600, 0x103);
	all += umask(077);
	all += umask(022);
	all += unlinkat(AT_FDCWD, "no-such-directory", AT_REMOVEDIR);
	close(fd);
}

static void descriptors(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLONESHOT, .data.u64 = 7 };
	int in[2], out[2], memory = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	sigset_t set;

	all += pipe2(in, O_CLOEXEC) + pipe2(out, O_NONBLOCK | O_CLOEXEC);
	all += write(in[1], "abc", 3);
	all += splice(in[0], NULL, out[1], NULL, 2, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	all += tee(in[0], out[1], 1, SPLICE_F_NONBLOCK);
	all += fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE);
	all += fcntl(memory, F_GET_SEALS);
	all += timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	all += inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	all += inotify_add_watch(-1, ".", IN_CREATE | IN_DELETE | IN_ONLYDIR);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	all += signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	all += eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
	all += epoll_ctl(-1, EPOLL_CTL_ADD, in[0], &ev);
}

static void others(void)
{
	struct sembuf op = { 0, 1, SEM_UNDO | IPC_NOWAIT };

	all += mount("none", "/no/such/directory", "tmpfs", MS_RDONLY | MS_NOSUID, "size=1m");
	all += umount2("/no/such/directory", MNT_DETACH | UMOUNT_NOFOLLOW);
	all += shmget(7, 0, IPC_CREAT | IPC_EXCL | 0640);	/* no size: EINVAL */
	all += shmctl(-1, IPC_STAT, NULL);
	all += semget(7, -1, IPC_CREAT | IPC_EXCL | 0600);
	all += syscall(SYS_semtimedop, -1, &op, 1, NULL);
	all += semctl(-1, 0, IPC_STAT, NULL);
	all += msgctl(-1, IPC_RMID, NULL);
	all += syscall(SYS_msgsnd, -1, NULL, 0, IPC_NOWAIT);
	all += (long)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) & 1;
	all += getpriority(PRIO_PROCESS, 0);
	all += sched_get_priority_max(SCHED_FIFO);
	all += sched_setscheduler(-1, SCHED_BATCH, NULL);
}

int main(void)
{
	char line[8];

	all += read(0, line, sizeof line);
	files();
	descriptors();
	others();
	return all == 1;	/* it is not */
}
