/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The public interface: a tracing session. cmd/dtr is its first user.
 *
 *	struct dtr *t = dtr_open(&cb);
 *	dtr_option(t, "quiet", NULL);
 *	dtr_add_text(t, "profile-97 { @[execname] = count(); }", "probe specifier");
 *	if (dtr_compile(t) == 0 && dtr_go(t) == 0)
 *		while (dtr_work(t) == DTR_MORE)
 *			;
 *	dtr_finish(t);			// END, last records, aggregations, drops
 *	status = dtr_status(t);
 *	dtr_close(t);
 *
 * Ownership: the session owns everything; strings given in must live until dtr_close.
 * Errors: every call that returns int gives 0 or -1 after reporting through `message`.
 */
#ifndef ENGINE_SESSION_DTR_H
#define ENGINE_SESSION_DTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "engine/run/account.h"

struct dtr;

struct dtr_config {
	const char *progname;				/* how messages begin: "dtr" */
	FILE *out;					/* where output goes */
	void (*message)(void *arg, const char *text);	/* diagnostics: complete lines, for standard error */
	void (*progress)(void *arg, const char *text);	/* what takes long, for a terminal; "" erases it. In another thread. NULL: nobody looks */
	void (*oom)(void *arg);				/* memory exhausted; must not return */
	void *arg;
	const char *share;				/* directory of prelude.d */
	/* Test seam: another engine than the kernel's (see engine/run/backend.h), or NULL. */
	const void *backend;
	void *backend_arg;
};

struct dtr *dtr_open(const struct dtr_config *c);
void dtr_close(struct dtr *t);				/* idempotent on NULL */

/* -x name=value. */
int dtr_option(struct dtr *t, const char *name, const char *value);
/* DTR_OPT_* variables. */
int dtr_environment(struct dtr *t, char **environ_);
/* Macro arguments $0, $1... */
void dtr_arguments(struct dtr *t, const char *argv0, const char **args, unsigned n);
/* $target. */
void dtr_target(struct dtr *t, pid_t pid);
/* What is traced, for people: "process 12", "the command 'make'", and the file name of its program. Both may be NULL. */
void dtr_subject(struct dtr *t, const char *text, const char *program);

/* A script text. what: "probe specifier" (-n), "provider" (-P), "module", "function", "probe id". */
int dtr_add_text(struct dtr *t, const char *text, const char *what);
/* A script file; "-" is standard input. A first line "#!" is skipped. */
int dtr_add_file(struct dtr *t, const char *path);

/* Instead of texts: what is taken down while the session runs, into config.out. Nothing is written before dtr_work. */
struct dtr_recording {
	const char *rate;	/* "997", "10ms": as behind profile- */
	bool stacks;
	bool compress;
	bool quiet;		/* nothing is said about the samples that were recorded */
	bool stream;		/* config.out is neither emptied first nor cut behind the last whole block */
};
int dtr_record(struct dtr *t, const struct dtr_recording *r);
/* The texts ask a recording of dtr record or perf record instead of the machine. The path must live until dtr_close. */
int dtr_replay(struct dtr *t, const char *path);
/* Without texts: reports (through `message`) which scripts can be run on a recording, or why it cannot be read. */
void dtr_replay_questions(struct dtr *t, const char *path);

/* Everything up to generated code; nothing is loaded (-e stops here). */
int dtr_compile(struct dtr *t);
/* "description 'X' matched N probes" lines, unless quiet. */
void dtr_report_matches(struct dtr *t);
/* -d STAGE: one of P T I O B. Output to config.out. -1: unknown stage. */
int dtr_dump(struct dtr *t, char stage);
/* -e, after dtr_compile: would the engine refuse the program? -1 after saying why. */
int dtr_check(struct dtr *t);
/* -S, after dtr_compile: what the engine will run, through `message`. */
int dtr_show(struct dtr *t);
/* -l, -lv: the probes that the texts match, or all if there are none. -1: some text matches none. */
int dtr_list(struct dtr *t, bool verbose);
/* -v: the stability report of the program. */
void dtr_report_stability(struct dtr *t);

/* What follows "profile-" and "tick-": 97, 97hz, 10ms. 0 and *ns; -1 and the reason in `why`. */
int dtr_interval(const char *text, uint64_t *ns, char *why, size_t n);

/* -x profsrc=help: which sources of samples this machine offers. */
void dtr_source_help(FILE *out);

/* Loads, attaches all probes, runs BEGIN, makes them fire. -1 after saying why: also where the program enables no probe, except
 * with the option zdefs. */
int dtr_go(struct dtr *t);
enum dtr_work { DTR_MORE, DTR_DONE, DTR_ERROR };
/* One pass: waits (at most the switch rate), prints what came. DTR_DONE after exit(), dtr_stop or -p/-c target's end. */
enum dtr_work dtr_work(struct dtr *t);
/* Stops: from a signal handler or another thread (async-signal-safe). */
void dtr_stop(struct dtr *t);
/* If nothing has run yet, nothing will: dtr_go fails without a message. False: too late, it has to be stopped. From
 * another thread, too. */
bool dtr_cancel(struct dtr *t);
bool dtr_is_cancelled(const struct dtr *t);
/* Has dtr_finish begun? */
bool dtr_is_ending(const struct dtr *t);
/* The target process has ended: like dtr_stop. */
void dtr_target_gone(struct dtr *t);
/* Runs END, prints what is left, the aggregations that nothing printed, drops. */
int dtr_finish(struct dtr *t);
/* Only what the actions print is wanted: -q, or the script says so (known after dtr_compile). */
bool dtr_quiet(const struct dtr *t);
/* The output is one whole, made at the end: it takes the place of what a file held before. */
bool dtr_is_picture(const struct dtr *t);
/* The output is text; false: programs read it, and nothing else may be written into it. */
bool dtr_for_people(const struct dtr *t);
/* After dtr_finish: the account of probe `i` of those enabled (0..), on one CPU or (-1) in all. False: there is none;
 * *beyond is set where i is beyond the last. */
bool dtr_account(const struct dtr *t, unsigned i, int cpu, struct dtr_account *out, bool *beyond);

/* After dtr_finish with -x cost: what probe i's program has cost. False: i is beyond the last probe, or there are no costs. */
bool dtr_cost(const struct dtr *t, unsigned i, struct dtr_cost *out);

/*
 * Instead of a session's texts: files that -x aggsave has written. merge adds them up, prints the sum as the end of a session prints
 * aggregations, and writes it into a file (NULL: none); diff prints what changed. -1 after saying why.
 */
int dtr_merge(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print);
int dtr_diff(struct dtr *t, const char *from, const char *to);

/* exit()'s status, 0 without one, 1 after a run-time failure. */
int dtr_status(const struct dtr *t);

#endif
