/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The formats of a session's output: one table of functions each. Messages on standard error are the same in all
 * formats. A format with its own objects for them gets them as calls too.
 *
 * To add a format, write its printer in a file of its own and add that to OUTPUT_FORMATS in
 * engine/output/local.mk; engine/run/formats.def is made from this list.
 *
 * Ownership: everything is appended to o->buf. A printer allocates its state in `begin`; `close` frees what is not in
 * the arena.
 * Errors: no memory (buf.failed).
 */
#ifndef ENGINE_OUTPUT_PRINTER_H
#define ENGINE_OUTPUT_PRINTER_H

#include "aggregation/agg.h"
#include "engine/run/account.h"
#include "lang/prog.h"

struct output;
struct shares_list;

/* A fault in a clause. */
struct output_fault {
	const struct epid_desc *e;
	const struct error_rec *rec;
	const char *text;	/* "invalid address" */
	bool has_value;		/* rec->value is meaningful */
	uint32_t line;		/* 0 = unknown */
};

struct output_drop {
	const char *tag;	/* "DTRACEDROP_PRINCIPAL" */
	int cpu;		/* -1 = all CPUs */
	uint64_t n;
};

/* Required: `action`, `probe`, `note`, and `rest` or `aggregations`. The others may be NULL: no output. */
struct printer {
	bool pure;		/* only the format itself goes to the output; what actions print is a message */
	bool addresses;		/* it shows addresses of processes, not only their texts */
	bool silent;		/* faults are not reported: the script is not the user's */
	void (*begin)(struct output *o);
	/* A record: before its actions, for each action, after them. */
	void (*record)(struct output *o, int cpu, const struct rec_hdr *rec, const struct epid_desc *e);
	void (*action)(struct output *o, const struct rec_hdr *rec, const struct rec_act *a);
	void (*record_end)(struct output *o);
	/* An aggregation that is about to lose all its rows: clear() and trunc(). */
	void (*clear)(struct output *o, const struct agg_table *table);
	/* An aggregation that nothing has printed; first: the first of these. */
	void (*rest)(struct output *o, const struct agg_table *table, bool first);
	void (*rest_end)(struct output *o, bool any);
	/* With -x shares: the aggregations of count(), printed or not, before the rest; instead of `aggregations` if
	 * there are no others. NULL: as without -x shares. */
	void (*shares)(struct output *o, const struct shares_list *list);
	/* Called instead of rest, with all aggregations, printed or not. */
	void (*aggregations)(struct output *o, const struct agg_table *tables, unsigned n);
	void (*fault)(struct output *o, const struct output_fault *f);
	void (*drop)(struct output *o, const struct output_drop *d);
	void (*account)(struct output *o, const struct dtr_account *a);
	void (*stacks)(struct output *o, const struct dtr_stacks *n);
	void (*cost)(struct output *o, const struct dtr_cost *c, uint64_t time);
	/* spent: the share of all CPUs' time, 0 to 1, that the session has cost. */
	void (*thinned)(struct output *o, const struct dtr_thinned *t, double spent);
	void (*message)(struct output *o, const char *text);
	void (*diag)(struct output *o, const struct diag *d);
	void (*end)(struct output *o);
	/* Called before the buffer is written. */
	void (*flush)(struct output *o);
	/* Frees the state. Called only if there is one. */
	void (*close)(struct output *o);
	/* -l: before the probes, and for each. */
	void (*probes)(struct output *o);
	void (*probe)(struct output *o, const struct probe *p, bool verbose);
	/* A requested text: "stability" (-v), "dump" (-d). */
	void (*note)(struct output *o, const char *what, const struct buf *text);
};

/* printer_text and the others. */
#define FORMAT(word) extern const struct printer printer_##word;
#include "engine/run/formats.def"

/* The printer of a row of formats.def, counted from 0. */
const struct printer *printer_number(unsigned i);

#endif
