/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a session, shared by the files of engine/session. Others use engine/dtr.h.
 *
 * Ownership: the session's arena owns what lives as long as the session; dtr_close frees the rest.
 * Errors: see each function.
 */
#ifndef ENGINE_SESSION_SESSION_H
#define ENGINE_SESSION_SESSION_H

#include <stdatomic.h>

#include "engine/dtr.h"
#include "engine/output/accounts.h"
#include "engine/output/output.h"
#include "engine/run/backend.h"
#include "engine/session/queue.h"
#include "engine/session/retain.h"
#include "engine/session/speculate.h"
#include "lang/compile.h"

struct script_text;

/* Whether anything has run, so that END must run and output must be printed. */
enum session_phase { SESSION_NOT_YET, SESSION_BEGUN, SESSION_CANCELLED };

/* What the script has aggregated, as read from the engine. */
struct session_aggs {
	struct agg_table *tables;	/* by agg_desc id */
	struct agg_table *aside;	/* rows that were read early (agg_tables.h) */
	struct agg_table *named;	/* those of processes that have ended: texts instead of addresses */
	bool *printed;
	unsigned n;
	struct {			/* the firing for which the tables were read */
		bool valid;
		int cpu;
		uint64_t ts;
		const struct probe *probe;
	} snap;
};

/* dtr_snapshot */
struct session_snapshot {
	struct agg_table *tables;	/* by agg_desc id; NULL before the first one */
	struct arena arena;		/* the rows below */
	struct snapshot_rows { struct dtr_row *v; size_t n; bool made; } *rows;
};

/* See engine/session/pages.h. */
struct session_pages {
	struct agg_table *before;	/* by agg_desc id: the rows at the last dtr_profile_added; NULL: none yet */
	uint64_t began;			/* when that was, on the clock of run_about; 0: never */
	bool dropped;			/* that series were dropped has been reported */
};

struct dtr {
	struct dtr_config cfg;
	pid_t owner;			/* the process that has opened the session */
	bool engine_given;		/* by session_use */
	void *engine_input;		/* its backend_args.input */
	FILE *discarded;		/* cfg.out, if the caller wants no output */
	struct arena arena;
	struct diags diags;
	size_t shown;			/* number of diagnostics printed so far */
	struct output output;

	/* the script and its options */
	struct options opts;
	VEC(struct { const char *name, *value; }) given;	/* -x */
	char **environment;
	VEC(struct script_text *) texts;
	struct {
		const char *text, *program;	/* dtr_subject, or NULL */
	} subject;

	struct probe_set probes;
	struct programs *programs;
	VEC(int64_t) targets;
	bool owned, untraced;		/* the target is a child of this process; it must not be traced by ptrace(2) */
	uint64_t limited;		/* time of the last look at probes that fire too often, ns */
	VEC(int64_t) followed;		/* processes (follow.h), and their dynamic linkers */
	VEC(struct followed_linker { int64_t pid; dev_t dev; ino_t ino; }) linkers;
	struct compile_env env;
	struct compiler comp;
	bool comp_open;
	struct d_prog *prog;

	/* the engine */
	const struct dtr_recording *recording;	/* dtr_record, or NULL */
	struct recording_file *query;	/* the recording of dtr_query, or NULL */
	struct dtr_kept_args kept;	/* dtr_keep */
	const struct backend_ops *ops;	/* the kernel engine, until session_engine has chosen */
	char reason[256];		/* backend_args.reason */
	bool rather_user, by_timers;	/* see struct engine_wish */
	struct backend *_Atomic backend;	/* read by dtr_stop in a signal handler */
	atomic_bool stop;
	_Atomic int phase;	/* enum session_phase: the first change from SESSION_NOT_YET wins */
	atomic_bool finished;		/* dtr_finish has begun */
	bool failed;			/* dtr_go has */

	/* records and aggregations on their way to the output */
	struct {			/* dtr_records; fn is NULL: they are printed */
		void (*fn)(void *arg, const struct dtr_record *r);
		void *arg;
	} receiver;
	struct names symbols;		/* read when the first address is shown */
	int unwatched;			/* -errno: why addresses of short-lived processes have no names; 0: none */
	struct session_cgroups {	/* see engine/session/cgroups.h */
		bool used, watched, full;
		bool compared;		/* programs have had what they compare once */
		bool found;		/* the group of -x cgroup or -x container was there */
		uint64_t changes;	/* of containers_refresh, as programs know them */
	} cgroups;
	struct session_aggs aggs;
	struct session_snapshot snapshot;
	struct session_pages pages;
	struct session_lateness {	/* see engine/session/lateness.h; NULL: not needed yet */
		uint64_t *fired;	/* by clause: its last firing that printed */
		uint64_t *last;		/* by a probe's first clause: the only firing that is still carried out */
		uint64_t most;		/* ns by which output was late */
		uint64_t left_out;	/* firings */
	} lateness;
	uint64_t relieved;		/* when buffers were last read meanwhile; CLOCK_MONOTONIC, ns */
	struct queue queue;
	struct buf whole;		/* a record with frames that were unwound later */
	struct speculations specs;
	struct retention retention;	/* bufpolicy */
	struct accounts accounts;
	uint64_t status_due;
	struct session_periodic {	/* -x aggsaverate */
		struct agg_table *tables;	/* by agg_desc id; NULL: not read yet */
		uint64_t due;			/* CLOCK_MONOTONIC, ns */
		int failed;			/* the last error, -errno */
	} periodic;
	uint64_t govern_due;		/* -x maxcost: the next check */
	bool too_expensive;		/* that is why it was stopped */
};

/* Shows new diagnostics. Returns -1 if there is any error, old or new. */
int session_show_diags(struct dtr *t);
/* Writes the notes. */
void session_show_notes(struct dtr *t);
/* Uses this engine instead of choosing one: for kept sessions, and for tests. Call it after dtr_open. */
void session_use(struct dtr *t, const struct backend_ops *ops, void *input);
/* Chooses the engine according to the options as they are now. */
void session_engine(struct dtr *t);
/* The time on the clock of the records, ns. */
uint64_t session_now(struct dtr *t);
/* Applies options that setopt() has changed and that only the consumer uses. */
void session_options_changed(struct dtr *t);

#endif
