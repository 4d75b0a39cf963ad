/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process with more threads or mappings than a tracer expects, which works in a known chain of functions.
 *
 *	crowd threads N	N threads that are alive at the same time; one after the other works for a moment, 10 calls
 *			below `deep`
 *	crowd maps N	N mappings that the kernel does not merge; one thread works. Half of them are executable
 *
 * It prints "ready" when all of them are there, works until it is ended, and prints nothing else. Exit status 1 with a
 * message if something failed; 77 if the system does not allow that many.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

enum { DEPTH = 10, STACK = 64 << 10, TURN = 300 /* us of work */, PAGE = 4096 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- the chain ---- */
static volatile uint64_t sum;

KEEP static void work(void)
{
	for (int i = 0; i < 20000; i++)
		sum += (uint64_t)i;
}

KEEP static void deep(int left)
{
	if (left)
		deep(left - 1);
	else
		work();
	__asm__ volatile("");
}

KEEP static void turn(void)
{
	for (uint64_t end = now() + TURN; now() < end;) {
		deep(DEPTH);
		__asm__ volatile("");
	}
}

/* ---- threads ---- */
struct seat {
	pthread_mutex_t lock;		/* held until it is the thread's turn */
	struct seat *next;
};

KEEP static void *run(void *arg)
{
	struct seat *s = arg;

	for (;;) {
		pthread_mutex_lock(&s->lock);
		turn();
		pthread_mutex_unlock(&s->next->lock);
	}
	return NULL;
}

static int threads(size_t n)
{
	struct seat *seat = calloc(n, sizeof *seat);
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (size_t i = 0; seat && i < n; i++) {
		pthread_mutex_init(&seat[i].lock, NULL);
		pthread_mutex_lock(&seat[i].lock);
		seat[i].next = &seat[(i + 1) % n];
	}
	for (size_t i = 0; seat && i < n; i++)
		if ((errno = pthread_create(&id, &attr, run, &seat[i]))) {
			fprintf(stderr, "thread %zu: %s\n", i, strerror(errno));
			return 77;
		}
	if (!seat)
		return 1;
	puts("ready");
	fflush(stdout);
	pthread_mutex_unlock(&seat[0].lock);
	for (;;)
		pause();
}

/* ---- mappings ---- */
static int maps(size_t n)
{
	uint8_t *all = mmap(NULL, n * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		return 77;
	for (size_t i = 0; i < n; i += 2)
		if (mprotect(all + i * PAGE, PAGE, PROT_READ | PROT_EXEC)) {
			fprintf(stderr, "mapping %zu: %s\n", i, strerror(errno));
			return 77;
		}
	puts("ready");
	fflush(stdout);
	for (;;)
		turn();
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (n && !strcmp(argv[1], "threads"))
		return threads(n);
	if (n && !strcmp(argv[1], "maps"))
		return maps(n);
	fprintf(stderr, "usage: crowd threads|maps N\n");
	return 1;
}
