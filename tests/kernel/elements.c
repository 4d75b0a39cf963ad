/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes system calls that a script counts by thread or by argument:
 *
 *	elements threads N M	twice: N threads that exist at the same time call getpgid(0) M times each
 *	elements keys K M	two threads: each calls getpgid() M times with each of its own K arguments; one of the
 *				arguments is -1
 *	elements exec FILE	a thread that is not the first one executes FILE
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 2, STACK = 64 << 10, KEY_THREADS = 2 };

struct caller {
	pthread_t id;
	long first, keys, calls;
	pthread_barrier_t *all;
};

/* Every thread has started before any calls, and none ends before all have called. */
static void *work(void *arg)
{
	struct caller *w = arg;

	pthread_barrier_wait(w->all);
	for (long i = 0; i < w->calls; i++)
		for (long k = w->first; k < w->first + w->keys; k++)
			syscall(SYS_getpgid, k);
	pthread_barrier_wait(w->all);
	return NULL;
}

static int run(struct caller *w, long n)
{
	pthread_barrier_t all;
	pthread_attr_t attr;
	int err = 0;

	if (pthread_barrier_init(&all, NULL, (unsigned)n) || pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, STACK))
		return 1;
	for (long i = 0; i < n && !err; i++) {
		w[i].all = &all;
		err = pthread_create(&w[i].id, &attr, work, &w[i]);
	}
	if (err) {
		fprintf(stderr, "pthread_create: %s\n", strerror(err));
		return 1;	/* the process ends with its threads */
	}
	for (long i = 0; i < n; i++)
		pthread_join(w[i].id, NULL);
	pthread_attr_destroy(&attr);
	pthread_barrier_destroy(&all);
	return 0;
}

static int run_all(int argc, char **argv)
{
	bool keys = argc == 4 && !strcmp(argv[1], "keys");
	long n = argc == 4 ? atol(argv[2]) : 0, calls = argc == 4 ? atol(argv[3]) : 0, count = keys ? KEY_THREADS : n;
	struct caller *w = n > 0 ? calloc((size_t)count, sizeof *w) : NULL;
	int err = !w;

	for (long i = 0; w && i < count; i++)
		w[i] = keys ? (struct caller){ .first = i * n - 1, .keys = n, .calls = calls }
			    : (struct caller){ .keys = 1, .calls = calls };
	for (int round = 0; !err && round < (keys ? 1 : ROUNDS); round++)
		err = run(w, count);
	free(w);
	return err;
}

static void *execute(void *file)
{
	execl(file, file, (char *)NULL);
	perror(file);
	exit(1);
}

int main(int argc, char **argv)
{
	pthread_t id;

	if (argc == 3 && !strcmp(argv[1], "exec"))
		return pthread_create(&id, NULL, execute, argv[2]) || pthread_join(id, NULL);
	return run_all(argc, argv);
}
