/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * frames N [COMMAND...]: keeps every CPU busy with processes whose stacks have N frames of this program, main included,
 * until the command ends; it is executed in this process, so that its ID and status are those of the command. Without a
 * command only this process is busy; `frames N -` makes system calls instead (getppid). Built with frame pointers and
 * without (bench/local.mk).
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

unsigned long busy(unsigned long v);
unsigned long narrow(int n, unsigned long v);
unsigned long wide(int n, unsigned long v);

static bool calling;

KEEP unsigned long busy(unsigned long v)
{
	volatile unsigned long n = v;

	while (calling)
		n += (unsigned long)syscall(SYS_getppid);
	for (;;)
		n++;
	return n;
}

/* The two functions have frames of different sizes. Their results are in memory, so that no call is a tail call. */
KEEP unsigned long narrow(int n, unsigned long v)
{
	volatile unsigned long r;

	r = n > 0 ? wide(n - 1, v + 1) : busy(v);
	return r;
}

KEEP unsigned long wide(int n, unsigned long v)
{
	volatile unsigned long r[24];

	r[v % 24] = n > 0 ? narrow(n - 1, v * 3) : busy(v);
	return r[v % 24];
}

/* Its stack: main, n - 2 functions, busy. */
static void start_on(int cpu, int n, pid_t parent)
{
	cpu_set_t set;

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) < 0)
		_exit(0);		/* offline */
	exit((int)narrow(n - 3, 0));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, ncpu = (int)sysconf(_SC_NPROCESSORS_CONF);

	if (n < 3) {
		fprintf(stderr, "usage: frames N [- | COMMAND...]\n");
		return 2;
	}
	calling = argc == 3 && !strcmp(argv[2], "-");
	if (argc == 2 || calling)
		return (int)narrow(n - 3, 0);
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < ncpu; i++)
		start_on(i, n, getpid());
	signal(SIGCHLD, SIG_DFL);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
