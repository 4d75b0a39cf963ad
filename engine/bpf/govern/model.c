/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/govern/model.h"

#include "lang/prog.h"

void governed_measure(struct governed *p, uint64_t runs, uint64_t ns)
{
	uint64_t run = p->thinned ? __atomic_load_n(&p->thinned[THINNED_RUN], __ATOMIC_RELAXED) : 0;

	p->fired = (double)(runs - p->runs);
	p->spent = (double)(ns - p->ns);
	p->performed = p->n > 1 ? (double)(run - p->run) : p->fired;
	if (p->performed > p->fired)
		p->performed = p->fired;
	p->runs = runs;
	p->ns = ns;
	p->run = run;
}

uint64_t governed_thin(const struct governed *p)
{
	return p->n / p->rate;
}

/* The mean of the old and the new value; the new one if there is no old one. */
static double mean_with(double old, double now)
{
	return old > 0 ? (old + now) / 2 : now;
}

void governed_learn(struct governed *p, double own)
{
	double without = p->fired - p->performed, rest;

	if (governed_thin(p) < GOVERNED_ENOUGH && p->performed >= 1) {
		rest = p->spent - p->idle * without;
		p->full = mean_with(p->full, (rest > 0 ? rest : 0) / p->performed + own);
	} else if (without >= GOVERNED_ENOUGH) {
		rest = p->spent - (p->full - own) * p->performed;
		p->idle = mean_with(p->idle, rest > 0 ? rest / without : 0);
	}
}

double governed_work(const struct governed *p)
{
	double more = p->full - (p->thin && p->slowest == 1 ? p->idle : 0);

	return p->fired * (double)p->rate * (more > 0 ? more : 0);
}

double governed_rest(const struct governed *p)
{
	return p->thin && governed_thin(p) > 1 ? p->fired * p->idle : 0;
}

/* What the probes cost if each costs at most `cap`. */
static double sum_below(const struct governed *v, size_t n, double cap)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].thin)
			sum += governed_work(&v[i]) < cap ? governed_work(&v[i]) : cap;
	return sum;
}

double governed_cap(const struct governed *v, size_t n, double allowed)
{
	double low = 0, high = allowed;

	if (allowed <= 0)
		return 0;
	if (sum_below(v, n, GOVERNED_FREE) <= allowed)
		return GOVERNED_FREE;
	for (int i = 0; i < 40; i++) {
		double mid = (low + high) / 2;

		*(sum_below(v, n, mid) <= allowed ? &low : &high) = mid;
	}
	return low;
}

bool governed_set(struct governed *p, double cap, bool over)
{
	double work = governed_work(p);
	uint64_t want = 1, before = p->n;

	if (!p->thin)
		return false;
	while (want < GOVERNED_MOST && work > cap * (double)want)
		want *= 2;
	p->calm = want < p->n ? p->calm + 1 : 0;
	if (want > p->n && over)
		p->n = want;
	else if (p->calm >= GOVERNED_CALM)
		p->n /= 2;
	if (p->n == before)
		return false;
	p->calm = 0;
	p->most = p->n > p->most ? p->n : p->most;
	p->rate = p->n < p->slowest ? p->n : p->slowest;
	p->rate_most = p->rate > p->rate_most ? p->rate : p->rate_most;
	__atomic_store_n(p->thin, governed_thin(p) - 1, __ATOMIC_RELAXED);
	return p->n > before;
}
