/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/govern/governor.h"

#include "base/clock.h"
#include "engine/bpf/load/load.h"
#include "lang/prog.h"

#define MS 1000000ull
#define SEC 1000000000.0

enum {
	FIRST = 20,			/* ms: windows until EARLY ms have passed; then WINDOW */
	EARLY = 200,
	WINDOW = 100,
	PRESS = 16,			/* the largest factor of N that the model does not explain */
	WINDOW_PROBES = 64,		/* reading the statistics of so many more probes: a longer window */
};

/* A session reads the buffers and checks the CPUs, whatever the probes do: this share of one CPU at most. */
static const double own_base = 0.002;
/* The costs of two windows are never equal: what is aimed at, of what is allowed. */
static const double aim = 0.85;
/* s: so long the cost must be above the limit before the model is doubted. */
static const double patience = 0.3;

static bool probe_records(const struct d_prog *p, const struct probe *probe)
{
	for (size_t i = 0; i < p->epids.n; i++)
		if (p->epids.v[i].probe->prov == probe->prov && p->epids.v[i].recsize)
			return true;
	return false;
}

void governor_open(struct governor *g, struct arena *a, const struct d_prog *p, const struct bpf_loaded *l,
		   double share)
{
	*g = (struct governor){ .arena = a, .prog = p, .limit = share, .n = p->probes.n, .press = 1 };
	g->v = arena_calloc(a, g->n + 1, sizeof *g->v);
	for (size_t i = 0; i < g->n; i++) {
		const struct enabled_probe *e = &p->probes.v[i];

		g->v[i] = (struct governed){
			.probe = i, .n = 1, .most = 1, .rate = 1, .rate_most = 1, .slowest = 1,
			.records = probe_records(p, e->probe),
			.fd = { bpf_program(l, e->func), bpf_program(l, e->alt) },
			.thin = e->thin < 0 ? NULL : bpf_object(l, (uint32_t)e->thin),
			.thinned = e->thinned < 0 ? NULL : bpf_object(l, (uint32_t)e->thinned),
		};
	}
}

static void measure_probes(struct governor *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct dtr_cost c = { 0 };

		cost_add(g->v[i].fd[0], &c);
		cost_add(g->v[i].fd[1], &c);
		governed_measure(&g->v[i], c.runs, c.ns);
	}
}

void governor_begin(struct governor *g)
{
	if (!g->limit)
		return;
	for (size_t i = 0; i < g->n; i++)
		if (g->prog->probes.v[i].slows)
			g->v[i].slowest = probe_slowest(g->prog->probes.v[i].probe);
	measure_probes(g);			/* BEGIN does not count */
	g->begun = g->last = clock_now();
	g->due = g->begun + FIRST * MS;
	g->own = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* What happened since the last pass. */
struct governor_window {
	double time, allowed, own, spent;	/* ns */
};

static void window_take(struct governor *g, unsigned ncpus, uint64_t other, struct governor_window *w)
{
	uint64_t now = clock_now(), own = clock_read(CLOCK_PROCESS_CPUTIME_ID) + other;

	measure_probes(g);
	w->time = (double)(now - g->last);
	w->allowed = g->limit * ncpus * w->time;
	w->own = own > g->own ? (double)(own - g->own) : 0;
	w->spent = w->own;
	for (size_t i = 0; i < g->n; i++)
		w->spent += g->v[i].spent;
	g->last = now;
	g->own = own;
	g->spent += w->spent;
	g->allowed += w->allowed;
}

/* ns of this process for each firing that made a record. */
static double own_each(const struct governor *g, const struct governor_window *w)
{
	double firings = 0, more = w->own - own_base * w->time;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].records && g->v[i].thin)
			firings += g->v[i].performed;
	return firings >= 1 && more > 0 ? more / firings : 0;
}

/* What thinning cannot change, in this window. */
static double fixed_cost(const struct governor *g, const struct governor_window *w, double own)
{
	double sum = w->own;

	for (size_t i = 0; i < g->n; i++) {
		const struct governed *p = &g->v[i];

		if (p->thin)
			sum += governed_rest(p) - (p->records ? own * p->performed : 0);
		else
			sum += p->spent;
	}
	return sum;
}

/* What is left for firings that run, ns. It is never nothing, because a window can be unusual. */
static double work_allowed(struct governor *g, const struct governor_window *w, double own)
{
	double back = (g->spent - g->allowed) * w->time / SEC, share = w->time / (SEC / 2), left;

	g->fixed += (fixed_cost(g, w, own) / w->time - g->fixed) * (share < 1 ? share : 1);
	/* what was spent too much is saved in the next second, but not at less than half of the limit */
	back = back < 0 ? 0 : back < w->allowed / 2 ? back : w->allowed / 2;
	left = aim * w->allowed - back - g->fixed * w->time;
	return (left > w->allowed / 10 ? left : w->allowed / 10) / (double)g->press;
}

/* Returns true if some N became larger. */
static bool thin_all(struct governor *g, const struct governor_window *w)
{
	bool over = g->recent.spent > g->recent.allowed, more = false;
	double own = own_each(g, w), cap;

	for (size_t i = 0; i < g->n; i++)
		governed_learn(&g->v[i], g->v[i].records ? own : 0);
	cap = governed_cap(g->v, g->n, work_allowed(g, w, own));
	for (size_t i = 0; i < g->n; i++) {
		struct governed *p = &g->v[i];
		struct probe *probe = g->prog->probes.v[p->probe].probe;
		uint64_t before = p->rate;

		more |= governed_set(p, cap, over);
		if (p->rate != before)
			probe->prov->clock->slow(probe, (unsigned)p->rate);
	}
	return more;
}

/* True if no probe can be thinned so that it matters: what runs is a few thousandths of the limit. A larger N would
 * only make sums less exact. */
static bool is_exhausted(const struct governor *g)
{
	if (g->press >= PRESS)
		return true;
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].thin && g->v[i].n < GOVERNED_MOST && governed_work(&g->v[i]) > 0)
			return false;
	return true;
}

static void recent_add(struct governor_recent *r, const struct governor_window *w)
{
	double keep = 1 / (1 + w->time / SEC);

	r->time += w->time;
	r->spent = keep * r->spent + w->spent;
	r->allowed = keep * r->allowed + w->allowed;
}

/* N is as the model says, but the session may still cost too much, because what firings cost has changed. Returns true
 * if nothing can be done about that. */
static bool adapt_press(struct governor *g)
{
	struct governor_recent *r = &g->recent;

	if (r->time >= SEC && r->spent < r->allowed / 2 && g->press > 1)
		g->press /= 2;
	if (r->time < patience * SEC || r->spent <= r->allowed)
		return false;
	if (is_exhausted(g))
		return r->time >= SEC;
	g->press *= 4;
	return false;
}

enum governor_verdict governor_pass(struct governor *g, unsigned ncpus, uint64_t other)
{
	struct governor_window w;
	uint64_t ms;
	bool first;

	if (!g->limit || g->stopped || clock_now() < g->due)
		return GOVERNOR_FINE;
	window_take(g, ncpus, other, &w);
	ms = g->last - g->begun < EARLY * MS ? FIRST : WINDOW;
	g->due = g->last + ms * MS * (1 + g->n / WINDOW_PROBES);
	recent_add(&g->recent, &w);
	if (!thin_all(g, &w)) {
		g->stopped = adapt_press(g);
		return g->stopped ? GOVERNOR_STOPS : GOVERNOR_FINE;
	}
	first = !g->thinned;
	g->thinned = true;
	g->before = g->recent;
	g->recent = (struct governor_recent){ 0 };
	return first ? GOVERNOR_THINS : GOVERNOR_FINE;
}

void governor_end(struct governor *g, unsigned ncpus, uint64_t other)
{
	struct governor_window w;

	if (g->limit && g->begun)
		window_take(g, ncpus, other, &w);
}

double governor_spent(const struct governor *g)
{
	return g->allowed > 0 ? g->spent / g->allowed * g->limit : 0;
}

const struct governed *governor_culprit(const struct governor *g)
{
	const struct governed *most = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (!most || g->v[i].spent > most->spent)
			most = &g->v[i];
	return most;
}
