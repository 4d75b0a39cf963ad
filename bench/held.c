/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * held PROCESSES RATE SECONDS DEPTH: processes that each call getppid() RATE times a second for SECONDS, from a stack
 * of DEPTH frames; prints how often all of them did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void calls(double rate, double seconds)
{
	double begun = now();

	for (long i = 0; i < (long)(rate * seconds); i++) {
		syscall(SYS_getppid);
		while (now() - begun < (double)i / rate)
			;
	}
}

__attribute__((noinline)) static int deep(int depth, double rate, double seconds)
{
	volatile int below = 0;

	if (depth > 0)
		below = deep(depth - 1, rate, seconds);
	else
		calls(rate, seconds);
	return below + 1;
}

int main(int argc, char **argv)
{
	int n = argc == 5 ? atoi(argv[1]) : 0;
	double rate = n ? atof(argv[2]) : 0, seconds = n ? atof(argv[3]) : 0;

	if (!n) {
		fprintf(stderr, "usage: held PROCESSES RATE SECONDS DEPTH\n");
		return 2;
	}
	for (int i = 0; i < n; i++)
		if (!fork())
			_exit(deep(atoi(argv[4]), rate, seconds) < 0);
	while (wait(NULL) > 0)
		;
	printf("%ld\n", n * (long)(rate * seconds));
	return 0;
}
