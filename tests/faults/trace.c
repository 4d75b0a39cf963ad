/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/faults/trace.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#define FOLLOW (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
		PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

#define CALL(x) { SYS_##x, #x }
static const struct traced_call {
	long nr;
	const char *name;
} calls[] = {
	CALL(read), CALL(write), CALL(close), CALL(openat), CALL(newfstatat), CALL(lseek), CALL(mmap), CALL(mprotect),
	CALL(munmap), CALL(brk), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(ioctl), CALL(pread64), CALL(getpid),
	CALL(fcntl), CALL(getrandom), CALL(prlimit64), CALL(bpf), CALL(perf_event_open), CALL(epoll_create1),
	CALL(epoll_ctl), CALL(epoll_pwait), CALL(eventfd2), CALL(signalfd4), CALL(clone3),
	CALL(clone),
	CALL(futex), CALL(wait4), CALL(pipe2), CALL(execve), CALL(kill), CALL(tgkill), CALL(ppoll),
	CALL(timerfd_create), CALL(timerfd_settime), CALL(pidfd_open), CALL(sched_getaffinity),
	CALL(sched_setaffinity), CALL(clock_nanosleep), CALL(gettid), CALL(getdents64), CALL(madvise), CALL(uname),
	CALL(readlinkat), CALL(sysinfo), CALL(set_robust_list), CALL(rseq),
	CALL(exit), CALL(exit_group), CALL(memfd_create), CALL(ftruncate), CALL(writev), CALL(faccessat2),
#ifdef SYS_access
	CALL(access), CALL(epoll_wait), CALL(poll), CALL(readlink),	/* arm64 has only their successors */
#endif
};

const char *trace_name(long nr)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i].nr == nr)
			return calls[i].name;
	return "?";
}

#ifdef __x86_64__
bool trace_supported(void)
{
	return true;
}

static void set_number(pid_t pid, long nr)
{
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, orig_rax), nr);
}

static void set_result(pid_t pid, long value)
{
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rax), value);
}

static void set_argument(pid_t pid, long value)
{
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rdi), value);
}
#else
static void set_argument(pid_t pid, long value)
{
	(void)pid, (void)value;
}

bool trace_supported(void)
{
	return false;
}

static void set_number(pid_t pid, long nr)
{
	(void)pid, (void)nr;
}

static void set_result(pid_t pid, long value)
{
	(void)pid, (void)value;
}
#endif

void trace_me(void)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
}

void trace_begin(struct trace *t, pid_t pid)
{
	t->main = pid;
	ptrace(PTRACE_SETOPTIONS, pid, 0, FOLLOW);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
}

/* Excludes calls that cannot fail, and calls of the C library that abort() on an unexpected error. */
static bool may_fail(const struct trace *t, long nr, const uint64_t *arg)
{
	int op = arg[1] & FUTEX_CMD_MASK;

	switch (nr) {
	case SYS_exit:
	case SYS_exit_group:
	case SYS_rt_sigreturn:
	case SYS_set_robust_list:
	case SYS_rseq:
	case SYS_uname:
	case SYS_getpid:
		return false;
	case SYS_futex:
		return (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) && (t->err == EINTR || t->err == EAGAIN);
	}
	return true;
}

static bool is_kernel(long nr, const uint64_t *arg)
{
	return nr == SYS_bpf || nr == SYS_perf_event_open || nr == SYS_ioctl ||
	       (nr == SYS_mmap && !(arg[3] & MAP_ANONYMOUS));
}

/* True for a call that continues to read a file and is not counted. */
static bool is_repeated(struct trace *t, long nr, const uint64_t *arg)
{
	bool is_read = nr == SYS_read || nr == SYS_pread64;

	t->reads = !is_read ? 0 : t->reads && arg[0] == t->read_fd ? t->reads + 1 : 1;
	t->read_fd = arg[0];
	return t->reads & (t->reads - 1);
}

static void on_entry(struct trace *t, pid_t pid, long nr, const uint64_t *arg)
{
	if (!t->begun && nr == SYS_fcntl)
		t->begun = true;
	if (!t->begun || (t->kernel_only && !is_kernel(nr, arg)) || is_repeated(t, nr, arg))
		return;
	if (++t->seen != t->at || t->hit)
		return;
	t->hit = true;
	t->hit_nr = nr;
	t->hit_arg = nr == SYS_bpf || nr == SYS_write || nr == SYS_close || nr == SYS_ioctl ? arg[0] : arg[1];
	if (!may_fail(t, nr, arg))
		return;
	t->pending = pid;
	t->saved = arg[0];
	if (nr == SYS_brk)
		set_argument(pid, 0);	/* on failure it returns the old end, not an error number */
	else if (nr != SYS_close)
		set_number(pid, -1);
}

static void on_call(struct trace *t, pid_t pid)
{
	struct __ptrace_syscall_info si;
	long n = ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof si, &si);

	if (n > 0 && si.op == PTRACE_SYSCALL_INFO_ENTRY) {
		on_entry(t, pid, si.entry.nr, (const uint64_t *)si.entry.args);
	} else if (n > 0 && t->pending == pid) {
		if (t->hit_nr == SYS_brk)
			set_argument(pid, t->saved);	/* a register that a system call leaves as it is */
		else
			set_result(pid, -t->err);
		t->pending = 0;
	}
}

void trace_stop(struct trace *t, pid_t pid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80)) {
		on_call(t, pid);
		sig = 0;
	} else if (event == PTRACE_EVENT_EXEC && pid != t->main) {
		ptrace(PTRACE_DETACH, pid, 0, 0);	/* commands that dtr executes are not under test */
		return;
	} else if (sig == SIGTRAP || sig == SIGSTOP) {
		sig = 0;	/* an event, or the first stop of a new thread */
	}
	ptrace(t->hit && !t->pending ? PTRACE_CONT : PTRACE_SYSCALL, pid, 0, sig);
}
