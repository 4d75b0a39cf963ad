/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/difference.h"

/* Terms below this are 0 in comparison with the largest, which is 1. */
static const double least = 1e-300;

/* The hypergeometric distribution: x of the second sample's n2, of K in both. Terms are relative to the mode's. */
struct difference_terms {
	double n1, n2, k;
	double x, term;
};

/* P(x + 1) / P(x). */
static double term_ratio(const struct difference_terms *t, double x)
{
	return (t->k - x) * (t->n2 - x) / ((x + 1) * (t->n1 - t->k + x + 1));
}

/* The sum of the terms beyond t.x in a direction, up (1) or down (-1); *tail: of those from `from` on. */
static double sum_side(struct difference_terms t, int way, double from, double *tail)
{
	const double bound = way > 0 ? (t.k < t.n2 ? t.k : t.n2) : t.k > t.n1 ? t.k - t.n1 : 0;
	double all = 0;

	*tail = 0;
	while (t.x != bound && t.term > least) {
		t.term = way > 0 ? t.term * term_ratio(&t, t.x) : t.term / term_ratio(&t, t.x - 1);
		t.x += way;
		all += t.term;
		*tail += way * (t.x - from) >= 0 ? t.term : 0;
	}
	return all;
}

/* P(X >= x) for way 1, P(X <= x) for way -1. The share of x is beyond that of the mean, so x is not before the mode. */
static double tail_of(double k1, double n1, double x, double n2, int way)
{
	struct difference_terms t = { .n1 = n1, .n2 = n2, .k = k1 + x, .term = 1 };
	double all, tail, none;

	t.x = (double)(uint64_t)((t.k + 1) * (n2 + 1) / (n1 + n2 + 2));
	if (way * (t.x - x) > 0)
		t.x = x;
	all = 1 + sum_side(t, way, x, &tail) + sum_side(t, -way, x, &none);
	return (tail + (t.x == x ? 1 : 0)) / all;
}

/* True if the share of b is larger. */
static bool is_larger(struct share_count a, struct share_count b)
{
	return (unsigned __int128)b.k * a.n > (unsigned __int128)a.k * b.n;
}

/* All lost samples are of the kind. */
static struct share_count lost_of_kind(struct share_count c)
{
	return (struct share_count){ c.k + c.lost, c.n + c.lost, 0 };
}

/* None of them is. */
static struct share_count lost_of_others(struct share_count c)
{
	return (struct share_count){ c.k, c.n + c.lost, 0 };
}

double difference_p(struct share_count a, struct share_count b)
{
	const bool up = is_larger(a, b);
	double p;

	a = up ? lost_of_kind(a) : lost_of_others(a);
	b = up ? lost_of_others(b) : lost_of_kind(b);
	if (!(up ? is_larger(a, b) : is_larger(b, a)))
		return 1;
	p = 2 * tail_of((double)a.k, (double)a.n, (double)b.k, (double)b.n, up ? 1 : -1);
	return p < 1 ? p : 1;
}

static double share_of(struct share_count c)
{
	return c.n ? (double)c.k / (double)c.n : 0;
}

/* The upper bound of the share of b less that of a. The lower bound is the negative upper one of a's less b's. */
static double upper_bound(struct share_count a, struct share_count b)
{
	const double above = interval_wilson(b.k, b.n).high - share_of(b);
	const double below = share_of(a) - interval_wilson(a.k, a.n).low;

	return share_of(b) - share_of(a) + interval_root(above * above + below * below);
}

struct share_interval difference_interval(struct share_count a, struct share_count b)
{
	return (struct share_interval){
		-upper_bound(lost_of_others(b), lost_of_kind(a)),
		upper_bound(lost_of_others(a), lost_of_kind(b)),
	};
}

void difference_holm(double *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		p[i] *= (double)(n - i);
		p[i] = p[i] < 1 ? p[i] : 1;
		if (i && p[i] < p[i - 1])
			p[i] = p[i - 1];
	}
}
