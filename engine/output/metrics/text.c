/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics as text: OpenMetrics 1.0 and Prometheus's format 0.0.4, which differ in the names of counters. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "engine/output/metrics/metrics.h"

void metrics_name(struct buf *out, const char *text)
{
	for (; *text; text++) {
		bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_';

		buf_putc(out, letter || (*text >= '0' && *text <= '9') ? *text : '_');
	}
}

void metrics_escape(struct buf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text), n;

	for (; left; s += n, left -= n) {
		n = json_utf8_length(s, left);
		if (*s == '\n')
			buf_puts(out, "\\n");
		else if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if (n)
			buf_put(out, s, n);
		else {
			buf_putc(out, 0xc0 | *s >> 6);
			buf_putc(out, 0x80 | (*s & 0x3f));
		}
		n = n ? n : 1;
	}
}

static void put_head(struct buf *out, const struct metric_family *f, const char *suffix)
{
	static const char *const types[] = {
		[METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge", [METRIC_SUMMARY] = "summary",
		[METRIC_HISTOGRAM] = "histogram",
	};

	buf_printf(out, "# HELP %s%s ", f->name, suffix);
	metrics_escape(out, f->help);
	buf_printf(out, "\n# TYPE %s%s %s\n", f->name, suffix, types[f->type]);
}

static void open_begin(struct buf *out, const struct metric_family *f)
{
	put_head(out, f, "");
}

static void classic_begin(struct buf *out, const struct metric_family *f)
{
	put_head(out, f, f->type == METRIC_COUNTER ? "_total" : "");
}

/* le: the bound of a bucket, or NULL. */
static void put_series(struct buf *out, const struct metric_family *f, const char *suffix,
		       const struct metric_point *p, const char *le)
{
	const char *between = "{";

	buf_printf(out, "%s%s", f->name, suffix);
	for (unsigned i = 0; i < p->nlabels; i++, between = ",") {
		buf_printf(out, "%s%s=\"", between, p->label[i].name);
		metrics_escape(out, p->label[i].value);
		buf_putc(out, '"');
	}
	if (le)
		buf_printf(out, "%sle=\"%s\"", between, le);
	buf_puts(out, p->nlabels || le ? "} " : " ");
}

/* Bounds are written as floating-point numbers, which is the one form that all readers give a bound. */
static uint64_t put_buckets(struct buf *out, const struct metric_family *f, const struct metric_point *p)
{
	uint64_t sum = 0;
	char le[32];

	for (unsigned i = 0; i < p->nbuckets; i++) {
		sum += (uint64_t)p->bucket[i].count;
		if (!p->bucket[i].has_max)
			continue;
		snprintf(le, sizeof le, "%" PRId64 ".0", p->bucket[i].max);
		put_series(out, f, "_bucket", p, le);
		buf_printf(out, "%" PRIu64 "\n", sum);
	}
	put_series(out, f, "_bucket", p, "+Inf");
	buf_printf(out, "%" PRIu64 "\n", sum);
	return sum;
}

static void put_point(struct buf *out, const struct metric_family *f, const struct metric_point *p,
		      enum metrics_form form)
{
	uint64_t count = p->count;

	if (f->type == METRIC_COUNTER || f->type == METRIC_GAUGE) {
		put_series(out, f, f->type == METRIC_COUNTER ? "_total" : "", p, NULL);
		buf_printf(out, "%" PRId64 "\n", p->value);
		return;
	}
	if (f->type == METRIC_HISTOGRAM)
		count = put_buckets(out, f, p);
	/* OpenMetrics allows the number of a histogram only together with the sum. */
	if (f->type == METRIC_SUMMARY || form != METRICS_OPEN || p->has_sum) {
		put_series(out, f, "_count", p, NULL);
		buf_printf(out, "%" PRIu64 "\n", count);
	}
	if (p->has_sum) {
		put_series(out, f, "_sum", p, NULL);
		buf_printf(out, "%" PRId64 "\n", p->sum);
	}
}

static void open_point(struct buf *out, const struct metric_family *f, const struct metric_point *p)
{
	put_point(out, f, p, METRICS_OPEN);
}

static void classic_point(struct buf *out, const struct metric_family *f, const struct metric_point *p)
{
	put_point(out, f, p, METRICS_CLASSIC);
}

static void text_end(struct buf *out, struct buf *family, const struct metric_family *f)
{
	(void)f;
	buf_put(out, family->data, family->len);
	out->failed |= family->failed;
}

const struct metric_writer metrics_open = { open_begin, open_point, text_end };
const struct metric_writer metrics_classic = { classic_begin, classic_point, text_end };
