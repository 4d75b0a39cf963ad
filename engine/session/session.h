/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of a session, shared by engine/session and engine/output. Others use engine/session/dtr.h.
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
	const char *kind, *name;	/* its name in messages: "description" 'profile-97', "script" 'x.d' */
};

/* Whether anything has run, so that END must run and output must be printed. */
enum session_phase { SESSION_NOT_YET, SESSION_BEGUN, SESSION_CANCELLED };

struct dtr {
	struct dtr_config cfg;
	struct arena arena;
	struct diags diags;
	size_t shown;			/* number of diagnostics printed so far */

	struct options opts;
	VEC(struct { const char *name, *value; }) given;	/* -x */
	char **environment;
	VEC(struct text *) texts;

	struct probe_set probes;
	struct compile_env env;
	struct compiler comp;
	bool comp_open;
	struct d_prog *prog;

	const struct printer *printer;	/* replaces the one that -O selects; or NULL */
	struct recorder *recorder;	/* dtr_record */
	struct record_feed *query;	/* the recording of dtr_query, or NULL */
	const struct backend_ops *ops;	/* the kernel engine, until session_engine has chosen */
	char reason[256];		/* backend_args.reason */
	struct backend *_Atomic backend;	/* read by dtr_stop in a signal handler */
	atomic_bool stop;
	_Atomic int phase;	/* enum session_phase: the first change from SESSION_NOT_YET wins */

	struct {
		const char *text, *program;	/* dtr_subject, or NULL */
	} subject;
	struct run_about about;

	struct names symbols;		/* implements `names` */
	struct val_names names;		/* symbols are read when the first address is shown */
	struct agg_table *tables;	/* by agg_desc id */
	bool *printed;
	unsigned ntables;
	struct {			/* the firing for which the tables were read */
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
		struct buf record, rows;	/* the record being written, and the rows that follow it */
	} json;
	struct picture *picture;	/* -O folded, pprof, speedscope, html; NULL otherwise */
	const char *program;		/* dtr merge: the script of the files; NULL: `texts` */
	struct {
		bool saved;		/* freopen() has replaced this output */
		int fd;
	} output;
	bool headed;			/* the header line was printed */
	bool line;			/* the record being printed began with the probe's name */
	atomic_uint writes;		/* see dtr_writes */
	bool gone;			/* the reader of the output has closed it */
	bool failed;			/* a run-time failure: status 1 */
	bool working;			/* dtr_work was called */
	atomic_bool finished;
	uint64_t status_due;
	struct {			/* state when the probes were armed */
		uint64_t time;		/* CLOCK_MONOTONIC, ns */
		uint64_t spent;		/* CPU time of this process, ns */
		uint64_t *idle;		/* idle ns of each CPU until then; after ledger_end: since then. NULL: unused */
		unsigned ncpus;
	} begun;
	int64_t status;
};

/* session.c */
/* Passes text to the message callback, with terminal control characters escaped. All messages go through it. */
void session_write(struct dtr *t, const struct buf *text);
/* Sends "PROG: text\n" to the message callback, and to the output if its format has messages. */
void session_message(struct dtr *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sends it only to the message callback: for messages that output formats show as objects of their own. */
void session_tell(struct dtr *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shows new diagnostics. Returns -1 if there is any error, old or new. */
int session_show_diags(struct dtr *t);
/* Compiles the texts up to a stage, from where the compilation was. Returns 0, or -1 after messages. */
int session_compile(struct dtr *t, enum compile_stage last);

/* Chooses the engine according to the options as they are now. */
void session_engine(struct dtr *t);
/* The time on the clock of the records, ns. */
uint64_t session_now(struct dtr *t);
/* Applies options that setopt() has changed and that only the consumer uses. */
void session_options_changed(struct dtr *t);

/* query.c */
/* Reports a damaged recording, after everything was read. */
void query_report(struct dtr *t);
void query_close(struct dtr *t);	/* idempotent */

/* consumer.c */
/* One pass: takes the available records, waiting up to `timeout` ns, and prints them in order of time. all: also prints
 * records so recent that an older one could still arrive. Returns 0 or -errno. */
int consumer_pass(struct dtr *t, uint64_t timeout, bool all);
/* Writes the output buffer to the output file. */
void consumer_flush(struct dtr *t);

/* actions.c */
/* Prints or performs one recording action of a record. */
void action_run(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e, const struct rec_act *a);
/* Prints the aggregations that no printa() has printed. */
void action_print_rest(struct dtr *t);

/* report.c */
/* Reports "error on enabled probe ID ...". */
void report_error(struct dtr *t, const struct error_rec *r);
void report_drops(struct dtr *t);
/* Returns how many probes the clauses of a text match. */
unsigned report_matches(const struct dtr *t, const struct text *x);

/* ledger.c */
/* Stores the time at which probes were armed, and the CPU time used until then. */
void ledger_begin(struct dtr *t);
/* To be called after the probes have been disarmed. */
void ledger_end(struct dtr *t);
/* Reports the accounts of firings as -x ledger says, and the cost with -x cost. */
void report_ledger(struct dtr *t);
void report_cost(struct dtr *t);

#endif
