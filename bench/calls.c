/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls COUNT KEYS FILE: on every CPU a process makes COUNT cheap system calls: close() of one descriptor number after
 * the other, of KEYS numbers that no file has. Writes to FILE the wall-clock time of a call in ns and the time of the
 * end (CLOCK_MONOTONIC, ns). bench/cost compares tracers of these calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/jobs.h"

enum { FIRST = 1 << 30 };	/* no process can have so many files */

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Starts when the pipe's last writer closes it. */
static void call(int start, unsigned long count, unsigned keys)
{
	unsigned key = 0;
	char c;

	if (read(start, &c, 1) != 0)
		_exit(1);
	for (unsigned long i = 0; i < count; i++) {
		close(FIRST + (int)key);
		if (++key == keys)
			key = 0;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 4 ? strtoul(argv[1], NULL, 0) : 0;
	long ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	int start[2], status, failed = 0;
	double from, to;
	FILE *f;

	if (!count || pipe(start)) {
		fprintf(stderr, "usage: calls COUNT KEYS FILE\n");
		return 2;
	}
	for (int cpu = 0; cpu < ncpu; cpu++) {
		if (job_fork_on(cpu) == 0) {
			close(start[1]);
			call(start[0], count, (unsigned)atoi(argv[2]));
		}
	}
	usleep(100000);		/* the processes are waiting */
	from = now_ns();
	close(start[1]);
	for (int cpu = 0; cpu < ncpu; cpu++)
		failed |= wait(&status) < 0 || status;
	to = now_ns();
	f = fopen(argv[3], "w");
	if (failed || !f)
		return 1;
	fprintf(f, "%.2f %.0f\n", (to - from) / (double)count, to);
	return fclose(f) ? 1 : 0;
}
