/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/firings.h"

#include <string.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/ledger.h"
#include "engine/bpf/load/load.h"
#include "lang/prog.h"

/* An event ended with its CPU (it went offline) if its own run time is shorter than expected by more than these
 * tolerances. */
#define DEAD_NS 1000000
#define DEAD_PART 1000

void firings_init(struct firings *f, struct arena *a, const struct d_prog *p, const struct bpf_loaded *l)
{
	*f = (struct firings){ .prog = p, .loaded = l, .v = arena_calloc(a, p->probes.n + 1, sizeof *f->v) };
	for (size_t i = 0; i < p->probes.n; i++) {
		const struct probe *probe = p->probes.v[i].probe;

		f->v[i].obj = -1;
		if (!probe->prov->clock)
			continue;
		f->v[i].obj = ir_obj_find(p->ir, arena_printf(a, "%s" PROBE_FIRED, probe->name));
		f->v[i].cpu = arena_calloc(a, l->im->par.ncpus, sizeof *f->v[i].cpu);
	}
}

/* Limits a time to the end of the session: no firing is due after that. */
static uint64_t not_after_end(const struct firings *f, uint64_t time)
{
	uint64_t ended = atomic_load(&bpf_words(f->loaded)->ended);

	return ended && ended < time ? ended : time;
}

/* Adds the intervals during which the CPU was offline, or there was no event. */
static void add_away(struct firings_cpu *c, uint64_t from, uint64_t to, enum dtr_loss as)
{
	uint64_t n = to > from && c->period ? (to - from) / c->period : 0;

	c->expected += n;
	c->lost[as] += (int64_t)n;
}

static void add_span(const struct firings *f, struct firings_cpu *c, const struct perf_change *n, bool dead)
{
	uint64_t end = not_after_end(f, n->before), left = dead ? c->after + n->ran : end;

	if (left > end)
		left = end;
	if (left > c->after)
		c->expected += (left - c->after) / c->period;
	if (dead)
		add_away(c, left, end, DTR_LOST_OFFLINE);
}

static void event_ended(struct firings *f, size_t probe, struct firings_cpu *c, const struct perf_change *n)
{
	uint64_t time = n->before - c->after;
	bool dead = n->ran + time / DEAD_PART + DEAD_NS < time;

	if (f->v[probe].due.period)
		c->expected += n->count / f->v[probe].due.period;
	else if (f->ledger)
		ledger_settle(f->ledger, probe, c, n, (struct ledger_end){ not_after_end(f, n->before), dead });
	else
		add_span(f, c, n, dead);
	c->watched += time;
	c->away = n->before;
	c->away_as = n->replaced ? DTR_LOST_STOPPED : DTR_LOST_OFFLINE;
	c->before = c->after = 0;
}

/* A new event. No event of this CPU can fire now, so each firing stands for the period of its own event. */
static void event_opened(struct firings *f, size_t probe, const struct perf_change *n)
{
	struct firings_probe *v = &f->v[probe];
	struct probe *p = f->prog->probes.v[probe].probe;
	struct firings_cpu *c = &v->cpu[n->cpu];
	uint64_t *words, factor;

	v->counts = p->prov->clock->due(p, 0, &v->due) && v->obj >= 0;
	if (!v->counts)
		return;
	factor = probe_slowest(p) > 1 && n->period > v->due.interval ? n->period / v->due.interval : 1;
	words = bpf_cell(f->loaded, (uint32_t)v->obj, (unsigned)n->cpu);
	__atomic_store_n(&words[FIRED_RATE], factor - 1, __ATOMIC_RELAXED);
	__atomic_store_n(&words[FIRED_MORE], factor / 2, __ATOMIC_RELAXED);
	c->period = v->due.interval * factor;
	v->slowed |= factor > 1;
	if (f->ledger && v->due.each_cpu && !v->due.period)
		ledger_watch(f->ledger, probe, v, n);
}

void firings_changed(struct firings *f, size_t probe, const struct perf_change *n)
{
	struct firings_probe *v = &f->v[probe];
	struct firings_cpu *c;

	if (!v->cpu || (unsigned)n->cpu >= f->loaded->im->par.ncpus)
		return;
	c = &v->cpu[n->cpu];
	switch (n->stage) {
	case PERF_OPENED:
		event_opened(f, probe, n);
		break;
	case PERF_ENABLED:
		if (c->away)
			add_away(c, c->away, n->after, c->away_as);
		c->before = n->before;
		c->after = n->after;
		c->away = 0;
		break;
	case PERF_ENDED:
		if (c->after && v->counts)
			event_ended(f, probe, c, n);
		break;
	}
}

void firings_end(struct firings *f, size_t probe)
{
	struct probe *p = f->prog->probes.v[probe].probe;

	if (p->prov->clock)
		f->v[probe].counts = p->prov->clock->due(p, not_after_end(f, UINT64_MAX), &f->v[probe].due);
}

/* How often the program fired on a CPU. */
static uint64_t fired_count(const struct firings *f, size_t probe, unsigned cpu, unsigned word)
{
	return __atomic_load_n((const uint64_t *)bpf_cell(f->loaded, (uint32_t)f->v[probe].obj, cpu) + word,
			       __ATOMIC_RELAXED);
}

/* The event went on counting after the session's end: firings there are not due. The kernel has one reason to skip a
 * program at an overflow that it counted: the CPU was in another program of a perf event, or in a call on a map. */
static void count_due(const struct firings *f, size_t probe, unsigned cpu, struct firings_cpu *c)
{
	uint64_t self = fired_count(f, probe, cpu, FIRED_SELF), after = fired_count(f, probe, cpu, FIRED_RUNS) - self;

	c->expected -= after < c->expected ? after : c->expected;
	c->lost[DTR_LOST_NESTED] = (int64_t)(c->expected - self);
}

static void account_cpu(const struct firings *f, size_t probe, unsigned cpu, struct dtr_account *out)
{
	const struct firings_probe *v = &f->v[probe];
	struct firings_cpu c = v->cpu[cpu];

	if (c.away && v->due.each_cpu)
		add_away(&c, c.away, atomic_load(&bpf_words(f->loaded)->ended), c.away_as);
	out->delivered += fired_count(f, probe, cpu, FIRED_SELF) + fired_count(f, probe, cpu, FIRED_ALT);
	out->made_up += fired_count(f, probe, cpu, FIRED_ALT);
	if (v->due.period)
		count_due(f, probe, cpu, &c);
	out->expected += c.expected;
	out->records_lost += c.records_lost;
	for (int i = 0; i < DTR_NLOSSES; i++)
		out->lost[i] += c.lost[i];
}

/* The times were taken shortly before or after the kernel enabled and disabled the event: allows for the difference. */
static void settle_without_ledger(struct dtr_account *a)
{
	uint64_t known = a->delivered + (uint64_t)a->lost[DTR_LOST_OFFLINE];

	if (a->expected < known)
		a->expected = known;
}

static bool has_account(const struct firings *f, const struct firings_probe *v, int cpu)
{
	return v->counts && v->obj >= 0 && cpu < (int)f->loaded->im->par.ncpus && (cpu < 0 || v->due.each_cpu);
}

static void account_tick(const struct firings_probe *v, struct dtr_account *out)
{
	out->expected = v->due.expected;
	out->causes = true;
	if (out->expected > out->delivered)
		out->lost[DTR_LOST_LATE] = (int64_t)(out->expected - out->delivered);
}

bool firings_account(const struct firings *f, size_t probe, int cpu, struct dtr_account *out)
{
	const struct firings_probe *v = &f->v[probe];
	uint64_t watched = 0;
	int64_t rest;

	memset(out, 0, sizeof *out);
	if (!has_account(f, v, cpu))
		return false;
	out->probe = f->prog->probes.v[probe].probe->name;
	out->cpu = cpu;
	out->each_cpu = v->due.each_cpu;
	out->causes = f->ledger != NULL || v->due.period;
	for (int i = 0; i < (int)f->loaded->im->par.ncpus; i++) {
		struct dtr_account one = { 0 };

		if (cpu >= 0 && cpu != i)
			continue;
		account_cpu(f, probe, (unsigned)i, &one);
		if (!f->ledger && v->due.each_cpu && !v->due.period)
			settle_without_ledger(&one);
		watched += v->cpu[i].watched;
		out->delivered += one.delivered;
		out->made_up += one.made_up;
		out->expected += one.expected;
		out->records_lost += one.records_lost;
		for (int k = 0; k < DTR_NLOSSES; k++)
			out->lost[k] += one.lost[k];
	}
	if (!v->due.each_cpu)
		account_tick(v, out);
	/* the mean, if the rate was lowered */
	out->interval = v->slowed && out->expected ? watched / out->expected : v->due.interval;
	rest = (int64_t)(out->expected - out->delivered);
	for (int k = 0; k < DTR_NLOSSES; k++)
		rest -= out->lost[k];
	out->lost[DTR_LOST_UNKNOWN] += rest;
	return true;
}
