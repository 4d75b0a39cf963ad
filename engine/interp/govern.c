/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -x maxcost: see governed.h. */
#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/interp/engine.h"
#include "engine/run/account.h"
#include "engine/run/limited.h"
#include "engine/run/options.h"
#include "lang/prog.h"
#include "providers/provider.h"

#define WINDOW_NS 100000000ull
#define SEC 1000000000.0
/* The slowest rate: a sample of a thread in a second. */
#define SLOWEST_NS 1000000000ull

enum {
	CALM = 10,		/* so many windows in a row must allow twice the samples */
	STEP = 16,		/* a window can be unusual: the rate falls by this factor at most */
};

/* s: a decision needs so much time since the last one; the end of the session, more. */
static const double patience = 0.5, last_patience = 2;
/* The costs of two windows are never equal: what is aimed at, of what is allowed. */
static const double aim = 0.85;

/* True if a probe of the rate must run at every firing. */
static bool rate_is_fixed(const struct interp_engine *b, unsigned rate)
{
	for (unsigned i = 0; i < b->nsamplers; i++) {
		const struct enabled_probe *e = &b->world.prog->probes.v[b->samplers[i].probe];

		if (b->samplers[i].rate == rate && (e->thin < 0 || !e->slows))
			return true;
	}
	return false;
}

static unsigned online_cpus(const struct interp_engine *b)
{
	int *cpus = arena_calloc(b->arena, b->world.ncpus, sizeof *cpus);
	unsigned n = cpus_online(cpus, b->world.ncpus);

	return n ? n : 1;
}

int govern_open(struct interp_engine *b, struct diags *d)
{
	struct govern *g = &b->govern;

	if (!b->opts->maxcost)
		return 0;
	if (!b->ops || !b->ops->slow)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "-x maxcost is not possible here: only the kernel engine "
			    "and samples by ptrace(2) can be made cheaper");
	*g = (struct govern){ .limit = (double)b->opts->maxcost / 1e6, .ncpus = online_cpus(b) };
	g->factor = arena_calloc(b->arena, b->nrates, sizeof *g->factor);
	g->most = arena_calloc(b->arena, b->nrates, sizeof *g->most);
	g->fixed = arena_calloc(b->arena, b->nrates, sizeof *g->fixed);
	for (unsigned i = 0; i < b->nrates; i++) {
		g->factor[i] = g->most[i] = 1;
		g->fixed[i] = rate_is_fixed(b, i);
	}
	return 0;
}

static void sums_add(struct govern_sums *s, double keep, double time, double spent, double allowed)
{
	s->time += time;
	s->spent = keep * s->spent + spent;
	s->allowed = keep * s->allowed + allowed;
}

/* Adds what happened since the last window. */
static void window_take(struct interp_engine *b)
{
	struct govern *g = &b->govern;
	uint64_t now = clock_now(), own = clock_read(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t stood = b->ops->stood ? b->ops->stood(b->source) : 0;
	double time = (double)(now - g->last), spent = (double)(own - g->own) + (double)(stood - g->stood);
	double allowed = g->limit * g->ncpus * time;

	if (g->last) {
		sums_add(&g->all, 1, time, spent, allowed);
		sums_add(&g->recent, 1 / (1 + time / SEC), time, spent, allowed);
	}
	g->last = now;
	g->own = own;
	g->stood = stood;
	g->due = now + WINDOW_NS;
}

/* The smallest power of two by which a rate must be lowered so that its samples are at least `least` ns apart. */
static uint64_t factor_for(uint64_t interval, uint64_t least)
{
	uint64_t n = 1;

	while (n * interval < least)
		n *= 2;
	return n;
}

/* Returns true if some rate has changed. */
static bool rates_set(struct interp_engine *b, uint64_t least)
{
	struct govern *g = &b->govern;
	bool changed = false;

	g->least = least < SLOWEST_NS ? least : SLOWEST_NS;
	for (unsigned i = 0; i < b->nrates; i++) {
		uint64_t n = g->fixed[i] ? 1 : factor_for(b->rates[i], g->least);

		if (n == g->factor[i])
			continue;
		b->ops->slow(b->source, i, (unsigned)n);
		g->factor[i] = n;
		g->most[i] = n > g->most[i] ? n : g->most[i];
		changed = true;
	}
	return changed;
}

/* The shortest time between two samples of a thread now, of those that can be lowered. 0: none can. */
static uint64_t least_now(const struct interp_engine *b)
{
	uint64_t least = 0;

	for (unsigned i = 0; i < b->nrates; i++) {
		uint64_t ns = b->rates[i] * b->govern.factor[i];

		if (!b->govern.fixed[i] && (!least || ns < least))
			least = ns;
	}
	return least;
}

/* What may be spent in so much time as `recent` covers, ns: what was spent too much is saved in the next second, but
 * not at less than half of the limit. */
static double allowed_now(const struct govern *g)
{
	double back = g->all.spent - g->all.allowed, most = g->recent.allowed / 2;

	back = back < 0 ? 0 : back < most ? back : most;
	return aim * g->recent.allowed - back;
}

static void recent_forget(struct govern *g)
{
	g->recent = (struct govern_sums){ 0 };
	g->calm = 0;
}

/* Lowers the rates, or raises them after a while. Returns true if they were lowered. */
static bool rates_adapt(struct interp_engine *b)
{
	struct govern *g = &b->govern;
	uint64_t least = least_now(b), times = 2;
	double allowed = allowed_now(g);

	g->calm = g->least && g->recent.spent * 2 < allowed ? g->calm + 1 : 0;
	if (g->calm >= CALM && rates_set(b, least / 2)) {
		recent_forget(g);
		return false;
	}
	if (!least || g->recent.spent <= g->recent.allowed)
		return false;
	while (times < STEP && g->recent.spent > allowed * (double)times)
		times *= 2;
	return rates_set(b, least * times);
}

/* Why the session must end. */
static void put_reason(const struct interp_engine *b, struct buf *out)
{
	const struct govern *g = &b->govern;

	buf_puts(out, "stopped: tracing cost ");
	limited_share(out, g->recent.spent, g->recent.allowed, g->limit, g->ncpus);
	for (unsigned i = 0; i < b->nsamplers; i++) {
		const struct enabled_probe *e = &b->world.prog->probes.v[b->samplers[i].probe];

		if (e->thin >= 0 && e->slows)
			continue;
		limited_obstacle(out, e->probe->name, &e->obstacle);
		return;
	}
	buf_puts(out, "; even one sample of each thread per second costs too much");
}

static void put_slower(const struct interp_engine *b, struct buf *out)
{
	for (unsigned i = 0; i < b->nsamplers; i++) {
		const struct clocked *c = &b->samplers[i];
		uint64_t n = b->govern.factor[c->rate];

		if (n > 1)
			buf_printf(out, "; %s fires at %.4g Hz", b->world.prog->probes.v[c->probe].probe->name,
				   1e9 / (double)(c->interval * n));
	}
}

enum backend_governed govern_engine_pass(struct backend *handle, uint64_t *due, struct buf *out)
{
	struct interp_engine *b = interp_engine(handle);
	struct govern *g = &b->govern;
	bool first;

	*due = g->limit > 0 && !g->stopped ? g->due : UINT64_MAX;
	if (*due == UINT64_MAX || clock_now() < g->due)
		return GOVERNED_FINE;
	window_take(b);
	*due = g->due;
	if (g->recent.time < patience * SEC)
		return GOVERNED_FINE;
	if (!rates_adapt(b)) {
		g->stopped = g->recent.time >= last_patience * SEC && g->recent.spent > g->recent.allowed;
		if (g->stopped)
			put_reason(b, out);
		return g->stopped ? GOVERNED_STOP : GOVERNED_FINE;
	}
	first = !g->thinned;
	g->thinned = true;
	if (first) {
		buf_puts(out, "tracing costs ");
		limited_share(out, g->recent.spent, g->recent.allowed, g->limit, g->ncpus);
		buf_puts(out, ": from now on fewer samples are taken, and each counts for those that are left out");
		put_slower(b, out);
	}
	recent_forget(g);
	return first ? GOVERNED_MESSAGE : GOVERNED_FINE;
}

void govern_end(struct interp_engine *b)
{
	if (b->govern.limit > 0 && b->govern.last)
		window_take(b);
}

double govern_engine_spent(struct backend *handle)
{
	const struct govern *g = &interp_engine(handle)->govern;

	return g->all.allowed > 0 ? g->all.spent / g->all.allowed * g->limit : 0;
}

bool govern_engine_thinned(struct backend *handle, unsigned probe, struct dtr_thinned *out)
{
	struct interp_engine *b = interp_engine(handle);
	const struct enabled_probe *e = &b->world.prog->probes.v[probe];
	const uint64_t *counts = e->thinned < 0 ? NULL : interp_object(handle, (uint32_t)e->thinned);

	for (unsigned i = 0; b->govern.limit > 0 && counts && i < b->nsamplers; i++) {
		const struct clocked *c = &b->samplers[i];

		if (c->probe != probe || b->govern.most[c->rate] == 1)
			continue;
		*out = (struct dtr_thinned){
			.probe = e->probe->name, .most = b->govern.most[c->rate], .slower = b->govern.most[c->rate],
			.run = counts[THINNED_RUN], .firings = counts[THINNED_FIRINGS],
			.squares = counts[THINNED_SQUARES], .interval = c->interval,
		};
		return true;
	}
	return false;
}
