/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spend CALLS MS: procedures with known CPU time. spend() runs for MS milliseconds of its thread's CPU time, 4 times;
 * before each, nothing() is called CALLS / 4 times and main() sleeps. Prints in ns: the time that spend() has certainly
 * run, because the thread was not switched out meanwhile; the time between start and end without a half of the sleep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 4, SLEEP_US = 20000 };

static long begin, ran;

static inline __attribute__((always_inline)) long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

static inline __attribute__((always_inline)) long switches(void)
{
	struct rusage r;

	getrusage(RUSAGE_THREAD, &r);
	return r.ru_nvcsw + r.ru_nivcsw;
}

__attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void spend(long ns)
{
	long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	do {
		long before = switches(), from = now(CLOCK_MONOTONIC), to;

		for (volatile int i = 0; i < 20000; i++)
			;
		to = now(CLOCK_MONOTONIC);
		ran += switches() == before ? to - from : 0;
	} while (now(CLOCK_THREAD_CPUTIME_ID) < end);
}

__attribute__((constructor)) static void start(void)
{
	begin = now(CLOCK_MONOTONIC);
}

/* After main() has returned. */
__attribute__((destructor)) static void print(void)
{
	printf("least %ld\nmost %ld\n", ran, now(CLOCK_MONOTONIC) - begin - TURNS * SLEEP_US / 2 * 1000l);
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 0, ms = argc > 2 ? atol(argv[2]) : 0;

	for (int turn = 0; turn < TURNS; turn++) {
		for (long i = turn; i < calls; i += TURNS)
			nothing();
		usleep(SLEEP_US);
		spend(ms * 1000000);
	}
	return 0;
}
