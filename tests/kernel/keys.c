/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes events with known keys: `keys THREADS ROUNDS KEYS [STRIDE]` calls getpriority(77, key), which fails at once, in
 * THREADS threads, ROUNDS times for each of the keys 0, STRIDE (1), 2 * STRIDE, ... So each key occurs THREADS * ROUNDS
 * times. The threads start together, each at another key.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WHICH = 77, MOST = 64 };

static pthread_barrier_t begin;
static unsigned long threads, rounds, keys, stride = 1, first[MOST];

static void *run(void *arg)
{
	unsigned long from = *(const unsigned long *)arg;

	pthread_barrier_wait(&begin);
	for (unsigned long r = 0; r < rounds; r++)
		for (unsigned long i = 0; i < keys; i++)
			syscall(SYS_getpriority, WHICH, (from + i) % keys * stride);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[MOST];

	if (argc < 4)
		return 2;
	threads = strtoul(argv[1], NULL, 0);
	rounds = strtoul(argv[2], NULL, 0);
	keys = strtoul(argv[3], NULL, 0);
	if (argc > 4)
		stride = strtoul(argv[4], NULL, 0);
	if (!threads || threads > MOST || !keys)
		return 2;
	pthread_barrier_init(&begin, NULL, (unsigned)threads);
	for (unsigned long i = 0; i < threads; i++) {
		first[i] = i * (keys / threads);
		if (pthread_create(&id[i], NULL, run, &first[i]))
			return 1;
	}
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
