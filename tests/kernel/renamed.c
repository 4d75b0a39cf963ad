/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * renamed N [SLEEPERS]: executes itself N times, each time by another thread than the first one, while two more threads
 * compute, or while SLEEPERS doze, after a random time. Prints the CPU time of the process in ms ("ran").
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char **words;

static void *execute(void *arg)
{
	(void)arg;
	execv("/proc/self/exe", words);
	_exit(1);
}

static void *doze(void *arg)
{
	for (;;)
		usleep(500);
	return arg;
}

static void *compute(void *arg)
{
	for (volatile unsigned long n = 0;; n++)
		;
	return arg;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0, sleepers = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	char left[24];
	struct timespec ts;
	pthread_t t;

	if (n <= 0) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
		printf("ran %ld\n", ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
		return 0;
	}
	snprintf(left, sizeof left, "%ld", n - 1);
	argv[1] = left;
	words = argv;
	for (long i = 0; i < (sleepers ? sleepers : 2); i++)
		if (pthread_create(&t, NULL, sleepers ? doze : compute, NULL))
			return 1;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	usleep(500 + (sleepers ? (unsigned)ts.tv_nsec / 1000 % 3000 : 0));
	if (pthread_create(&t, NULL, execute, NULL))
		return 1;
	pthread_join(t, NULL);
	return 1;
}
