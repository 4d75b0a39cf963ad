/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * waits mutex|write FILE ROUNDS: a thread waits for a lock of the kernel, once in each round.
 *
 *   mutex	another thread reads the file; this one wants its position, which a mutex protects
 *   write	another thread writes the file; this one writes, too: the semaphore of the inode
 *
 * Both run on one CPU: a thread spins only for a lock whose owner is running. Prints the nanoseconds that this thread's
 * calls took.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 64 << 20 };

static int fd;
static char *data;
static pthread_barrier_t start;
static const char *what;
static int rounds;
static atomic_bool busy;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Holds the lock for as long as it takes to copy SIZE bytes. */
static void *hold(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&start);
		lseek(fd, 0, SEEK_SET);
		busy = true;
		if (*what == 'm') {
			if (read(fd, data, SIZE) != SIZE)
				exit(1);
		} else if (pwrite(fd, data, SIZE, 0) != SIZE) {
			exit(1);
		}
		pthread_barrier_wait(&start);
		busy = false;
		pthread_barrier_wait(&start);
	}
	return arg;
}

static void stay(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	pthread_t t;

	if (argc != 4)
		return 2;
	stay();
	what = argv[1];
	rounds = atoi(argv[3]);
	fd = open(argv[2], O_RDWR);
	data = malloc(SIZE);
	memset(data, 1, SIZE);
	if (fd < 0 || pwrite(fd, data, SIZE, 0) != SIZE)
		return 1;
	pthread_barrier_init(&start, NULL, 2);
	pthread_create(&t, NULL, hold, NULL);
	for (int i = 0; i < rounds; i++) {
		uint64_t before;

		pthread_barrier_wait(&start);
		do
			usleep(1000);
		while (!busy);
		before = now();
		if (*what == 'm' ? lseek(fd, 0, SEEK_CUR) < 0 : pwrite(fd, data, 1, 0) != 1)
			return 1;
		sum += now() - before;
		pthread_barrier_wait(&start);
		pthread_barrier_wait(&start);
	}
	pthread_join(t, NULL);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
