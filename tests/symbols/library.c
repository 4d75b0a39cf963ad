/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The shared object of chain.c: spins in a function that it exports and in one that it does not. */
#include <time.h>

unsigned long library_spin(double until);

static __attribute__((noinline)) unsigned long hidden_loop(unsigned long n)
{
	volatile unsigned long sum = n;

	for (int i = 0; i < 1000000; i++)
		sum++;
	return sum;
}

unsigned long library_spin(double until)
{
	struct timespec ts;
	unsigned long n = 0;

	do {
		n = hidden_loop(n) + 1;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while ((double)ts.tv_sec + (double)ts.tv_nsec / 1e9 < until);
	return n;
}
