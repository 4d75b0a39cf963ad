/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plockcalls: locks of each kind, and calls that fail. Prints the address of each lock and its name. plockcalls.out has
 * the probes of plockstat that fire for them: lock, probe, arg1, arg2, how often.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t check, recursive, robust, pi, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void make(pthread_mutex_t *m, int type, int rob, int prot)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setrobust(&a, rob);
	pthread_mutexattr_setprotocol(&a, prot);
	pthread_mutex_init(m, &a);
}

static void *die(void *arg)
{
	pthread_mutex_lock(&robust);
	return arg;
}

static void *busy(void *arg)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	pthread_mutex_trylock(&plain);			/* EBUSY */
	pthread_mutex_timedlock(&plain, &soon);		/* ETIMEDOUT, blocks */
	pthread_mutex_unlock(&check);			/* EPERM */
	pthread_rwlock_tryrdlock(&rw);			/* EBUSY */
	return arg;
}

int main(void)
{
	pthread_t t;

	make(&check, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	make(&pi, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	for (int i = 0; i < 7; i++) {
		pthread_mutex_lock(&check);
		if (pthread_mutex_lock(&check) != EDEADLK)
			return 1;
		pthread_mutex_unlock(&check);
		pthread_mutex_lock(&pi);
		pthread_mutex_unlock(&pi);
	}
	for (int i = 0; i < 3; i++)
		pthread_mutex_lock(&recursive);
	for (int i = 0; i < 3; i++)
		pthread_mutex_unlock(&recursive);
	pthread_create(&t, NULL, die, NULL);
	pthread_join(t, NULL);
	if (pthread_mutex_lock(&robust) != EOWNERDEAD)
		return 2;
	pthread_mutex_consistent(&robust);
	pthread_mutex_unlock(&robust);
	pthread_mutex_lock(&plain);
	pthread_mutex_lock(&check);
	pthread_rwlock_wrlock(&rw);
	if (pthread_rwlock_wrlock(&rw) != EDEADLK)
		return 3;
	pthread_create(&t, NULL, busy, NULL);
	pthread_join(t, NULL);
	pthread_rwlock_unlock(&rw);
	pthread_mutex_unlock(&check);
	pthread_mutex_unlock(&plain);
	printf("%p check\n%p recursive\n%p robust\n%p pi\n%p plain\n%p rw\n", (void *)&check, (void *)&recursive,
	       (void *)&robust, (void *)&pi, (void *)&plain, (void *)&rw);
	return 0;
}
