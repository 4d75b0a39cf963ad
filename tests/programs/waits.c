/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * waits mutex|write FILE N: a thread waits N times for a lock of the kernel, and may come too late in other rounds.
 *
 *   mutex	another thread reads the file; this one wants its position, which a mutex protects
 *   write	another thread writes the file; this one writes, too: the semaphore of the inode
 *
 * Both run on one CPU: a thread spins only for a lock whose owner is running. The kernel counts the voluntary switches
 * of a thread, so it knows if it has waited. Prints the nanoseconds that this thread's calls took, those of the calls
 * in which it lost its CPU only by waiting, and in how many rounds it lost its CPU without waiting: it may have been
 * about to wait.
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
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 64 << 20 };

static int fd;
static char *data;
static pthread_barrier_t start;
static const char *what;
static atomic_bool busy, done;

static struct {
	uint64_t all, calm;	/* ns */
	int waited, unclear;	/* rounds */
} result;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Holds the lock for as long as it takes to copy SIZE bytes. */
static void *hold(void *arg)
{
	for (;;) {
		pthread_barrier_wait(&start);
		if (done)
			return arg;
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
}

static void stay(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void wait_once(void)
{
	struct rusage from, to;
	uint64_t took;

	getrusage(RUSAGE_THREAD, &from);
	took = now();
	if (*what == 'm' ? lseek(fd, 0, SEEK_CUR) < 0 : pwrite(fd, data, 1, 0) != 1)
		exit(1);
	took = now() - took;
	getrusage(RUSAGE_THREAD, &to);
	result.all += took;
	if (to.ru_nivcsw == from.ru_nivcsw)
		result.calm += took;
	if (to.ru_nvcsw > from.ru_nvcsw)
		result.waited++;
	else if (to.ru_nivcsw > from.ru_nivcsw)
		result.unclear++;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc != 4)
		return 2;
	stay();
	what = argv[1];
	fd = open(argv[2], O_RDWR);
	data = malloc(SIZE);
	memset(data, 1, SIZE);
	if (fd < 0 || pwrite(fd, data, SIZE, 0) != SIZE)
		return 1;
	pthread_barrier_init(&start, NULL, 2);
	pthread_create(&t, NULL, hold, NULL);
	while (result.waited < atoi(argv[3])) {
		pthread_barrier_wait(&start);
		do
			usleep(1000);
		while (!busy);
		wait_once();
		pthread_barrier_wait(&start);
		pthread_barrier_wait(&start);
	}
	done = true;
	pthread_barrier_wait(&start);
	pthread_join(t, NULL);
	printf("%llu %llu %d\n", (unsigned long long)result.all, (unsigned long long)result.calm, result.unclear);
	return 0;
}
