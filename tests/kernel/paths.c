/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paths SECONDS: spins, each fraction of a millisecond at the end of another path of calls, of 2^12 that there are, for so many
 * seconds of CPU time. Its stacks hardly ever repeat.
 */
#include <stdlib.h>
#include <time.h>

enum { DEPTH = 12, TURNS = 20000 };

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
	volatile unsigned r = !depth ? spin(TURNS) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1, depth - 1);

	return r + 1;
}

__attribute__((noinline)) static unsigned left(unsigned path, unsigned depth)
{
	volatile unsigned r = !depth ? spin(TURNS) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1, depth - 1);

	return r + 2;
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atol(argv[1]) : 1) * CLOCKS_PER_SEC;

	for (unsigned path = 0; clock() < end; path++)
		left(path, DEPTH);
	return 0;
}
