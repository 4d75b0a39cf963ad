/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session from inside: what the files of engine/ share. Others use engine/session/dtr.h.
 *
 * Ownership: the session's arena owns what lives as long as the session; the queue, the output buffer and the
 * aggregation tables are freed by dtr_close.
 * Errors: see each function.
 */
#ifndef ENGINE_SESSION_SESSION_H
#define ENGINE_SESSION_SESSION_H

#include <stdatomic.h>

#include "engine/output/flow.h"
#include "engine/run/names.h"
#include "engine/run/backend.h"
#include "engine/session/about.h"
#include "engine/session/dtr.h"
#include "engine/session/keep.h"
#include "engine/session/speculate.h"
#include "lang/compile.h"

/* One text of the script. */
struct text {
	struct source src;
	const char *kind, *name;	/* "description" 'profile-97', "script" 'x.d': how messages call it */
};

/* Was something run already, so that END has to run and output to be printed? */
enum session_phase { SESSION_NOT_YET, SESSION_BEGUN, SESSION_CANCELLED };

struct dtr {
	struct dtr_config cfg;
	struct arena arena;
	struct diags diags;
	size_t shown;			/* so many diagnostics were printed */

	struct options opts;
	VEC(struct { const char *name, *value; }) given;	/* -x */
	char **env;
	VEC(struct text *) texts;

	struct probe_set probes;
	struct compile_opts copts;
	struct compiler comp;
	bool comp_open;
	struct d_prog *prog;

	const struct printer *printer;	/* instead of the one that -O names, or NULL */
	struct recorder *recorder;	/* dtr_record */
	struct record_feed *feed;	/* dtr_replay */
	const struct backend_ops *ops;
	struct backend *_Atomic backend;	/* read by dtr_stop in a signal handler */
	atomic_bool stop;
	_Atomic int phase;	/* enum session_phase: whoever comes first decides */

	struct {
		const char *text, *program;	/* dtr_subject, or NULL */
	} subject;
	struct run_about about;

	struct names symbols;		/* behind them */
	struct val_names names;		/* of addresses; nothing is read before one is shown */
	struct agg_table *tables;	/* by agg_desc id */
	bool *printed;
	unsigned ntables;
	struct {			/* the firing that the tables were read for */
		bool valid;
		int cpu;
		uint64_t ts;
		const struct probe *probe;
	} snap;

	struct queue queue;
	struct specs specs;		/* speculations */
	struct keep keep;		/* bufpolicy */
	struct flow flow;		/* -F */
	struct buf out;
	struct {
		struct buf record, rows;	/* the record that is being written, and the rows that belong behind it */
	} json;
	struct picture *picture;	/* -O folded, pprof, speedscope, html; NULL otherwise */
	const char *program;		/* dtr merge: the script of the files; NULL: it is `texts` */
	struct {
		bool saved;		/* freopen() has put another file in the place of this one */
		int fd;
	} output;
	bool headed;			/* the header line was printed */
	bool line;			/* of the record that is being printed: it began with the probe's name */
	bool gone;			/* nobody reads the output any more */
	bool failed;			/* a run-time failure: status 1 */
	bool working;			/* dtr_work was called */
	atomic_bool finished;
	uint64_t status_due;
	struct {			/* when the probes were armed */
		uint64_t time;		/* CLOCK_MONOTONIC, ns */
		uint64_t spent;		/* CPU time of this process, ns */
		uint64_t *idle;		/* ns that each CPU had idled by then; after ledger_end: since then. NULL: not wanted */
		unsigned ncpus;
	} begun;
	int64_t status;
};

/* session.c */
/* All that goes to the message callback: the text, with escapes for what a terminal might obey. */
void session_write(struct dtr *t, const struct buf *text);
/* "PROG: text\n" to the message callback, and into the output if its format has messages. */
void session_message(struct dtr *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* To the message callback alone: what a format of output has objects of its own for. */
void session_tell(struct dtr *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shows the diagnostics that are new. -1 if there is an error among all of them. */
int session_show_diags(struct dtr *t);
/* Parses the texts, unless that was done. -1 after saying why. */
int session_parse(struct dtr *t);
/* The next two stages, each behind the one before. -1 after saying why. */
int session_check(struct dtr *t);
int session_lower(struct dtr *t);

/* By the clock of the records, ns. */
uint64_t session_now(struct dtr *t);
/* setopt() has changed what only the consumer looks at: in force from here on. */
void session_options_changed(struct dtr *t);

/* consumer.c */
/* One pass: takes what is there, waiting up to `timeout` ns for it; prints in order of time. all: also what is so young
 * that an older record could still come. 0 or -errno. */
int consumer_pass(struct dtr *t, uint64_t timeout, bool all);
/* Hands the output buffer to the output file. */
void consumer_flush(struct dtr *t);

/* actions.c */
/* What one recording action of a record prints or does. */
void action_run(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e, const struct rec_act *a);
/* Prints the aggregations that no printa() printed. */
void action_print_rest(struct dtr *t);

/* report.c */
/* "error on enabled probe ID ..." */
void report_error(struct dtr *t, const struct error_rec *r);
void report_drops(struct dtr *t);
/* How many probes the clauses of a text match. */
unsigned report_matches(const struct dtr *t, const struct text *x);

/* ledger.c */
/* Notes when the probes were armed, and what was spent until then. */
void ledger_begin(struct dtr *t);
/* When they have been disarmed. */
void ledger_end(struct dtr *t);
/* The accounts of firings, as -x ledger asks for them; what it all has cost, with -x cost. */
void report_ledger(struct dtr *t);
void report_cost(struct dtr *t);

#endif
