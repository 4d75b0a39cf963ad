/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * together [PROCESSES [THREADS]]: processes whose threads end at the same time, on different CPUs if there are several.
 * Each thread waits in a loop until all have started and ends itself, not the process.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SPINS = 100000 };

static atomic_int missing;

static void *end(void *arg)
{
	atomic_fetch_sub(&missing, 1);
	for (int i = 0; atomic_load(&missing) > 0; i++) {
		if (i > SPINS)	/* the others may need this CPU */
			sched_yield();
	}
	syscall(SYS_exit, 0);
	return arg;
}

static void process(int threads)
{
	pthread_t t;

	missing = threads;
	for (int i = 1; i < threads; i++) {
		if (pthread_create(&t, NULL, end, NULL))
			_exit(1);
	}
	end(NULL);
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 200, threads = argc > 2 ? atoi(argv[2]) : 2, status = 1;

	for (int i = 0; i < processes; i++) {
		pid_t p = fork();

		if (!p)
			process(threads);
		if (p < 0 || waitpid(p, &status, 0) != p || status)
			return 1;
	}
	printf("%d\n", processes);
	return 0;
}
