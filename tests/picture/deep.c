/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* deep DEPTH MS: DEPTH calls of down(), one within the other, and the innermost spins for MS of its CPU time. */
#include <stdlib.h>
#include <time.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Looks at the clock rarely: samples should be in the loop. */
KEEP static unsigned long spin(double until)
{
	volatile unsigned long n = 0;

	while (now() < until)
		for (int i = 0; i < 1000000; i++)
			n++;
	return n;
}

/* Adding one after the call keeps it from becoming a jump. */
KEEP static unsigned long down(unsigned long depth, double until)
{
	return (depth > 1 ? down(depth - 1, until) : spin(until)) + 1;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	return down(strtoul(argv[1], NULL, 10), now() + atof(argv[2]) / 1000) == 0;
}
