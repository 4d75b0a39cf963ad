/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program with known events: processes, threads, execs, signals, system calls. It prints the number of each as
 * "NAME NUMBER", for tests of the proc, sched and syscall providers. `known leaf` only exits.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	FORKS = 3, VFORKS = 2, EXECS = 2, VEXECS = 2, FAILED = 4, THREADS = 5, GROUP = 3, KILLED = 2, DUMPED = 1,
	HANDLED = 6, IGNORED = 7, WAITED = 3, FAULTS = 2, CALLS = 1000, WRONG = 20, CALLS32 = 50, YIELDS = 30,
	NAPS = 20, SIXES = 8,
};

static const char *self;
static sigjmp_buf jump;

static void nothing(int sig)
{
	(void)sig;
}

static void leap(int sig)
{
	(void)sig;
	siglongjmp(jump, 1);
}

static void reap(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void forks(void)
{
	for (int i = 0; i < FORKS; i++) {
		pid_t p = fork();

		if (!p)
			_exit(i);
		reap(p);
	}
	for (int i = 0; i < VFORKS; i++) {
		pid_t p = vfork();

		if (!p)
			_exit(0);
		reap(p);
	}
}

static void spawn(bool fast, const char *path)
{
	char *leaf[] = { (char *)self, "leaf", NULL };
	pid_t p = fast ? vfork() : fork();

	if (!p) {
		execv(path, leaf);
		_exit(127);
	}
	reap(p);
}

static void execs(void)
{
	for (int i = 0; i < EXECS; i++)
		spawn(false, self);
	for (int i = 0; i < VEXECS; i++)
		spawn(true, self);
	for (int i = 0; i < FAILED; i++)
		spawn(i % 2, "/nonexistent/program");
}

static void *thread(void *arg)
{
	return arg;
}

static void *sleeper(void *arg)
{
	if (write(*(int *)arg, "", 1) != 1)
		exit(1);
	for (;;)
		pause();
}

/* Threads that end by themselves, and a process that ends with running threads. */
static void threads(void)
{
	int there[2];
	pthread_t t;
	char c;
	pid_t p;

	for (int i = 0; i < THREADS; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	if (pipe(there))
		exit(1);
	p = fork();
	if (!p) {
		for (int i = 0; i < GROUP; i++)
			pthread_create(&t, NULL, sleeper, &there[1]);
		for (int i = 0; i < GROUP; i++)
			if (read(there[0], &c, 1) != 1)
				exit(1);
		exit(0);
	}
	reap(p);
	close(there[0]);
	close(there[1]);
}

/* A child that is killed after it has started. */
static void kill_child(int sig)
{
	int fd[2];
	char c;
	pid_t p;

	if (pipe(fd))
		exit(1);
	p = fork();
	if (!p) {
		if (write(fd[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(fd[0], &c, 1) == 1)
		kill(p, sig);
	reap(p);
	close(fd[0]);
	close(fd[1]);
}

static void signals(void)
{
	struct timespec second = { .tv_sec = 1 };
	sigset_t set;

	signal(SIGUSR1, nothing);
	signal(SIGUSR2, SIG_IGN);
	for (int i = 0; i < HANDLED; i++)
		kill(getpid(), SIGUSR1);
	for (int i = 0; i < IGNORED; i++)
		kill(getpid(), SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < WAITED; i++) {
		kill(getpid(), SIGRTMIN);
		sigtimedwait(&set, NULL, &second);
	}
	signal(SIGSEGV, leap);
	for (volatile int i = 0; i < FAULTS; i++) {
		if (!sigsetjmp(jump, 1))
			*(volatile int *)(uintptr_t)(i + 1) = 1;
	}
	signal(SIGSEGV, SIG_DFL);
}

/* Number 20 is getpid for programs of 32 bits and writev for the others. KNOWN_64: this machine has no such calls. */
static void calls32(void)
{
#if defined(__x86_64__)
	for (int i = 0; i < CALLS32 && !getenv("KNOWN_64"); i++) {
		long r = 20;

		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
	}
#endif
}

static void calls(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < WRONG; i++)
		syscall(SYS_close, -1);
	for (int i = 0; i < YIELDS; i++)
		syscall(SYS_sched_yield);
	for (int i = 0, cell = 7; i < SIXES; i++)
		syscall(SYS_futex, &cell, 999, 3, 4, 5, 6);	/* an invalid operation */
	calls32();
}

static long slept(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

/* The number of sleeps: on a slow machine a nap may be over before it begins. */
static void *naps(void *arg)
{
	struct timespec t = { .tv_nsec = 1000000 };
	long before;

	pthread_setname_np(pthread_self(), "known-nap");
	for (int i = 0; i < NAPS; i++) {
		before = slept();
		nanosleep(&t, NULL);
		*(int *)arg += (int)(slept() - before);
	}
	return NULL;
}

static void report(int napped)
{
	enum { CHILDREN = FORKS + VFORKS + EXECS + VEXECS + FAILED + 1 + KILLED + DUMPED };
	const struct { const char *name; int n; } lines[] = {
		{ "create", CHILDREN }, { "start", CHILDREN },
		{ "lwp-create", CHILDREN + THREADS + GROUP + 1 }, { "lwp-start", CHILDREN + THREADS + GROUP + 1 },
		{ "lwp-exit", CHILDREN + 1 + THREADS + GROUP + 1 },
		{ "exec", EXECS + VEXECS + FAILED }, { "exec-success", EXECS + VEXECS + 1 }, { "exec-failure", FAILED },
		{ "exit-1", CHILDREN + 1 - KILLED - DUMPED }, { "exit-2", KILLED + DUMPED },
		{ "send-10", HANDLED }, { "handle-10", HANDLED }, { "send-12", IGNORED }, { "discard-12", IGNORED },
		{ "send-rt", WAITED }, { "clear-rt", WAITED }, { "fault-6", FAULTS }, { "handle-11", FAULTS },
		{ "send-15", 1 }, { "send-6", 1 }, { "send-9", 1 }, { "send-11", FAULTS }, { "send-17", CHILDREN },
		{ "getppid", CALLS }, { "getppid-return", CALLS }, { "close-EBADF", WRONG },
		{ "six-args", SIXES }, { "six-ENOSYS", SIXES }, { "surrender", YIELDS }, { "naps", napped },
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		printf("%s %d\n", lines[i].name, lines[i].n);
}

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };
	int napped = 0;
	pthread_t t;

	self = argv[0];
	if (argc > 1)
		return 0;
	setrlimit(RLIMIT_CORE, &none);
	forks();
	execs();
	threads();
	signals();
	kill_child(SIGTERM);
	kill_child(SIGKILL);
	kill_child(SIGABRT);
	calls();
	pthread_create(&t, NULL, naps, &napped);
	pthread_join(t, NULL);
	report(napped);
	return fflush(stdout) != 0;
}
