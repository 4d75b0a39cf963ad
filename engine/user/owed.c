/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/user/perf_owed.h"

#include <unistd.h>

#define COUNT_NS 100000000ull	/* times are read so often, ... */
#define COUNT_SHARE 100		/* ... but at most this part of the time goes into it */
#define REFRESH_NS 100000000ull

void owed_refresh_task(struct task *t, uint64_t now)
{
	if (t->more_at && now - t->more_at < REFRESH_NS)
		return;
	if (task_stat(t) || !t->more_at)
		t->more_at = now;
}

static void task_read(struct task *t)
{
	uint64_t ns;

	if (t->counter >= 0 ? read(t->counter, &ns, sizeof ns) == sizeof ns : task_ran(t, &ns))
		t->ran = ns > t->base ? ns - t->base : 0;
}

void owed_begin(struct sample_source *s)
{
	for (struct task *t = s->tasks.first; t; t = t->newer)
		if (t->counter < 0 && !task_ran(t, &t->base))
			t->base = 0;
	s->count_every = COUNT_NS;
	s->counted = perf_clock();
}

void owed_read(struct sample_source *s, uint64_t now)
{
	uint64_t took;

	if (!s->stopped && now - s->counted < s->count_every)
		return;
	for (struct task *t = s->tasks.first; t && s->hidden; t = t->newer)
		if (!t->ended || t->counter >= 0)
			task_read(t);
	s->counted = perf_clock();
	took = (s->counted - now) * COUNT_SHARE;
	s->count_every = took > COUNT_NS ? took : COUNT_NS;
	s->owing = true;
	s->owe = s->tasks.first;
	s->owe_rate = 0;
}

void owed_ended(struct sample_source *s, uint32_t tid, uint64_t ns)
{
	struct task *t = tasks_find(&s->tasks, tid);

	if (t)
		t->final += ns;
}

/* Each CPU that the thread was on has its own timer, half an interval behind on average. */
static double task_due(const struct task *t, uint64_t interval)
{
	int cpus = __builtin_popcountll(t->cpus);
	double due = (double)t->ran / (double)interval - (cpus > 1 ? (cpus - 1) * 0.5 : 0);

	return due > 0 ? due : 0;
}

/* How many firings of a rate the thread is owed now; what an ended one leaves goes to all. */
static uint64_t task_owed(struct sample_source *s, struct task *t, unsigned rate)
{
	struct task_share *x = &t->share[rate];
	double due = task_due(t, s->interval[rate]), owed = due - (double)(x->seen + x->hidden);
	uint64_t n = owed >= 1 ? (uint64_t)owed : 0;

	if (!s->hidden)
		return 0;
	x->hidden += n;
	if (t->ended) {
		s->left[rate] += owed - (double)n;
		if (s->left[rate] >= 1) {
			s->left[rate] -= 1;
			n++;
		}
	}
	return n;
}

static void hidden_sample(const struct sample_source *s, const struct task *t, unsigned rate, uint64_t n, struct source_item *out)
{
	static const uint64_t frame = SAMPLE_HIDDEN_PC;

	*out = (struct source_item){ .kind = SOURCE_SAMPLE };
	out->sample.time = s->time;
	out->sample.weight = n;
	out->sample.cpu = t->cpu;
	out->sample.rate = rate;
	out->sample.mode = SAMPLE_KERNEL;
	out->sample.arg[0] = SAMPLE_HIDDEN_PC;
	out->sample.stack = (struct frames){ 1, &frame };
	out->sample.depth = 1;
	task_sample(t, &out->sample);
}

bool owed_next(struct sample_source *s, struct source_item *out)
{
	while (s->owing && s->owe) {
		struct task *t = s->owe;
		uint64_t n;

		if (t->ended && t->counter < 0 && t->final)
			t->ran = t->final;
		if (s->owe_rate == s->nrates) {
			s->owe_rate = 0;
			s->owe = t->newer;
			if (t->ended)
				tasks_remove(&s->tasks, t);
			continue;
		}
		n = task_owed(s, t, s->owe_rate++);
		if (n) {
			s->delivered[s->owe_rate - 1] += n;
			hidden_sample(s, t, s->owe_rate - 1, n, out);
			return true;
		}
	}
	s->owing = false;
	return false;
}
