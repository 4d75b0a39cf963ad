/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations as metrics (docs/serve.md): a family for each aggregation, a point for each row.
 *
 * The texts follow OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/) and Prometheus's text
 * format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). The third form is the protobuf of
 * io/prometheus/client/metrics.proto, delimited, in which a quantize() is a native histogram.
 *
 * Ownership: memory is in the arena of struct metrics; text goes to the caller's buffer.
 * Errors: no memory (out->failed).
 */
#ifndef ENGINE_OUTPUT_METRICS_METRICS_H
#define ENGINE_OUTPUT_METRICS_METRICS_H

#include "aggregation/agg.h"
#include "base/arena.h"
#include "base/map.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_SUMMARY, METRIC_HISTOGRAM };
enum metrics_form { METRICS_OPEN, METRICS_CLASSIC, METRICS_PROTO };

struct metric_family {
	const char *name;		/* without a suffix such as "_total" */
	const char *help;
	enum metric_type type;
	bool powers;			/* a histogram whose buckets are powers of two */
};

struct metric_label {
	const char *name;		/* valid: [a-zA-Z_][a-zA-Z0-9_]* */
	const char *value;		/* any bytes */
};

struct metric_point {
	const struct metric_label *label;
	unsigned nlabels;
	int64_t value;			/* of a counter or gauge */
	uint64_t count;			/* of a summary */
	int64_t sum;
	bool has_sum;
	const struct agg_bucket *bucket;	/* of a histogram: ascending, without gaps; counts are not cumulative */
	unsigned nbuckets;
};

/* How points become bytes. */
struct metric_writer {
	void (*begin)(struct buf *out, const struct metric_family *f);
	void (*point)(struct buf *out, const struct metric_family *f, const struct metric_point *p);
	void (*end)(struct buf *out, struct buf *family, const struct metric_family *f);
};

struct metrics {
	struct arena *arena;
	struct buf *out;
	enum metrics_form form;
	struct map taken;		/* names of samples */
	uint64_t room;			/* series that may still be written */
	uint64_t dropped;		/* series that were not */
};

/* Call it before the others. most: the largest number of series. */
void metrics_begin(struct metrics *m, struct arena *a, struct buf *out, enum metrics_form form, uint64_t most);
/* Writes the aggregations that have rows. Of an aggregation with more rows than there is room, the largest. */
void metrics_tables(struct metrics *m, const struct agg_table *tables, unsigned n);
/* True if a key is a stack: such an aggregation has no metrics. */
bool metrics_has_stack(const struct agg_desc *d);
/* Writes a family of the program's own; these are not counted as series. Reserve its name first. */
void metrics_reserve(struct metrics *m, const char *name, enum metric_type type);
void metrics_family(struct metrics *m, const struct metric_family *f, const struct metric_point *p, unsigned n);
/* Ends the text. */
void metrics_end(struct metrics *m);

/* Appends `text` with every byte that a name may not have replaced by '_'. */
void metrics_name(struct buf *out, const char *text);
/* Appends a value of a label, escaped. Bytes that are not UTF-8 become the character with that number. */
void metrics_escape(struct buf *out, const char *text);

/* The writers of the forms. */
extern const struct metric_writer metrics_open, metrics_classic, metrics_proto;

#endif
