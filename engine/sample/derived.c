/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/derived.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"

enum { SHARE = 50 };	/* reading times takes at most 1/SHARE of a CPU */
#define REFRESH_NS 100000000ull

void derived_refresh_task(struct task *t, uint64_t now)
{
	if (t->more_at && now - t->more_at < REFRESH_NS)
		return;
	if (task_more(t, false))
		t->more_at = now;
}

/* The kernel may have counted the time of a running thread only up to the last tick. `now` is slightly older than the
 * count. */
static void task_clock(struct task *t, uint64_t now, bool first)
{
	uint64_t ran = t->base + t->ran, most = t->clock + (now - t->read);

	t->clock = first || ran < most ? ran : most;
}

static void task_read(struct task *t, uint64_t now)
{
	uint64_t ns;
	bool counter = t->counter >= 0;

	if (counter ? read(t->counter, &ns, sizeof ns) == sizeof ns : task_ran(t, &ns)) {
		t->ran = ns > t->base ? ns - t->base : 0;
		task_clock(t, now, !t->read);
		t->read = now;
	} else if (!counter && !t->family) {
		t->ended = true;	/* there is no other way to detect its end */
	}
}

void derived_init(struct derived *o, struct arena *a, struct tasks *ts, const uint64_t *interval, unsigned n)
{
	*o = (struct derived){
		.tasks = ts, .interval = interval, .nrates = n, .left = arena_calloc(a, n, sizeof *o->left),
	};
}

void derived_begin(struct derived *o, uint64_t now, uint64_t least)
{
	for (struct task *t = o->tasks->first; t && o->on; t = t->newer)
		if (t->counter < 0 && !task_ran(t, &t->base))
			t->base = 0;
	o->every = o->least = least;
	o->counted = now;
	o->begun = clock_read(CLOCK_BOOTTIME);
}

void derived_found(const struct derived *o, struct task *t)
{
	const uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t ran;

	if (task_stat(t) && t->more.start_time + tick < o->begun && task_ran(t, &ran))
		t->base = ran;
}

void derived_read(struct derived *o, bool last)
{
	uint64_t now = clock_now(), spent = clock_read(CLOCK_THREAD_CPUTIME_ID);

	if (!last && now - o->counted < o->every)
		return;
	for (struct task *t = o->tasks->first; t && o->on; t = t->newer)
		if (!t->ended || t->counter >= 0)
			task_read(t, now);
	if (o->on && o->settle)
		o->settle(o->arg);
	o->delivering = o->fresh = true;
	o->rate = 0;
	o->time = o->counted = now;
	spent = (clock_read(CLOCK_THREAD_CPUTIME_ID) - spent) * SHARE;
	o->every = spent > o->least ? spent : o->least;
}

/* The firings due for a thread. Each CPU that it ran on has its own timer, which is on average half an interval from
 * its next expiration. */
static double task_due(const struct task *t, uint64_t interval)
{
	int cpus = __builtin_popcountll(t->cpus);
	double due = (double)t->ran / (double)interval - (cpus > 1 ? (cpus - 1) * 0.5 : 0);

	return due > 0 ? due : 0;
}

/* Returns how many firings of a rate the thread lacks now. The fraction that an ended thread leaves is added to the
 * total. */
static uint64_t task_missing(struct derived *o, struct task *t, unsigned rate)
{
	struct task_share *x = &t->share[rate];
	double due = task_due(t, o->interval[rate]) - (double)(x->seen + x->hidden);
	uint64_t n;

	if (!o->on)
		return 0;
	if (t->ended)
		due = o->left[rate] += due;
	n = due >= 1 ? (uint64_t)due : 0;
	if (t->ended)
		o->left[rate] -= (double)n;
	x->hidden += n;
	return n && o->missed ? n - o->missed(o->arg, t, rate, n) : n;
}

static void derived_sample(const struct derived *o, struct task *t, uint64_t n, struct source_item *out)
{
	static const uint64_t frame = SAMPLE_HIDDEN_PC;

	memset(out, 0, sizeof *out);
	if (o->mode == SAMPLE_MODE_UNKNOWN && task_more(t, true))
		t->more_at = o->time;
	else if (o->stat)
		derived_refresh_task(t, o->time);
	out->kind = SOURCE_SAMPLE;
	out->sample.time = o->time;
	out->sample.weight = n;
	out->sample.cpu = t->cpu;
	out->sample.rate = o->rate;
	out->sample.mode = o->mode;
	if (o->timed)
		task_time(t, o->time);
	task_sample(t, &out->sample);
	if (o->mode != SAMPLE_KERNEL)
		return;
	out->sample.arg[0] = SAMPLE_HIDDEN_PC;
	out->sample.stack = (struct frames){ .n = 1, .pc = &frame };
	out->sample.depth = 1;
}

/* Moves to the next rate, or else to the next thread. */
static void derived_step(struct derived *o)
{
	struct task *t = o->at;

	if (++o->rate < o->nrates)
		return;
	o->rate = 0;
	o->at = t->newer;
	if (t->ended)
		tasks_remove(o->tasks, t);
}

bool derived_next(struct derived *o, struct source_item *out)
{
	/* not earlier: threads may have been removed since the times were read */
	if (o->fresh)
		o->at = o->tasks->first;
	o->fresh = false;
	while (o->delivering && o->at) {
		struct task *t = o->at;
		uint64_t n;

		n = task_missing(o, t, o->rate);
		if (n)
			derived_sample(o, t, n, out);
		/* derived_step() removes a thread that has ended */
		if (n && t->ended && out->sample.task) {
			o->last = t->more;
			out->sample.task = &o->last;
		}
		derived_step(o);
		if (n)
			return true;
	}
	o->delivering = false;
	return false;
}
