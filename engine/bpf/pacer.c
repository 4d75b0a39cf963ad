/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/pacer.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Calls `pace` for all probes that are due. Returns the next due time; UINT64_MAX = none. */
static uint64_t round_once(struct pacer *p)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < p->prog->probes.n; i++) {
		struct probe *probe = p->prog->probes.v[i].probe;
		uint64_t now = clock_now();

		if (!p->due[i])
			continue;
		if (p->due[i] <= now)
			p->due[i] = probe->prov->clock->pace(probe, now);
		if (p->due[i] && p->due[i] < next)
			next = p->due[i];
	}
	return next;
}

static void *pacer_main(void *arg)
{
	struct pacer *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		uint64_t next = round_once(p);
		struct timespec ts = clock_until(next);

		if (next == UINT64_MAX)
			pthread_cond_wait(&p->change, &p->lock);
		else
			pthread_cond_timedwait(&p->change, &p->lock, &ts);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int start_thread(struct pacer *p)
{
	pthread_condattr_t attr;
	sigset_t all, old;
	int err;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->change, &attr);
	pthread_condattr_destroy(&attr);
	/* signals must end the consumer's wait, so this thread blocks them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&p->thread, NULL, pacer_main, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	p->running = !err;
	p->owner = getpid();
	return -err;
}

int pacer_start(struct pacer *p, struct arena *a, const struct d_prog *prog)
{
	bool any = false;

	*p = (struct pacer){ .prog = prog, .due = arena_calloc(a, prog->probes.n + 1, sizeof *p->due) };
	for (size_t i = 0; i < prog->probes.n; i++) {
		const struct provider_clock *clock = prog->probes.v[i].probe->prov->clock;

		p->due[i] = clock && clock->pace;
		any |= p->due[i];
	}
	return any ? start_thread(p) : 0;
}

void pacer_stop(struct pacer *p)
{
	if (p->owner != getpid())
		p->running = false;
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->change);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
	p->running = false;
}

void pacer_lock(struct pacer *p)
{
	if (p->running)
		pthread_mutex_lock(&p->lock);
}

void pacer_unlock(struct pacer *p)
{
	if (p->running)
		pthread_mutex_unlock(&p->lock);
}
