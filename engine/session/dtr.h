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
 * Errors: every function that returns int returns 0, or -1 after reporting through `message`.
 */
#ifndef ENGINE_SESSION_DTR_H
#define ENGINE_SESSION_DTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "engine/programs/start.h"
#include "engine/run/account.h"
#include "engine/run/recording.h"

struct dtr;

struct dtr_config {
	const char *progname;				/* prefix of messages: "dtr" */
	FILE *out;					/* the output */
	void (*message)(void *arg, const char *text);	/* diagnostics: complete lines, for standard error */
	void (*progress)(void *arg, const char *text);	/* slow operations; "" erases; other thread; or NULL */
	/* Runs the target, a command that has not started yet, up to a point of its start (engine/programs/start.h).
	 * Returns 0, or -errno with a sentence in reason[n]. NULL: the target runs already. */
	int (*advance)(void *arg, enum start_point to, char *reason, size_t n);
	void (*oom)(void *arg);				/* out of memory; must not return */
	void *arg;
	bool colour;					/* diagnostics may have colours: message is for a terminal */
	const char *share;				/* directory of prelude.d */
	/* For tests: the engine to use (struct backend_ops in engine/run/backend.h), or NULL. */
	const void *backend;
	void *backend_arg;
};

struct dtr *dtr_open(const struct dtr_config *c);
void dtr_close(struct dtr *t);				/* NULL is allowed */

/* -x name=value. */
int dtr_option(struct dtr *t, const char *name, const char *value);
/* Sets options from DTR_OPT_* variables. */
int dtr_environment(struct dtr *t, char **environ_);
/* Sets the macro arguments $0, $1... */
void dtr_arguments(struct dtr *t, const char *argv0, const char **args, unsigned n);
/* Sets $target. child: it is a child of this process that has not started yet, so it may be stopped and continued. */
void dtr_target(struct dtr *t, pid_t pid, bool child);
/* Describes the target for display: "process 12", "the command 'make'", and the file name of its program. Both may
 * be NULL. */
void dtr_subject(struct dtr *t, const char *text, const char *program);

/* Adds a script text. what: "probe specifier" (-n), "provider" (-P), "module", "function", "probe id". */
int dtr_add_text(struct dtr *t, const char *text, const char *what);
/* Adds a script that this program has written; both strings are valid until dtr_close. name: in messages. */
void dtr_add_script(struct dtr *t, const char *text, const char *name);
/* Adds a script file; "-" is standard input. A first line "#!" is skipped. name: in messages; NULL: the path. */
int dtr_add_file(struct dtr *t, const char *path, const char *name);

/* Instead of texts: writes a recording to config.out. Nothing is written before dtr_work. */
int dtr_record(struct dtr *t, const struct dtr_recording *r);
/* Runs the texts on a recording of dtr record or perf record instead of the machine. The path must live until
 * dtr_close. */
int dtr_query(struct dtr *t, const char *path);
/* Instead of texts: prints a summary of a recording in the format of -O (text, json, html). all: all rows, not only the
 * first ones of each table. Returns 0, or -1 after a message. */
int dtr_report(struct dtr *t, const char *path, bool all);

/* Compiles the texts up to generated code; loads nothing (-e stops here). */
int dtr_compile(struct dtr *t);
/* Reports "description 'X' matched N probes", unless quiet. */
void dtr_report_matches(struct dtr *t);
/* -d STAGE, one of P T I O B: prints the program to config.out. Returns -1 for an unknown stage. */
int dtr_dump(struct dtr *t, char stage);
/* -e, after dtr_compile: checks whether the engine accepts the program. Returns 0, or -1 after a message. */
int dtr_check(struct dtr *t);
/* -S, after dtr_compile: shows through `message` what the engine will run. */
int dtr_show(struct dtr *t);
/* -l, -lv: lists the probes that the texts match, or all without texts. Returns -1 if a text matches none. */
int dtr_list(struct dtr *t, bool verbose);
/* -h, -G: writes a file that programs need to have the probes that the texts declare: a C header, or an object for
 * the linker. bits: of the object, 32 or 64; 0: a header. inputs[n]: the other objects of the program, which must
 * exist. */
int dtr_declare(struct dtr *t, unsigned bits, const char *path, const char *const *inputs, unsigned n);
/* -v: reports the stability of the program. */
void dtr_report_stability(struct dtr *t);

/* Parses what follows "profile-" and "tick-": 97, 97hz, 10ms. Returns 0 and *ns, or -1 and the reason in reason[n]. */
int dtr_interval(const char *text, uint64_t *ns, char *reason, size_t n);

/* -x profsrc=help: lists the sources of samples of this machine. */
void dtr_source_help(FILE *out);

/* Loads the program, attaches all probes, runs BEGIN and activates the probes. Returns 0, or -1 after a message:
 * also if the program enables no probe, except with the option zdefs. */
int dtr_go(struct dtr *t);
enum dtr_work { DTR_MORE, DTR_DONE, DTR_ERROR };
/* One pass: waits at most switchrate (an option) and prints new records. DTR_DONE after exit(), dtr_stop or the end of
 * the target. */
enum dtr_work dtr_work(struct dtr *t);
/* Stops the session. Async-signal-safe; may be called from another thread. */
void dtr_stop(struct dtr *t);
/* Cancels a session that has not run anything yet: dtr_go then fails without a message. Returns false if it is too
 * late; then call dtr_stop. May be called from another thread. */
bool dtr_cancel(struct dtr *t);
bool dtr_is_cancelled(const struct dtr *t);
/* True once dtr_finish has begun. */
bool dtr_is_ending(const struct dtr *t);
/* How often writing of output has begun or ended: odd while it is being written. May be called from another thread. */
unsigned dtr_writes(const struct dtr *t);
/* To be called when the target process has ended. Stops like dtr_stop. */
void dtr_target_gone(struct dtr *t);
/*
 * Aggregations of a running session. Call these functions in the thread of dtr_work, after dtr_go; also after
 * dtr_finish. They print nothing, and do not change what printa(), clear() and trunc() of the script do.
 */
enum dtr_kind {
	DTR_INT,	/* a signed number */
	DTR_UINT,	/* an unsigned number, or a pointer */
	DTR_TEXT,	/* other values, on one line: a string, a symbol, a floating-point number; bytes: hexadecimal */
	DTR_STACK,	/* frames, innermost first, separated by newlines, without indentation */
};
struct dtr_key {
	enum dtr_kind kind;
	int64_t number;		/* DTR_INT, DTR_UINT: the value; otherwise 0 */
	const char *text;	/* as dtr prints it, without blanks around it; control characters are escaped */
};
/* Values from `from` to `to`, both included. INT64_MIN, INT64_MAX: no bound. */
struct dtr_bucket {
	int64_t from, to;
	int64_t count;		/* divided as by normalize() */
};
struct dtr_agg {
	const char *name;	/* without '@'; "" for the anonymous one */
	const char *function;	/* "count", "quantize"... */
	unsigned n_keys;	/* of each row */
};
struct dtr_row {
	const struct dtr_key *keys;	/* n_keys */
	unsigned n_keys;
	int64_t value;		/* what printa() prints; of a histogram: the sum of its counts */
	bool has_count, has_sum;	/* count(): a count; sum(): a sum; avg(), stddev(): both; histograms: a count */
	int64_t count;		/* how many values were added: not divided by normalize(), except with count() and in
				 * histograms */
	int64_t sum;		/* of the values, divided as by normalize() */
	const struct dtr_bucket *buckets;	/* histograms: those that are not empty, ascending */
	unsigned n_buckets;
};
/* Reads all aggregations. Returns 0, or -1 after a message. */
int dtr_snapshot(struct dtr *t);
/* The number of aggregations of the script; 0 before dtr_go. */
unsigned dtr_agg_count(const struct dtr *t);
/* Stores the description of aggregation i, in the order of their first use. Returns false if there is none. The strings
 * are valid until dtr_close. */
bool dtr_agg(const struct dtr *t, unsigned i, struct dtr_agg *out);
/*
 * Calls row(arg, r) for each row of aggregation i in the last snapshot, in the order in which printa() prints them
 * (-x aggsortkey, aggsortrev...). A return value other than 0 ends the walk. Returns that value; 0 after all rows,
 * without a snapshot or without such an aggregation; -1 after a message. Rows are valid until the next dtr_snapshot,
 * dtr_work, dtr_finish or dtr_close.
 */
int dtr_agg_rows(struct dtr *t, unsigned i, int (*row)(void *arg, const struct dtr_row *r), void *arg);

/* Runs END; prints the remaining records, the aggregations that nothing printed, and drops. */
int dtr_finish(struct dtr *t);
/* True if only the output of actions is wanted: -q, or the script's pragma (known after dtr_compile). */
bool dtr_quiet(const struct dtr *t);
/* True if the output is a picture, written as a whole at the end: it replaces the contents of a file. */
bool dtr_is_picture(const struct dtr *t);
/* After dtr_finish: describes the picture. Returns false if none was written or it is empty. */
bool dtr_picture(const struct dtr *t, struct dtr_picture *out);
/* True if the output is text; false: it is for programs, and nothing else may go to it. */
bool dtr_for_people(const struct dtr *t);
/* After dtr_finish: stores the account of enabled probe `i` (from 0) on one CPU, or on all (-1). Returns false if
 * there is none, and sets *beyond if i is beyond the last probe. */
bool dtr_account(const struct dtr *t, unsigned i, int cpu, struct dtr_account *out, bool *beyond);

/* After dtr_finish with -x cost: stores the cost of probe i. Returns false if i is beyond the last probe or cost is
 * off. */
bool dtr_cost(const struct dtr *t, unsigned i, struct dtr_cost *out);

/*
 * Instead of texts: files written by -x aggsave. merge adds them, prints the sum like aggregations at the end of a
 * session, and writes it to the file `save` (NULL: none); diff prints the differences. Both return 0, or -1 after a
 * message.
 */
int dtr_merge(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print);
int dtr_diff(struct dtr *t, const char *from, const char *to);

/* Returns the status of exit(), 0 without exit(), 1 after a run-time failure. */
int dtr_status(const struct dtr *t);

#endif
