/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/deep.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"

void top_deep_init(struct top_deep *d, struct arena *a, unsigned n_keys)
{
	const struct dtr_agg agg = { .name = "stacks", .function = "count", .n_keys = n_keys };

	pthread_mutex_init(&d->lock, NULL);
	top_table_init(&d->table, a, &agg);
}

void top_deep_lock(struct top_deep *d)
{
	pthread_mutex_lock(&d->lock);
}

void top_deep_unlock(struct top_deep *d)
{
	pthread_mutex_unlock(&d->lock);
}

/* ---- in the thread ---- */

static void deep_message(void *arg, const char *text)
{
	struct top_deep *d = arg;

	top_deep_lock(d);
	buf_puts(&d->messages, text);
	top_deep_unlock(d);
}

static void deep_oom(void *arg)
{
	struct arena *a = ((struct top_deep *)arg)->table.arena;

	a->oom(a->oom_arg);
}

/* Naming the frames, which takes long, has been done without the lock. */
static int deep_row(void *arg, const struct dtr_row *row)
{
	struct top_deep *d = arg;

	top_deep_lock(d);
	top_table_add(&d->table, row);
	top_deep_unlock(d);
	return 0;
}

static int deep_read(struct top_deep *d)
{
	int r = dtr_snapshot(d->session);

	top_deep_lock(d);
	top_table_begin(&d->table, 1);
	top_deep_unlock(d);
	if (!r)
		r = dtr_agg_rows(d->session, 0, deep_row, d);
	top_deep_lock(d);
	top_table_end(&d->table);
	d->readings++;
	top_deep_unlock(d);
	return r;
}

static bool deep_is(struct top_deep *d, const bool *what)
{
	bool is;

	top_deep_lock(d);
	is = *what;
	top_deep_unlock(d);
	return is;
}

/* Reads when rows show stacks, but spends at most a tenth of the time on that. */
static void deep_run(struct top_deep *d)
{
	enum { SHARE = 10 };
	uint64_t due = 0, began;

	while (!deep_is(d, &d->ending) && dtr_work(d->session) == DTR_MORE) {
		if (!deep_is(d, &d->wanted) || clock_now() < due)
			continue;
		began = clock_now();
		if (deep_read(d) < 0)
			return;
		due = clock_now() + SHARE * (clock_now() - began);
		if (due < began + d->config.period)
			due = began + d->config.period;
	}
}

static void *deep_main(void *arg)
{
	struct top_deep *d = arg;
	struct dtr *t;

	setpriority(PRIO_PROCESS, 0, 0);	/* this thread takes more time than that of the screen */
	t = dtr_open(&d->config.session);
	top_deep_lock(d);
	d->session = t;
	top_deep_unlock(d);
	if (d->config.prepare(d->config.arg, t) == 0 && dtr_compile(t) == 0 && !deep_is(d, &d->ending) &&
	    dtr_go(t) == 0)
		deep_run(d);
	top_deep_lock(d);
	d->session = NULL;
	top_deep_unlock(d);
	dtr_close(t);
	return NULL;
}

/* ---- in the thread of the screen ---- */

static void deep_start(struct top_deep *d)
{
	sigset_t all, before;

	d->config.session.message = deep_message;
	d->config.session.oom = deep_oom;
	d->config.session.arg = d;
	d->config.session.out = NULL;
	/* signals are for the thread that watches for them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	d->started = !pthread_create(&d->thread, NULL, deep_main, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!d->started)
		deep_message(d, "failed to start a thread\n");
}

void top_deep_want(struct top_deep *d, bool wanted)
{
	top_deep_lock(d);
	d->wanted = wanted;
	top_deep_unlock(d);
	if (wanted && !d->started)
		deep_start(d);
}

bool top_deep_news(struct top_deep *d, struct buf *out)
{
	bool changed;

	top_deep_lock(d);
	changed = d->readings != d->reported;
	d->reported = d->readings;
	buf_put(out, d->messages.data, d->messages.len);
	buf_reset(&d->messages);
	top_deep_unlock(d);
	return changed;
}

void top_deep_close(struct top_deep *d)
{
	if (!d->table.name)
		return;
	top_deep_lock(d);
	d->ending = true;
	if (d->session && !dtr_cancel(d->session))
		dtr_stop(d->session);
	top_deep_unlock(d);
	if (d->started)
		pthread_join(d->thread, NULL);
	pthread_mutex_destroy(&d->lock);
	top_table_free(&d->table);
	buf_free(&d->messages);
	*d = (struct top_deep){ 0 };
}
