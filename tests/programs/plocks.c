/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plocks: threads that hold locks of pthreads for a known time while others wait for them. Prints the addresses of the
 * locks, one a line: plain, recursive, rw, cond's mutex, and the nanoseconds that calls which had to wait took.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOLD = 20000, ROUNDS = 5, QUICK = 1000 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static int ready;
static atomic_int wanted;	/* the lock that the main thread is about to wait for */
enum { PLAIN = 1, RW };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Until the main thread sleeps in its call for this lock. */
static void await_waiter(int lock)
{
	char path[64], text[512], *end;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
	for (;;) {
		f = fopen(path, "r");
		n = f ? fread(text, 1, sizeof text - 1, f) : 0;
		if (f)
			fclose(f);
		text[n] = '\0';
		end = strrchr(text, ')');
		if (wanted == lock && end && end[2] == 'S')
			return;
		usleep(1000);
	}
}

/* Has each lock when the main thread wants it, until it has waited for a while. */
static void *hold(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&plain);
		pthread_rwlock_wrlock(&rw);
		pthread_barrier_wait(&start);
		await_waiter(PLAIN);
		usleep(HOLD);
		pthread_mutex_unlock(&plain);
		await_waiter(RW);
		usleep(HOLD);
		pthread_rwlock_unlock(&rw);
		pthread_barrier_wait(&start);
	}
	pthread_barrier_wait(&start);
	usleep(HOLD);
	pthread_mutex_lock(&queue);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&queue);
	return arg;
}

int main(void)
{
	uint64_t mutex = 0, reader = 0, before;
	pthread_mutexattr_t kind;
	pthread_t t;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &kind);
	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < QUICK; i++) {
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		pthread_mutex_unlock(&recursive);
		pthread_mutex_unlock(&recursive);
	}
	pthread_create(&t, NULL, hold, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&start);
		before = now();
		wanted = PLAIN;
		pthread_mutex_lock(&plain);
		mutex += now() - before;
		before = now();
		wanted = RW;
		pthread_rwlock_rdlock(&rw);
		reader += now() - before;
		pthread_rwlock_unlock(&rw);
		pthread_mutex_unlock(&plain);
		pthread_barrier_wait(&start);
	}
	pthread_mutex_lock(&queue);
	pthread_barrier_wait(&start);
	while (!ready)
		pthread_cond_wait(&cond, &queue);
	pthread_mutex_unlock(&queue);
	pthread_join(t, NULL);
	printf("%p %p %p %p %llu %llu\n", (void *)&plain, (void *)&recursive, (void *)&rw, (void *)&queue,
	       (unsigned long long)mutex, (unsigned long long)reader);
	return 0;
}
