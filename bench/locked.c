/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * locked COUNT FILE: locks and unlocks a mutex that nobody else wants, COUNT times, in ROUNDS rounds. Writes the CPU
 * time of a turn in ns to FILE: the median of the rounds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 21 };

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[1], NULL, 0) / ROUNDS : 0;
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	double ns[ROUNDS];
	FILE *f;

	if (!count) {
		fprintf(stderr, "usage: locked COUNT FILE\n");
		return 2;
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		double from = cpu_ns();

		for (unsigned long k = 0; k < count; k++) {
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
		}
		ns[i] = (cpu_ns() - from) / (double)count;
	}
	qsort(ns, ROUNDS, sizeof *ns, compare);
	f = fopen(argv[2], "w");
	if (!f)
		return 1;
	fprintf(f, "%.1f\n", ns[ROUNDS / 2]);
	return fclose(f) ? 1 : 0;
}
