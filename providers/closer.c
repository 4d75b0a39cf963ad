/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/closer.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void *close_some(void *arg)
{
	struct closer *c = arg;
	size_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->uprobes.n) {
		close(c->uprobes.fd[i]);
		atomic_fetch_add(&c->closed, 1);
	}
	return NULL;
}

void closer_start(struct closer *c, struct links *u)
{
	sigset_t all, before;

	c->uprobes = *u;
	*u = (struct links){ 0 };
	atomic_store(&c->next, 0);
	atomic_store(&c->closed, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (c->n < CLOSER_THREADS && c->n < c->uprobes.n &&
	       !pthread_create(&c->thread[c->n], NULL, close_some, c))
		c->n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!c->n)
		close_some(c);
}

bool closer_busy(const struct closer *c)
{
	return atomic_load(&c->closed) < c->uprobes.n;
}

void closer_wait(struct closer *c)
{
	while (c->n)
		pthread_join(c->thread[--c->n], NULL);
	free(c->uprobes.fd);
	c->uprobes = (struct links){ 0 };
	atomic_store(&c->closed, 0);
}
