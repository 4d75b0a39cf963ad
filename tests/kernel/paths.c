/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paths SECONDS: follows random ones of 2^12 call paths and spins for some microseconds at the end of each, for SECONDS
 * of CPU time. Between two samples it follows hundreds of paths, so hardly any stack repeats.
 * paths calls N: two processes at once follow the first N paths, twice, and call getppid() at the end of each.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 12, TURNS = 2000, AT_ONCE = 64 };

static unsigned left(unsigned path, unsigned depth);

static unsigned spin(unsigned n)
{
	volatile unsigned turns = 0;

	while (turns < n)
		turns++;
	return turns;
}

static unsigned call(unsigned n)
{
	return n + (unsigned)getppid();
}

static unsigned (*at_end)(unsigned n) = spin;

__attribute__((noinline)) static unsigned right(unsigned path, unsigned depth)
{
	volatile unsigned r = !depth ? at_end(TURNS) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1,
		depth - 1);

	return r + 1;
}

__attribute__((noinline)) static unsigned left(unsigned path, unsigned depth)
{
	volatile unsigned r = !depth ? at_end(TURNS) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1,
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

static int calls(unsigned n)
{
	pid_t child = fork();
	int status = 0;

	at_end = call;
	for (unsigned i = 0; i < 2 * n; i++)
		left(i % n, DEPTH);
	if (child == 0)
		_exit(0);
	return wait(&status) != child || status;
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atol(argv[1]) : 1) * CLOCKS_PER_SEC;
	uint64_t random = 88172645463325252u;

	if (argc == 3 && strcmp(argv[1], "calls") == 0 && atoi(argv[2]) > 0)
		return calls((unsigned)atoi(argv[2]));

	while (clock() < end)	/* rarely, so that hardly any sample is here */
		for (int i = 0; i < AT_ONCE; i++)
			left(next(&random), DEPTH);
	return 0;
}
