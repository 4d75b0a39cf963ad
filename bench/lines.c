/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program whose lines are counted: lines straight|branches TURNS. Prints the nanoseconds of one turn. The lines of
 * work_straight() follow each other in the bodies of loops; those of work_branches() are mostly calls and conditions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile uint32_t result;
static uint32_t table[64];

static uint32_t __attribute__((noinline)) work_straight(uint32_t seed)
{
	uint32_t a = seed, b = seed ^ 0x9e3779b9, c = 0, d = 1;

	for (int i = 0; i < 64; i++) {
		a += b ^ table[i];
		b = b << 7 | b >> 25;
		c ^= a + d;
		d = d * 5 + c;
		table[i] = d ^ a;
	}
	for (int i = 0; i < 64; i++) {
		uint32_t x = table[i];
		uint32_t y = x * 0x85ebca6b;

		x ^= y >> 13;
		y += x << 3;
		c += y;
		table[i] = x + c;
	}
	return a ^ b ^ c ^ d;
}

static int __attribute__((noinline)) work_branches_length(const char *s)
{
	int n = 0;

	while (s[n])
		n++;
	return n;
}

static int __attribute__((noinline)) work_branches_kind(uint32_t x)
{
	switch (x % 6) {
	case 0:
		return 1;
	case 1:
		return 3;
	case 2:
		if (x & 64)
			return 4;
		break;
	case 3:
		return x & 32 ? 5 : 6;
	default:
		return 7;
	}
	return 0;
}

static uint32_t __attribute__((noinline)) work_branches(uint32_t seed)
{
	char text[16] = "a short text";
	uint32_t sum = 0;

	for (int i = 0; i < 12; i++) {
		if (work_branches_kind(seed + (uint32_t)i) > 3)
			sum += (uint32_t)work_branches_length(text + i % 8);
		else
			sum++;
	}
	return sum;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint32_t (*work)(uint32_t seed) = argc > 1 && !strcmp(argv[1], "straight") ? work_straight : work_branches;
	unsigned turns = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	uint64_t start;

	result = work(0);		/* the first turn reads the code from the file */
	start = now();
	for (unsigned i = 0; i < turns; i++)
		result = work(i);
	printf("%.1f\n", (double)(now() - start) / turns);
	return 0;
}
