/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The formats of a session's output: one table of functions each. Messages on standard error are the same in all
 * formats. A format with its own objects for them gets them as calls too.
 *
 * Ownership: everything is appended to the session's output buffer (dtr->out).
 * Errors: no memory (buf->failed).
 */
#ifndef ENGINE_OUTPUT_PRINTER_H
#define ENGINE_OUTPUT_PRINTER_H

#include "engine/session/session.h"

/* A fault in a clause. */
struct fault {
	const struct epid_desc *e;
	const struct error_rec *rec;
	const char *text;	/* "invalid address" */
	bool has_value;		/* rec->value is meaningful */
	uint32_t line;		/* 0 = unknown */
};

struct drop {
	const char *tag;	/* "DTRACEDROP_PRINCIPAL" */
	int cpu;		/* -1 = all CPUs */
	uint64_t n;
};

/* print(): a value and its type (engine/output/print_typed.c). */
void print_typed(struct dtr *t, const void *rec, const struct rec_act *a);
/* tracemem(): as many bytes as its last argument says (engine/output/print_mem.c). */
void print_tracemem(struct dtr *t, const void *rec, const struct rec_act *a);

/* All members except `name`, `action`, `probe` and `note` may be NULL: no output. */
struct printer {
	const char *name;	/* its name for -O */
	bool pure;		/* nothing else may go to the output */
	bool silent;		/* faults are not reported: the script is not the user's */
	void (*begin)(struct dtr *t);
	/* A record: before its actions, for each action, after them. */
	void (*record)(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e);
	void (*action)(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a);
	void (*record_end)(struct dtr *t);
	/* An aggregation that nothing has printed; first: the first of these. */
	void (*rest)(struct dtr *t, const struct agg_table *table, bool first);
	void (*rest_end)(struct dtr *t, bool any);
	/* Called instead of rest, with all aggregations, printed or not. */
	void (*aggregations)(struct dtr *t, const struct agg_table *tables, unsigned n);
	void (*fault)(struct dtr *t, const struct fault *f);
	void (*drop)(struct dtr *t, const struct drop *d);
	void (*account)(struct dtr *t, const struct dtr_account *a);
	void (*cost)(struct dtr *t, const struct dtr_cost *c, uint64_t time);
	void (*message)(struct dtr *t, const char *text);
	void (*diag)(struct dtr *t, const struct diag *d);
	void (*end)(struct dtr *t);
	/* Called before the output buffer is written. */
	void (*flush)(struct dtr *t);
	/* -l: before the probes, and for each. */
	void (*probes)(struct dtr *t);
	void (*probe)(struct dtr *t, const struct probe *p, bool verbose);
	/* A requested text: "stability" (-v), "dump" (-d). */
	void (*note)(struct dtr *t, const char *what, const struct buf *text);
};

/* Lists probes as text (list.c). */
void list_text_head(struct dtr *t);
void list_text_probe(struct dtr *t, const struct probe *p, bool verbose);

extern const struct printer printer_text, printer_json;

const struct printer *session_printer(const struct dtr *t);
/* By enum output_format; NULL after the last. */
const struct printer *printer_number(unsigned i);

#endif
