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
static double ratio(const struct difference_terms *t, double x)
{
	return (t->k - x) * (t->n2 - x) / ((x + 1) * (t->n1 - t->k + x + 1));
}

static double whole(double x)
{
	return (double)(uint64_t)x;
}

/* The sum of the terms beyond t.x in a direction, up (1) or down (-1); *tail: of those from `from` on. */
static double sum_side(struct difference_terms t, int way, double from, double *tail)
{
	const double bound = way > 0 ? (t.k < t.n2 ? t.k : t.n2) : t.k > t.n1 ? t.k - t.n1 : 0;
	double all = 0;

	*tail = 0;
	while (t.x != bound && t.term > least) {
		t.term = way > 0 ? t.term * ratio(&t, t.x) : t.term / ratio(&t, t.x - 1);
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

	t.x = whole((t.k + 1) * (n2 + 1) / (n1 + n2 + 2));
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

/* The lost samples are all of the kind, or none is. */
static struct share_count with_lost(struct share_count c, bool of_kind)
{
	return (struct share_count){ c.k + (of_kind ? c.lost : 0), c.n + c.lost, 0 };
}

double difference_p(struct share_count a, struct share_count b)
{
	const bool up = is_larger(a, b);
	double p;

	a = with_lost(a, up);
	b = with_lost(b, !up);
	if (!(up ? is_larger(a, b) : is_larger(b, a)))
		return 1;
	p = 2 * tail_of((double)a.k, (double)a.n, (double)b.k, (double)b.n, up ? 1 : -1);
	return p < 1 ? p : 1;
}

static double share_of(struct share_count c)
{
	return c.n ? (double)c.k / (double)c.n : 0;
}

/* The bound of the share of b less that of a: the upper one, or the lower one. */
static double bound(struct share_count a, struct share_count b, bool upper)
{
	const struct share_interval i = interval_wilson(a.k, a.n), j = interval_wilson(b.k, b.n);
	const double p = share_of(a), q = share_of(b), r = upper ? j.high - q : q - j.low;
	const double s = upper ? p - i.low : i.high - p, root = interval_root(r * r + s * s);

	return upper ? q - p + root : q - p - root;
}

struct share_interval difference_interval(struct share_count a, struct share_count b)
{
	return (struct share_interval){
		bound(with_lost(a, true), with_lost(b, false), false),
		bound(with_lost(a, false), with_lost(b, true), true),
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
