/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/guard.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

enum { ROUND_MS = 250 };

struct guarded {
	int fd;			/* -1: the place is free */
	uint64_t since;		/* of its state, CLOCK_MONOTONIC, ns; 0: it waits for a page */
	bool answers;		/* else its request is not complete */
};

struct guard {
	const struct mhd *mhd;
	pthread_t thread;
	pthread_mutex_t lock;	/* protects the following */
	pthread_cond_t wake;
	bool closing;
	unsigned n, most;
	struct guarded v[];
};

/* Call it with the lock. A connection that is shut down is closed by the daemon. */
static void end_late(struct guard *g)
{
	const uint64_t now = clock_now();

	for (unsigned i = 0; i < g->most; i++) {
		struct guarded *c = &g->v[i];
		uint64_t limit = g->n == g->most ? GUARD_FULL_NS : c->answers ? GUARD_ANSWER_NS : GUARD_REQUEST_NS;

		if (c->fd >= 0 && c->since && now - c->since > limit)
			shutdown(c->fd, SHUT_RDWR);
	}
}

static void *watch(void *arg)
{
	struct guard *g = arg;
	struct timespec t;

	pthread_mutex_lock(&g->lock);
	while (!g->closing) {
		end_late(g);
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += ROUND_MS * 1000000l;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&g->wake, &g->lock, &t);
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

struct guard *guard_open(const struct mhd *mhd, unsigned most)
{
	struct guard *g = calloc(1, sizeof *g + most * sizeof *g->v);

	if (!g)
		return NULL;
	g->mhd = mhd;
	g->most = most;
	for (unsigned i = 0; i < most; i++)
		g->v[i].fd = -1;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->wake, NULL);
	if (!pthread_create(&g->thread, NULL, watch, g))
		return g;
	free(g);
	return NULL;
}

void guard_close(struct guard *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->closing = true;
	pthread_cond_signal(&g->wake);
	pthread_mutex_unlock(&g->lock);
	pthread_join(g->thread, NULL);
	pthread_cond_destroy(&g->wake);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static void set_state(struct guard *g, struct MHD_Connection *c, bool answers, uint64_t since)
{
	void *const *place = g->mhd->info(c, MHD_INFO_CONTEXT);
	struct guarded *x = place ? *place : NULL;

	if (!x)
		return;
	pthread_mutex_lock(&g->lock);
	x->answers = answers;
	x->since = since;
	pthread_mutex_unlock(&g->lock);
}

void guard_waits(struct guard *g, struct MHD_Connection *c)
{
	set_state(g, c, false, 0);
}

void guard_answers(struct guard *g, struct MHD_Connection *c)
{
	set_state(g, c, true, clock_now());
}

void guard_completed(void *guard, struct MHD_Connection *c, void **state, int how)
{
	(void)state, (void)how;
	set_state(guard, c, false, clock_now());
}

void guard_connection(void *guard, struct MHD_Connection *c, void **context, int event)
{
	struct guard *g = guard;
	const int *fd = g->mhd->info(c, MHD_INFO_FD);
	struct guarded *x = *context;

	pthread_mutex_lock(&g->lock);
	if (event == MHD_CONNECTION_CLOSED && x) {
		x->fd = -1;
		g->n--;
	} else if (event == MHD_CONNECTION_STARTED && fd) {
		for (x = g->v; x < g->v + g->most && x->fd >= 0; x++)
			;
		if (x < g->v + g->most) {
			*x = (struct guarded){ .fd = *fd, .since = clock_now() };
			*context = x;
			g->n++;
		}
	}
	pthread_mutex_unlock(&g->lock);
}
