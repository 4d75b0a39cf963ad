/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program whose functions are inlined in known ways: innermost() into inner(), inner() into middle(), that into
 * outer(), which main() calls through wrapper(), inlined too. The test finds lines by their comments. Runs for as many
 * milliseconds of CPU time as its argument says. */
#include <stdlib.h>
#include <time.h>

#include "tests/symbols/inlined.h"

static volatile unsigned long sum;

static inline __attribute__((always_inline)) unsigned long inner(unsigned long n)
{
	return innermost(n) + 1;	/* line inner */
}

static inline __attribute__((always_inline)) void middle(unsigned long n)
{
	sum += inner(n);	/* line middle */
}

static __attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("");
}

/* It calls a function, so that it has a frame. */
static __attribute__((noinline)) void outer(unsigned long n)
{
	middle(n);	/* line outer */
	nothing();
}

static inline __attribute__((always_inline)) void wrapper(unsigned long n)
{
	outer(n);	/* line wrapper */
	__asm__ volatile("");
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double until = now() + (argc > 1 ? atof(argv[1]) / 1000 : 0);

	while (now() < until)
		for (unsigned long i = 0; i < 1000; i++)
			wrapper(i);	/* line main */
	return sum == 1;
}
