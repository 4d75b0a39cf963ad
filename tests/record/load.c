/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * load MS: burns MS milliseconds of CPU time, two thirds of it in left(), one third in right(), in slices; then its child, called
 * "load-child", half as much in right(). Prints "NAME MS" for what each has used.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long work;

static uint64_t used(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static void left(unsigned long n)
{
	while (n--)
		work += n;
}

__attribute__((noinline)) static void right(unsigned long n)
{
	while (n--)
		work ^= n;
}

/* Both loops take the same time. They differ: compilers make one function of two that do not. */
static void burn(uint64_t ns, unsigned long lefts, unsigned long rights)
{
	enum { SLICE = 20000 };
	static void (*const volatile part[])(unsigned long) = { left, right };	/* no compiler makes variants of these */

	while (used() < ns) {
		part[0](lefts * SLICE);
		part[1](rights * SLICE);
	}
	printf("%.1f\n", (double)used() / 1e6);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint64_t ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 500) * 1000000;
	pid_t pid;

	printf("load ");
	burn(ns, 2, 1);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "load-child");
		printf("load-child ");
		burn(ns / 2, 0, 1);
		_exit(0);
	}
	return pid < 0 || waitpid(pid, NULL, 0) < 0;
}
