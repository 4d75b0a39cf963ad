/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/gmon_file.h"

#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 1, SPARE = 12, TAG_HISTOGRAM = 0, TAG_ARC = 1,
	BIN = 2,			/* bytes of code for each counter, and bytes of a counter */
	BIN_MAX = UINT16_MAX,
	DIMENSION = 15,
};

static void put_u32(struct buf *out, uint64_t v)
{
	uint32_t word = (uint32_t)v;

	buf_put(out, &word, sizeof word);
}

static void put_address(struct buf *out, const struct gmon_profile *p, uint64_t v)
{
	if (p->is32)
		put_u32(out, v);
	else
		buf_put(out, &v, sizeof v);
}

/* ---- histograms ---- */

/* A part of the code, and the counts that have not been written yet. */
struct gmon_part {
	uint64_t low, high;
	uint64_t *count;		/* of each bin */
	size_t room;
};

/* Moves to the part that contains pc; *at: the next border to look at. Parts are from `low` to the first border that
 * is GMON_PART bytes further. */
static void part_find(struct gmon_part *part, const struct gmon_profile *p, size_t *at, uint64_t pc)
{
	while (pc >= part->high) {
		part->low = part->high;
		while (*at < p->nborders && (p->border[*at] < part->low + GMON_PART || p->border[*at] % BIN))
			++*at;
		part->high = *at < p->nborders && p->border[*at] < p->high ? p->border[*at] : p->high;
	}
}

static size_t part_bins(const struct gmon_part *part)
{
	return (part->high - part->low + BIN - 1) / BIN;
}

static bool part_clear(struct gmon_part *part)
{
	size_t n = part_bins(part);

	if (n > part->room) {
		free(part->count);
		part->count = malloc(n * sizeof *part->count);
		part->room = part->count ? n : 0;
	}
	if (part->count)
		memset(part->count, 0, n * sizeof *part->count);
	return part->count;
}

/* Writes as much of each count as fits. Returns true if something is left. */
static bool put_histogram(struct buf *out, const struct gmon_profile *p, struct gmon_part *part)
{
	static const char dimension[DIMENSION] = "seconds";
	size_t n = part_bins(part);
	bool more = false;

	buf_putc(out, TAG_HISTOGRAM);
	put_address(out, p, part->low);
	put_address(out, p, part->low + n * BIN);
	put_u32(out, n);
	put_u32(out, p->rate);
	buf_put(out, dimension, sizeof dimension);
	buf_putc(out, *dimension);
	for (size_t i = 0; i < n; i++) {
		uint16_t bin = (uint16_t)(part->count[i] < BIN_MAX ? part->count[i] : BIN_MAX);

		buf_put(out, &bin, sizeof bin);
		part->count[i] -= bin;
		more |= part->count[i] != 0;
	}
	return more;
}

static int sample_compare(const void *x, const void *y)
{
	const struct gmon_sample *a = x, *b = y;

	return (a->pc > b->pc) - (a->pc < b->pc);
}

/* The samples in the object, by address. NULL: no memory. */
static struct gmon_sample *samples_sorted(const struct gmon_profile *p, size_t *n, uint64_t *outside)
{
	struct gmon_sample *v = malloc((p->nsamples + 1) * sizeof *v);

	*n = 0;
	*outside = 0;
	for (size_t i = 0; v && i < p->nsamples; i++) {
		const struct gmon_sample *s = &p->sample[i];

		if (s->pc < p->low || s->pc >= p->high)
			*outside += s->count;
		else if (s->count)
			v[(*n)++] = *s;
	}
	if (v)
		qsort(v, *n, sizeof *v, sample_compare);
	return v;
}

/* A histogram for each part that has samples. A profile without samples has one empty histogram, because gprof needs
 * one. Returns the samples that are in no part. */
static uint64_t put_samples(struct buf *out, const struct gmon_profile *p)
{
	struct gmon_part part = { .low = p->low & -(uint64_t)BIN, .high = p->low & -(uint64_t)BIN };
	uint64_t outside;
	size_t n, border = 0, i = 0;
	struct gmon_sample *v = samples_sorted(p, &n, &outside);

	out->failed |= !v;
	while (!out->failed && p->low < p->high) {
		part_find(&part, p, &border, i < n ? v[i].pc : p->low);
		if (!part_clear(&part)) {
			out->failed = true;
			break;
		}
		for (; i < n && v[i].pc < part.high; i++)
			part.count[(v[i].pc - part.low) / BIN] += v[i].count;
		while (put_histogram(out, p, &part) && !out->failed)
			continue;
		if (i == n)
			break;
	}
	free(part.count);
	free(v);
	return outside;
}

uint64_t gmon_put(struct buf *out, const struct gmon_profile *p)
{
	uint64_t outside;

	buf_puts(out, "gmon");
	put_u32(out, VERSION);
	buf_pad(out, 0, SPARE);
	outside = put_samples(out, p);
	for (size_t i = 0; i < p->narcs; i++)
		for (uint64_t left = p->arc[i].count, n; left && !out->failed; left -= n) {
			n = left < UINT32_MAX ? left : UINT32_MAX;
			buf_putc(out, TAG_ARC);
			put_address(out, p, p->arc[i].from);
			put_address(out, p, p->arc[i].self);
			put_u32(out, n);
		}
	return outside;
}
