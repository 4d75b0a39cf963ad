/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "aggregation/hist.h"

#include <stdio.h>

#include "aggregation/func.h"

enum { BAR = 40 };	/* columns */

/* The range and scale of the bars. */
struct scale {
	unsigned first, last;
	long double total;	/* of the absolute counts */
	bool above, below;	/* some count is positive; some is negative (because of a negative weight) */
};

static struct scale scale_of(const struct hist *h, const int64_t *counts)
{
	struct scale s = { 0 };
	unsigned first = 0, last = h->n - 1;

	while (first < h->n && !counts[first])
		first++;
	while (last && !counts[last])
		last--;
	if (first == h->n) {
		s.first = h->empty_first;
		s.last = h->empty_last;
	} else {	/* the used range and one empty bucket on either side */
		s.first = first ? first - 1 : 0;
		s.last = last < h->n - 1 ? last + 1 : last;
	}
	for (unsigned i = s.first; i <= s.last; i++) {
		s.above |= counts[i] > 0;
		s.below |= counts[i] < 0;
		s.total += counts[i] < 0 ? -(long double)counts[i] : (long double)counts[i];
	}
	return s;
}

/* With weights of both signs the bars grow from the middle, at half the width: to the left below 0. */
static void put_row(struct buf *out, const struct scale *s, int64_t count, __int128 normal)
{
	bool both = s->above && s->below;
	unsigned width = both ? BAR / 2 : BAR, left, right;
	long double abs = count < 0 ? -(long double)count : (long double)count;
	unsigned length = s->total > 0 ? (unsigned)(abs * width / s->total + 0.5L) : 0;

	if (s->below) {
		left = both && count > 0 ? 0 : length;
		buf_pad(out, ' ', width - left);
		buf_pad(out, '@', left);
	}
	buf_putc(out, '|');
	if (!s->below || both) {
		right = both && count <= 0 ? 0 : length;
		buf_pad(out, '@', right);
		buf_pad(out, ' ', width - right);
	}
	buf_printf(out, " %-9lld\n", (long long)agg_normal(count, normal));
}

static void put_label(struct buf *out, const struct hist *h, unsigned bucket)
{
	const char *mark = !h->open ? "" : bucket == 0 ? "< " : bucket == h->n - 1 ? ">= " : "";
	char text[32];

	snprintf(text, sizeof text, "%s%lld", mark, (long long)h->value(h->spec, bucket));
	buf_printf(out, "%16s ", text);
}

void hist_print(struct buf *out, const struct hist *h, const int64_t *counts, __int128 normal)
{
	struct scale s = scale_of(h, counts);

	buf_printf(out, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
	for (unsigned i = s.first; i <= s.last; i++) {
		put_label(out, h, i);
		put_row(out, &s, counts[i], normal);
	}
}

/* A label is the bound on the side of 0. */
bool hist_bucket(struct agg_bucket *out, const struct hist *h, const int64_t *counts, unsigned i, __int128 normal)
{
	bool first = i == 0, last = i + 1 == h->n;
	int64_t v;

	if (i >= h->n)
		return false;
	v = h->value(h->spec, i);
	*out = (struct agg_bucket){
		.has_min = !h->open || !first, .has_max = !h->open || !last, .min = v, .max = v, .empty = !counts[i],
		.count = agg_normal(counts[i], normal),
	};
	if (h->open && first)
		out->max = v - 1;
	else if (v < 0 && !h->open)
		out->min = first ? INT64_MIN : h->value(h->spec, i - 1) + 1;
	else if (v || h->open)
		out->max = last ? INT64_MAX : h->value(h->spec, i + 1) - 1;
	return true;
}

/* The value that stands for a bucket in the sum. Open buckets count as the first value outside of the range. */
static int64_t hist_weight(const struct hist *h, unsigned bucket)
{
	int64_t v = h->value(h->spec, bucket);

	if (h->open && bucket == 0)
		return v - 1;
	if (h->open && bucket == h->n - 1 && v < INT64_MAX)
		return v + 1;
	return v;
}

int hist_compare(const struct hist *h, const int64_t *a, const int64_t *b)
{
	long double suma = 0, sumb = 0;
	int zero = 0;

	for (unsigned i = 0; i < h->n; i++) {
		int64_t w;

		if (!a[i] && !b[i])
			continue;
		w = hist_weight(h, i);
		if (!w && !zero)
			zero = agg_order_of(a[i], b[i]);
		suma += (long double)w * (long double)a[i];
		sumb += (long double)w * (long double)b[i];
	}
	return suma < sumb ? -1 : suma > sumb ? 1 : zero;
}

void hist_emit_add(struct ir_builder *b, struct ir_arg cell, ir_reg idx, unsigned n, struct ir_arg incr)
{
	cell.idx = idx;
	cell.lim = n;
	ir_emit_to(b, IR_XADD, 0, cell, incr);
}

ir_reg hist_emit_divide(struct ir_builder *b, ir_reg x, uint64_t width)
{
	if (width == 1)
		return x;
	if (width & (width - 1))
		return ir_emit(b, IR_UDIV, ir_r(x), ir_i((int64_t)width));
	return ir_emit(b, IR_LSHR, ir_r(x), ir_i(__builtin_ctzll(width)));
}
