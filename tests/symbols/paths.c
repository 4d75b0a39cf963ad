/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program whose stack changes all the time: random calls of four functions. Usage: paths DEPTH */
#include <stdint.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline))

typedef uint64_t step(int depth, uint64_t random);

static step north, east, south, west;
static step *const way[] = { north, east, south, west };

static KEEP uint64_t arrive(uint64_t random)
{
	volatile uint64_t sum = random;

	for (int i = 0; i < 2000; i++)
		sum += sum * i;
	return sum;
}

/* Adding after the call prevents a tail call. */
#define STEP(name, n)                                                                              \
	static KEEP uint64_t name(int depth, uint64_t random)                                      \
	{                                                                                          \
		return (depth ? way[random & 3](depth - 1, random >> 2) : arrive(random)) + (n);   \
	}
STEP(north, 1)
STEP(east, 2)
STEP(south, 3)
STEP(west, 4)

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 20;
	uint64_t x = 88172645463325252u, sum = 0;

	for (;;) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sum += north(depth, x);
		if (sum == 1)
			return 1;
	}
}
