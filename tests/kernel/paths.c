/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paths SECONDS: goes down 2^12 paths of calls at random and spins for some microseconds at the end of each, for so
 * many seconds of CPU time. From one sample to the next it has been on hundreds of paths, so that its stacks hardly
 * ever repeat.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { DEPTH = 12, TURNS = 2000, AT_ONCE = 64 };

static unsigned left(unsigned path, unsigned depth);

static unsigned spin(unsigned n)
{
	volatile unsigned turns = 0;

	while (turns < n)
		turns++;
	return turns;
}

__attribute__((noinline)) static unsigned right(unsigned path, unsigned depth)
{
	volatile unsigned r = !depth ? spin(TURNS) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1,
		depth - 1);

	return r + 1;
}

__attribute__((noinline)) static unsigned left(unsigned path, unsigned depth)
{
	volatile unsigned r = !depth ? spin(TURNS) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1,
		depth - 1);

	return r + 2;
}

static unsigned next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (unsigned)(*random >> 20);
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atol(argv[1]) : 1) * CLOCKS_PER_SEC;
	uint64_t random = 88172645463325252u;

	while (clock() < end)	/* seldom: samples should not find it there */
		for (int i = 0; i < AT_ONCE; i++)
			left(next(&random), DEPTH);
	return 0;
}
