/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shares MS: uses MS milliseconds of CPU time in f, g and h, which alternate in random slices of some 50 us; at the end
 * it prints the time of each in ns, by the thread's own clock, and ("held") the time of slices that took too long: a
 * hypervisor took the CPU away, or interrupts did. Such a slice counts with its planned length, but a profile may have
 * hundreds of samples in it: where "held" is large, the shares of a profile are not those of the program.
 * shares 0: makes a fixed number of calls that take no time.
 * With -DLIBRARY, the functions; with -DPROGRAM, the rest; without both, everything.
 */
#include <stdint.h>

void f(long n), g(long n), h(long n);

#ifndef PROGRAM
__attribute__((noinline)) static void spin(long n)
{
	while (n--)
		__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static long deep(long n)
{
	__asm__ volatile("" : : : "memory");
	return n > 0 ? deep(n - 1) + 1 : 0;
}

#define PART(name, calls, depth)                                 \
	__attribute__((noinline)) void name(long n)                \
	{                                                          \
		for (int i = 0; i < (calls) && !n; i++)              \
			spin(0);                                         \
		if ((depth) && !n)                                   \
			deep(depth);                                     \
		while (n--)                                          \
			__asm__ volatile("" : : "i"(calls) : "memory");  \
	}

PART(f, 1, 0)
PART(g, 2, 3)
PART(h, 5, 7)
#endif

#ifndef LIBRARY
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARTS = 3, SLICE = 50000, HELD = 2000000 };	/* ns */

static uint64_t state = 88172645463325252ull;

static inline __attribute__((always_inline)) uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 11;
}

static inline __attribute__((always_inline)) uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void (*const part[PARTS])(long n) = { f, g, h };

static void use_time(uint64_t end)
{
	static const int of[10] = { 0, 0, 0, 0, 0, 1, 1, 1, 2, 2 };	/* 50, 30, 20 % */
	double speed[PARTS] = { 0.01, 0.01, 0.01 };			/* turns in a ns */
	uint64_t ns[PARTS] = { 0 }, held = 0, last = cpu_ns(), now;

	while (last < end) {
		int i = of[draw() % 10];
		double want = SLICE / 2 + (double)(draw() % SLICE);
		long n = (long)(want * speed[i]) + 1;
		uint64_t took;

		part[i](n);
		now = cpu_ns();
		took = now - last + 1;
		speed[i] = (double)took < 4 * want ? 0.9 * speed[i] + 0.1 * (double)n / (double)took : 0.9 * speed[i];
		ns[i] += took < HELD ? took : (uint64_t)want;
		held += took < HELD ? 0 : took - (uint64_t)want;
		last = now;
	}
	for (int i = 0; i < PARTS; i++)
		printf("%c %llu\n", "fgh"[i], (unsigned long long)ns[i]);
	printf("held %llu\n", (unsigned long long)held);
}

__attribute__((noinline)) static void make_calls(void)
{
	for (int i = 0; i < 100; i++) {
		f(0);
		if (i % 2)
			g(0);
		if (i % 5 == 0)
			h(0);
	}
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 0;

	if (ms)
		use_time((uint64_t)ms * 1000000);
	else
		make_calls();
	return 0;
}
#endif
