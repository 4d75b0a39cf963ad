/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * called COUNT FILE [LOOPS]: calls a function COUNT times, in ROUNDS rounds, and writes the time of a call in ns to
 * FILE: the median of the rounds, by the thread's CPU time. The function does nothing but LOOPS turns of a loop (0).
 * bench/programs.sh compares tracers of that function.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 21 };

#if defined(__x86_64__)
#define SAVED "rbx",
#else
#define SAVED
#endif

/* On x86-64 the kernel emulates its first instruction (push), but not its last one. */
__attribute__((noinline)) void called_plain(unsigned long loops)
{
	for (unsigned long i = 0; i < loops; i++)
		__asm__ volatile("");
	__asm__ volatile("" : : : SAVED "memory");
}

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
	unsigned long count = argc >= 3 ? strtoul(argv[1], NULL, 0) / ROUNDS : 0;
	unsigned long loops = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	double ns[ROUNDS];
	FILE *f;

	if (!count) {
		fprintf(stderr, "usage: called COUNT FILE [LOOPS]\n");
		return 2;
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		double from = cpu_ns();

		for (unsigned long k = 0; k < count; k++)
			called_plain(loops);
		ns[i] = (cpu_ns() - from) / (double)count;
	}
	qsort(ns, ROUNDS, sizeof *ns, compare);
	f = fopen(argv[2], "w");
	if (!f)
		return 1;
	fprintf(f, "%.1f\n", ns[ROUNDS / 2]);
	return fclose(f) ? 1 : 0;
}
