/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/progress.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

#define SEC 1000000000ull

static void *progress_run(void *arg)
{
	struct progress *p = arg;
	uint64_t begun = clock_now(), next = begun + p->delay;
	bool said = false;
	char text[128];

	pthread_mutex_lock(&p->lock);
	while (!p->done) {
		struct timespec until = clock_until(next);

		if (!pthread_cond_timedwait(&p->cond, &p->lock, &until) || p->done)
			continue;
		snprintf(text, sizeof text, "%s ... %llu s", p->what,
			 (unsigned long long)((clock_now() - begun) / SEC));
		p->show(p->arg, text);
		said = true;
		next = clock_now() + p->delay;
	}
	pthread_mutex_unlock(&p->lock);
	if (said)
		p->show(p->arg, "");
	return NULL;
}

void progress_begin(struct progress *p, void (*show)(void *arg, const char *text), void *arg, const char *what,
		    uint64_t delay)
{
	pthread_condattr_t attr;
	sigset_t all, before;

	*p = (struct progress){ .show = show, .arg = arg, .what = what, .delay = delay };
	if (!show || pthread_condattr_init(&attr))
		return;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->cond, &attr);
	pthread_condattr_destroy(&attr);
	/* other threads handle signals */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	p->running = !pthread_create(&p->thread, NULL, progress_run, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(struct progress *p)
{
	if (!p->running)
		return;
	pthread_mutex_lock(&p->lock);
	p->done = true;
	pthread_cond_signal(&p->cond);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->cond);
	pthread_mutex_destroy(&p->lock);
	p->running = false;
}
