/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints records and aggregations as text, in DTrace's layouts.
 * Ownership: output goes into the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef ENGINE_OUTPUT_PRINT_H
#define ENGINE_OUTPUT_PRINT_H

#include "aggregation/agg.h"
#include "base/escape.h"
#include "lang/prog.h"

struct types;

/* trace(): 64-bit " %19d", 32-bit " %10d", strings "  %-33s"; quiet: the bare value. */
void print_trace(struct buf *out, const struct val_field *f, const void *rec, bool quiet);

/* The same for a float, double or long double, in the format %g. */
void print_trace_float(struct buf *out, const struct val_field *f, const void *rec, bool quiet);

/* print(): a value and its type, at most `most` bytes of it. */
void print_typed(struct buf *out, struct types *types, uint64_t most, const void *rec, const struct rec_act *a);

/* The text of an action with a format, from the values of a record. set: the escapes for strings that do not come from
 * the script. */
void print_format(struct buf *out, const struct rec_act *a, const void *rec, const struct val_names *names,
		  enum escape_set set);

/* Tables whose rows are printed together, in this order. */
struct print_tables {
	const struct agg_table *const *v;
	unsigned n;
	const struct agg_order *order;
};

/* printa with a format: one line per row of the joined tables; row_done: see agg_print_rows. Returns 0 or -ENOMEM. */
int print_printa(struct buf *out, const struct fmt *fmt, const struct print_tables *t, void (*row_done)(void *arg),
		 void *arg);

/* One line of print_printa, without escapes. */
void print_printa_row(struct buf *out, const struct fmt *fmt, const struct agg_table *const *t, unsigned ntables,
		      const struct agg_joint *row);

/* "CPU     ID                    FUNCTION:NAME\n", and the prefix of a line in these columns. */
void print_header(struct buf *out);
void print_prefix(struct buf *out, int cpu, const struct probe *p);

#endif
