/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pingpong SECONDS [CPU]: two processes on one CPU that pass a byte to each other through pipes, so that each byte is a
 * switch. Prints the CPU time of the two per switch in ns, which does not depend on other processes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double used(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + (double)(u.ru_utime.tv_usec +
		u.ru_stime.tv_usec) * 1e3;
}

static void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, start;
	int there[2], back[2];
	unsigned long n = 0;
	cpu_set_t one;
	pid_t child;
	char c = 'x';

	CPU_ZERO(&one);
	CPU_SET(argc > 2 ? atoi(argv[2]) : 0, &one);
	if (sched_setaffinity(0, sizeof one, &one) || pipe(there) || pipe(back)) {
		perror("pingpong");
		return 1;
	}
	child = fork();
	if (child == 0) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	for (start = now(); now() - start < seconds; n++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			break;
	close(there[1]);
	waitpid(child, NULL, 0);
	printf("%.1f\n", (used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)) / (2 * (double)n));
	return 0;
}
