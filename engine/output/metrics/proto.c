/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics as protobuf: io.prometheus.client.MetricFamily messages, each after its length
 * (https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto).
 *
 * A quantize() is also a native histogram of schema 0, whose bucket i holds the values above 2^(i-1) up to 2^i, that
 * of quantize() those from 2^(i-1) to below 2^i. So a value that is exactly a power of two is in the next bucket.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/protobuf.h"
#include "engine/output/metrics/metrics.h"

enum {
	FAMILY_NAME = 1, FAMILY_HELP, FAMILY_TYPE, FAMILY_METRIC,
	METRIC_LABEL = 1, METRIC_OF_GAUGE, METRIC_OF_COUNTER, METRIC_OF_SUMMARY, METRIC_OF_HISTOGRAM = 7,
	PAIR_NAME = 1, PAIR_VALUE,
	NUMBER_VALUE = 1,
	SAMPLE_COUNT = 1, SAMPLE_SUM, HISTOGRAM_BUCKET,
	HISTOGRAM_SCHEMA = 5, HISTOGRAM_ZERO_THRESHOLD, HISTOGRAM_ZERO_COUNT,
	HISTOGRAM_NEGATIVE_SPAN = 9, HISTOGRAM_NEGATIVE_DELTA, HISTOGRAM_POSITIVE_SPAN = 12, HISTOGRAM_POSITIVE_DELTA,
	BUCKET_COUNT = 1, BUCKET_BOUND,
	SPAN_OFFSET = 1, SPAN_LENGTH,
};

static void proto_begin(struct buf *out, const struct metric_family *f)
{
	static const unsigned types[] = {
		[METRIC_COUNTER] = 0, [METRIC_GAUGE] = 1, [METRIC_SUMMARY] = 2, [METRIC_HISTOGRAM] = 4,
	};
	struct buf name = { 0 };

	buf_printf(&name, "%s%s", f->name, f->type == METRIC_COUNTER ? "_total" : "");
	protobuf_part(out, FAMILY_NAME, &name);
	protobuf_text(out, FAMILY_HELP, f->help, strlen(f->help));
	protobuf_number(out, FAMILY_TYPE, types[f->type]);
	buf_free(&name);
}

static void put_label(struct buf *out, const struct metric_label *l)
{
	struct buf pair = { 0 };

	protobuf_text(&pair, PAIR_NAME, l->name, strlen(l->name));
	protobuf_text(&pair, PAIR_VALUE, l->value, strlen(l->value));
	protobuf_part(out, METRIC_LABEL, &pair);
	buf_free(&pair);
}

/* Returns the number of all values. */
static uint64_t put_buckets(struct buf *out, const struct metric_point *p)
{
	struct buf one = { 0 };
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->nbuckets; i++) {
		sum += (uint64_t)p->bucket[i].count;
		if (!p->bucket[i].has_max)
			continue;
		protobuf_number(&one, BUCKET_COUNT, sum);
		protobuf_double(&one, BUCKET_BOUND, (double)p->bucket[i].max);
		protobuf_part(out, HISTOGRAM_BUCKET, &one);
	}
	buf_free(&one);
	return sum;
}

/* The number of a bucket of a native histogram, from that value of quantize()'s bucket which is a power of two. */
static int native_number(int64_t v)
{
	uint64_t power = v < 0 ? -(uint64_t)v : (uint64_t)v;

	return 64 - __builtin_clzll(power);
}

/* The buckets on one side of 0, ascending from 0: one span, and the difference of each bucket to the one before. */
static void put_side(struct buf *out, const struct metric_point *p, int step, unsigned span, unsigned delta)
{
	struct buf one = { 0 }, deltas = { 0 };
	unsigned i = step > 0 ? 0 : p->nbuckets - 1, n = 0;
	int64_t last = 0;

	for (unsigned left = p->nbuckets; left; left--, i += (unsigned)step) {
		const struct agg_bucket *b = &p->bucket[i];

		if (step > 0 ? !b->has_min || b->min <= 0 : !b->has_max || b->max >= 0)
			continue;
		if (!n++)
			protobuf_signed(&one, SPAN_OFFSET, native_number(step > 0 ? b->min : b->max));
		protobuf_signed(&deltas, delta, b->count - last);
		last = b->count;
	}
	protobuf_number(&one, SPAN_LENGTH, n);
	if (n)
		protobuf_part(out, span, &one);
	buf_put(out, deltas.data, deltas.len);
	out->failed |= deltas.failed || one.failed;
	buf_free(&one);
	buf_free(&deltas);
}

static void put_native(struct buf *out, const struct metric_point *p)
{
	uint64_t zeros = 0;

	for (unsigned i = 0; i < p->nbuckets; i++)
		if (p->bucket[i].has_min && p->bucket[i].min == 0)
			zeros = (uint64_t)p->bucket[i].count;
	protobuf_signed(out, HISTOGRAM_SCHEMA, 0);
	protobuf_double(out, HISTOGRAM_ZERO_THRESHOLD, 0.5);
	protobuf_number(out, HISTOGRAM_ZERO_COUNT, zeros);
	put_side(out, p, -1, HISTOGRAM_NEGATIVE_SPAN, HISTOGRAM_NEGATIVE_DELTA);
	put_side(out, p, 1, HISTOGRAM_POSITIVE_SPAN, HISTOGRAM_POSITIVE_DELTA);
}

/* An unknown sum is no number. */
static void put_histogram(struct buf *out, const struct metric_family *f, const struct metric_point *p)
{
	struct buf buckets = { 0 };
	uint64_t count = put_buckets(&buckets, p);

	protobuf_number(out, SAMPLE_COUNT, count);
	protobuf_double(out, SAMPLE_SUM, p->has_sum ? (double)p->sum : (double)NAN);
	buf_put(out, buckets.data, buckets.len);
	out->failed |= buckets.failed;
	buf_free(&buckets);
	if (f->powers)
		put_native(out, p);
}

static void proto_point(struct buf *out, const struct metric_family *f, const struct metric_point *p)
{
	static const unsigned fields[] = {
		[METRIC_COUNTER] = METRIC_OF_COUNTER, [METRIC_GAUGE] = METRIC_OF_GAUGE,
		[METRIC_SUMMARY] = METRIC_OF_SUMMARY, [METRIC_HISTOGRAM] = METRIC_OF_HISTOGRAM,
	};
	struct buf metric = { 0 }, value = { 0 };

	for (unsigned i = 0; i < p->nlabels; i++)
		put_label(&metric, &p->label[i]);
	if (f->type == METRIC_HISTOGRAM) {
		put_histogram(&value, f, p);
	} else if (f->type == METRIC_SUMMARY) {
		protobuf_number(&value, SAMPLE_COUNT, p->count);
		protobuf_double(&value, SAMPLE_SUM, p->has_sum ? (double)p->sum : (double)NAN);
	} else {
		protobuf_double(&value, NUMBER_VALUE, (double)p->value);
	}
	protobuf_part(&metric, fields[f->type], &value);
	protobuf_part(out, FAMILY_METRIC, &metric);
	buf_free(&metric);
	buf_free(&value);
}

static void proto_end(struct buf *out, struct buf *family, const struct metric_family *f)
{
	(void)f;
	protobuf_varint(out, family->len);
	buf_put(out, family->data, family->len);
	out->failed |= family->failed;
}

const struct metric_writer metrics_proto = { proto_begin, proto_point, proto_end };
