/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libdtr: tracing sessions. The command dtr is its first user; dtr(3) describes it.
 *
 *	struct dtr *t = dtr_open(&config);
 *	dtr_option(t, "quiet", NULL);
 *	dtr_add_text(t, "profile-97 { @[execname] = count(); }", DTR_PROBE);
 *	if (dtr_compile(t) == 0 && dtr_go(t) == 0)
 *		while (dtr_work(t) == DTR_MORE)
 *			;
 *	dtr_finish(t);			// END, last records, aggregations, drops
 *	status = dtr_status(t);
 *	dtr_close(t);
 *
 * Ownership: the session owns everything; strings given in must live until dtr_close.
 * Errors: every function that returns int returns 0, or -1 after reporting through `message`, unless it says otherwise.
 * Threads: a session belongs to one thread, except where a function says otherwise.
 *
 * This header is installed and includes no other header of dtr. Structures change only together with the soname of the
 * library.
 */
#ifndef DTR_H
#define DTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DTR_VERSION "0.1.0"

/* Returns the version of the library at run time. */
const char *dtr_version(void);

struct dtr;

/* Points of the start of a program. */
enum dtr_point {
	DTR_AT_EXEC,		/* after exec, before the first instruction: where it is */
	DTR_AT_PREINIT,		/* the libraries that it is linked with are loaded; no constructor has run */
	DTR_AT_POSTINIT,		/* constructors have run */
	DTR_AT_MAIN,		/* before the first instruction of main() */
};

/* Causes of losses: firings that were due and did not happen. */
enum dtr_loss {
	DTR_LOST_IDLE,		/* the CPU was idle: the kernel handled the timer without running the program */
	DTR_LOST_OFFLINE,	/* the CPU was offline */
	DTR_LOST_LATE,		/* the timer was so late that it skipped intervals (tick: too late) */
	DTR_LOST_THROTTLED,	/* the kernel throttled the event (kernel.perf_event_max_sample_rate) */
	DTR_LOST_NESTED,	/* it interrupted another BPF program of a perf event, or a system call on a BPF map */
	DTR_LOST_OWN,		/* like NESTED, but the system call was dtr's own: a snapshot */
	DTR_LOST_STOPPED,	/* the kernel stopped and restarted the event; negative: extra firings */
	DTR_LOST_REFUSED,	/* the timer expired on a busy CPU, but the kernel did not run the
				 * program: some kernels hide part of their code from samples */
	DTR_LOST_FULL,		/* rootless engine: no room for the sample in the kernel's buffer */
	DTR_LOST_PARTS,		/* rootless engine: threads ended or moved in an interval; negative: more */
	DTR_LOST_UNKNOWN,	/* without causes: all losses except offline; with causes: 0, or the account is wrong */
	DTR_NLOSSES
};

/* The account of a probe that fires by the clock: expected = delivered + the sum of lost[]. */
struct dtr_account {
	const char *probe;
	int cpu;			/* -1 = all */
	bool each_cpu;			/* profile-N: there are also accounts by CPU */
	bool causes;			/* false: -x ledger is not set or not available */
	uint64_t interval;		/* ns; 0: it fires by a count of events, not by the clock */
	uint64_t expected, delivered;
	uint64_t made_up;		/* part of `delivered`: fired by dtr because the timer did not (tick) */
	uint64_t records_lost;		/* records of delivered firings that did not fit in a buffer */
	int64_t lost[DTR_NLOSSES];
};

/* After dtr_finish with a picture: its first aggregation with stacks, or its first one. */
struct dtr_picture {
	uint64_t value;			/* the sum of its values */
	const char *unit;		/* of the values: "samples", "nanoseconds", ...; NULL: unknown */
	uint64_t truncated;		/* part of the sum: stacks that are marked as truncated */
	bool marked;			/* every incomplete stack is marked */
	bool accounted;			/* the rest is known: with -x ledger=warn, the default, and probes profile-N */
	uint64_t lost;			/* firings of the probes profile-N that were not delivered by busy CPUs */
	uint64_t due;			/* firings of these probes that were due */
};

/* After dtr_finish with -x cost: number of runs and total run time of a probe's program, including the alternative
 * program of a tick probe. */
struct dtr_cost {
	const char *probe;
	uint64_t runs, ns;
};

/* The parameters of `dtr record`. The caller owns `rate`. */
struct dtr_recording {
	const char *rate;	/* "997", "10ms": as in a probe name after "profile-" */
	bool stacks;
	bool compress;
	bool quiet;		/* do not report the number of samples */
	bool stream;		/* do not truncate the output, neither at the start nor after the last complete block */
	bool all;		/* all processes, although the session has a target, whose end is that of the session */
	const char *duration;	/* end after that time: "30s", as after "tick-"; NULL: no limit */
};

struct dtr_config {
	const char *progname;				/* prefix of messages; NULL: "dtr" */
	FILE *out;					/* the output; NULL: discarded */
	const char *out_name;				/* its name in messages; NULL: "output" */
	/* Diagnostics: complete lines. NULL: to standard error. */
	void (*message)(void *arg, const char *text);
	void (*progress)(void *arg, const char *text);	/* slow operations; "" erases; other thread; or NULL */
	void (*oom)(void *arg);				/* out of memory; must not return; NULL: abort() */
	void *arg;
	bool colour;					/* diagnostics may have colours: message is for a terminal */
	const char *share;				/* directory of prelude.d; NULL: the installed one */
};

/*
 * *c is copied. Returns NULL after a message on standard error if c is NULL, and NULL without memory if `oom` is NULL.
 * Functions that are called too early or too late, without a name, text or path, or by another process than the one
 * that has opened the session, do nothing but report it; int functions return -1.
 */
struct dtr *dtr_open(const struct dtr_config *c);
/* NULL is allowed. In a fork of the process, this only frees memory and closes descriptors: the session goes on. */
void dtr_close(struct dtr *t);

/* -x name=value. */
int dtr_option(struct dtr *t, const char *name, const char *value);
/* Sets options from DTR_OPT_* variables. */
int dtr_environment(struct dtr *t, char **environ_);
/* Sets the macro arguments $0, $1...; args[] must exist until dtr_close. */
void dtr_arguments(struct dtr *t, const char *argv0, const char **args, unsigned n);
/* Sets $target. Called again with DTR_TARGET_RUNS: another target, for probe descriptions with $target,
 * progenyof($target) and -x onlytarget. */
enum { DTR_TARGETS = 64 };		/* at most; others are ignored */
enum dtr_target {
	DTR_TARGET_RUNS,	/* any process */
	DTR_TARGET_HELD,	/* a child of this process that has not started: it may be stopped and continued */
	DTR_TARGET_PRIVILEGED,	/* the same, but if it is traced (ptrace(2)) it loses privileges of its file */
};
void dtr_target(struct dtr *t, pid_t pid, enum dtr_target what);
/* Describes the target for display: "process 12", "the command 'make'", and the file name of its program. Both may
 * be NULL. */
void dtr_subject(struct dtr *t, const char *text, const char *program);

/* Adds a script text. what: what a description without colons names (-n, -P, -m, -f, -i). */
enum dtr_text { DTR_PROBE, DTR_PROVIDER, DTR_MODULE, DTR_FUNCTION, DTR_ID };
int dtr_add_text(struct dtr *t, const char *text, enum dtr_text what);
/* Adds a script that this program has written; both strings are valid until dtr_close. name: in messages. */
void dtr_add_script(struct dtr *t, const char *text, const char *name);
/* Adds a script file; "-" is standard input. A first line "#!" is skipped. name: in messages; NULL: the path. */
int dtr_add_file(struct dtr *t, const char *path, const char *name);

/* What a firing of a clause has recorded. Valid during the call. */
struct dtr_value {
	const void *data;	/* bytes as in the traced program: numbers in host order, strings padded with NUL */
	uint32_t size;
};
struct dtr_record {
	uint64_t time;			/* of the firing, CLOCK_MONOTONIC, ns */
	int cpu;
	const char *function, *name;	/* of the probe */
	const struct dtr_value *values;	/* of trace() and tracemem(), in order */
	unsigned n;
};
/* Before dtr_go: calls record(arg, r), in order of time, for each record of a clause with such actions, instead of
 * printing it. Other actions are carried out. Faults of clauses are not reported. */
void dtr_records(struct dtr *t, void (*record)(void *arg, const struct dtr_record *r), void *arg);

/* Instead of texts: writes a recording to config.out. Nothing is written before dtr_work. */
int dtr_record(struct dtr *t, const struct dtr_recording *r);
/* Runs the texts on a recording of dtr record or perf record instead of the machine. The path must live until
 * dtr_close. */
int dtr_query(struct dtr *t, const char *path);
/* Instead of texts: prints a summary of a recording in the format of -O (text, json, html). what: DTR_REPORT_ALL: all
 * rows, not only the first ones of each table; DTR_REPORT_CONTAINERS: also by container. Returns 0, or -1 after a
 * message. */
enum { DTR_REPORT_ALL = 1, DTR_REPORT_CONTAINERS = 2 };
int dtr_report(struct dtr *t, const char *path, unsigned what);

/* Parses the texts and chooses the engine. Returns 0, or -1 after messages. dtr_compile does the same, if it was not
 * done. */
int dtr_parse(struct dtr *t);
/* After dtr_parse: the point of its start at which the target, a command that is held, must be before dtr_compile
 * (dtr_advance), for the probes in its libraries to be found. */
enum dtr_point dtr_starts_at(const struct dtr *t);
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

/* Loads the program, attaches all probes, runs BEGIN and activates the probes. Returns 0, or -1 after a message:
 * also if the program enables no probe, except with the option zdefs. */
int dtr_go(struct dtr *t);
/* After dtr_go: true if the session samples the target by ptrace(2). A target that this process has traced since its
 * exec must then be released stopped (PTRACE_DETACH with SIGSTOP): the session traces it from there, and continues
 * it. */
bool dtr_traces(const struct dtr *t);
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

/* What a running session can be shown as. */
enum dtr_page {
	DTR_OPENMETRICS,	/* metrics: OpenMetrics 1.0 */
	DTR_METRICS,		/* Prometheus's text format 0.0.4 */
	DTR_PROTOBUF,		/* Prometheus's protobuf, delimited; quantize() as native histograms */
	DTR_PPROF,		/* -O pprof */
	DTR_FLAME,		/* -O html */
	DTR_NPAGES
};
/* A metric of the program that shows a session's metrics. */
struct dtr_metric {
	const char *name;	/* "dtr_push_sent", without "_total" */
	const char *help;	/* one line */
	bool counter;		/* otherwise a gauge */
	int64_t value;
};
/* The last snapshot as a page. own[n]: more metrics, for the first three. *data: the page, allocated by malloc; the
 * caller frees it. Returns 0, or -1 after a message. */
int dtr_page(struct dtr *t, enum dtr_page page, const struct dtr_metric *own, unsigned n, char **data, size_t *size);
/* Like DTR_PPROF, but only what was added between the last snapshot and that of the last call (the first time:
 * everything). *empty: nothing was, and there is no page. */
int dtr_profile_added(struct dtr *t, char **data, size_t *size, bool *empty);

/* dtr_finish will not print aggregations, except those that the script itself prints. */
void dtr_omit(struct dtr *t);
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
 * session, and writes it to the file `save` (NULL: none). merge_hosts makes the name of the host, which is in the
 * files, the first key of each aggregation. diff prints the differences. They return 0, or -1 after a message. diff
 * also compares two recordings, in the format of -O (text, json, html); all: also differences that are not significant.
 */
int dtr_merge(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print);
int dtr_merge_hosts(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print);
int dtr_diff(struct dtr *t, const char *from, const char *to, bool all);

/* Returns the status of exit(), 0 without exit(), 1 after a run-time failure. */
int dtr_status(const struct dtr *t);

/* ---- without a session ---- */

/* Parses what follows "profile-" and "tick-": 97, 97hz, 10ms. Returns 0 and *ns, or -1 and the reason in reason[n]. */
int dtr_interval(const char *text, uint64_t *ns, char *reason, size_t n);

/* -x profsrc=help: lists the sources of samples of this machine. */
void dtr_source_help(FILE *out);
/* The names of the output formats (-O), separated by commas. */
const char *dtr_formats(void);
/* The values of an option that takes one of a few words, ended by NULL; NULL if it is another option. */
const char *const *dtr_option_words(const char *name);
/* Option number i of dtr_option; false: there are fewer. */
struct dtr_option_row {
	const char *name, *text;	/* text: its description */
	bool is_switch;			/* its name alone turns it on */
};
bool dtr_option_row(unsigned i, struct dtr_option_row *row);
/* Prints the options of dtr_option: name, default, description. Returns 0, or -1 without memory: nothing is printed. */
int dtr_option_help(FILE *out);
/* Returns true if the kernel would refuse every BPF program of this process, and stores the reason in reason[n]. */
bool dtr_refused(char *reason, size_t n);
/* The text of an errno, like strerror; for EMFILE it names the limit. Valid until the next call. */
const char *dtr_error_text(int err);
/*
 * Runs a program that was just executed up to a point of its start. The process is stopped and traced by the calling
 * thread (ptrace(2)), and is so again afterwards. Its code is as before. *status is the status of waitpid() if the
 * process has ended, else -1. Returns 0, or -errno with a sentence in reason[n].
 */
int dtr_advance(pid_t pid, enum dtr_point to, int *status, char *reason, size_t n);
/* Stores the link address of the lowest executable segment of an ELF file, and whether it is a library: it then has a
 * name for other objects to be linked with (DT_SONAME), as no program has. Closes the descriptor. Returns 0, or -errno;
 * -ENOEXEC: it has no code, or it is no such file. */
int dtr_program_code(int fd, uint64_t *addr, bool *library);

/*
 * Counts of events (docs/stat.md), without a script: of a process and those that it creates from then on, or of all
 * CPUs. int functions return 0, or -errno with a sentence in reason[n].
 */
struct dtr_counts;

struct dtr_counts_args {
	/* Names: those of cpc (page_faults, PAPI_tot_cyc), of perf (cycles) or of libpfm4, with umasks after colons.
	 * ":u" or ":k" at the end: only in user mode, in the kernel. They are copied. */
	const char *const *events;
	unsigned n;
	pid_t pid;			/* all threads of this process; 0: all CPUs */
	bool on_exec;			/* only with pid: counting begins when it executes a program */
};

struct dtr_count {
	const char *name;		/* as in dtr_counts_args; valid until dtr_counts_close */
	const char *event;		/* its name in cpc; NULL: an event of libpfm4 */
	const char *reason;		/* why this machine cannot count it; NULL: it can. Valid like `name` */
	bool time;			/* a time, ns */
	bool user_only;			/* only user mode was counted, because the kernel's takes a privilege */
	bool never;			/* ":u" of an event that only happens in the kernel: it is always 0 */
	uint64_t value;			/* what was counted while the event had a counter */
	/* ns, summed up over threads or CPUs: since counting began, and of that with a counter. If events take turns
	 * with the counters (multiplexing), value * enabled / running is an estimate of the whole. */
	uint64_t enabled, running;
};

/* Opens the counters, stopped, and stores them in *out. Fails if an event is unknown, a privilege is missing, or the
 * process does not exist; not if the machine lacks an event (dtr_count.reason). A thread that is created at the same
 * moment may be missed. */
int dtr_counts_open(struct dtr_counts **out, const struct dtr_counts_args *a, char *reason, size_t n);
/* Begins and ends counting; what was counted stays. */
void dtr_counts_start(struct dtr_counts *c);
void dtr_counts_stop(struct dtr_counts *c);
/* Stores the count of each event since the beginning in out[n], n as in dtr_counts_args. */
void dtr_counts_read(const struct dtr_counts *c, struct dtr_count *out);
void dtr_counts_close(struct dtr_counts *c);	/* NULL is allowed */
/* The name of event `i` that needs no library, or NULL if there are fewer. */
const char *dtr_count_name(unsigned i);

/*
 * Kept sessions (docs/kgmon.md): programs that continue after this process, because their maps and links are pinned in
 * a folder of bpffs, MOUNT/dtr/NAME. int functions return 0, or -errno with a sentence in reason[DTR_KEPT_REASON].
 */
struct dtr_kept;

enum {
	DTR_KEPT_NAME = 40, DTR_KEPT_PATH = 256, DTR_KEPT_REASON = 512, DTR_KEPT_TEXT = 16384, DTR_KEPT_WHAT = 4096,
	DTR_KEPT_VERSION = 32,
};

/* What is kept with a session. Strings end with NUL. */
struct dtr_kept_about {
	char version[DTR_KEPT_VERSION];	/* of the dtr that started it */
	char what[DTR_KEPT_WHAT];		/* is measured, for people */
	char object[DTR_KEPT_PATH];		/* path of the measured file; "": the kernel */
	uint64_t ino, size;		/* of that file */
	char text[DTR_KEPT_TEXT];		/* the script: compiled again, it finds its data in the maps */
	uint64_t interval;		/* of its probe profile-N, ns */
};

enum dtr_kept_condition {
	DTR_KEPT_FOREIGN,		/* a folder that is not a session */
	DTR_KEPT_BUSY,		/* another dtr is changing it */
	DTR_KEPT_PARTIAL,		/* its start or its removal was interrupted */
	DTR_KEPT_OTHER,		/* of a dtr that stores other things: it can only be removed */
	DTR_KEPT_INTERRUPTED,	/* a later start, stop or reset was interrupted: nothing is counted */
	DTR_KEPT_STOPPED,
	DTR_KEPT_RUNNING,
};

struct dtr_kept_state {
	enum dtr_kept_condition condition;
	unsigned links;			/* pinned */
	char foreign[DTR_KEPT_NAME];	/* a file in the folder that is not dtr's, or "" */
	/* Only if it is INTERRUPTED, STOPPED or RUNNING: */
	uint64_t created;		/* CLOCK_REALTIME, ns */
	uint64_t active;		/* how long it has been counting since the last reset, ns */
	unsigned cpus;			/* on which it counts */
	uint64_t fired;			/* firings of profile-N since the last reset */
	uint64_t drops;			/* values that were not counted */
};

enum dtr_kept_use {
	DTR_KEPT_START,		/* creates the session `name` */
	DTR_KEPT_RESUME,	/* starts the open session `kept` again, with its script */
	DTR_KEPT_READ,		/* shows the data of the open session `kept`, with its script */
};

struct dtr_kept_args {
	enum dtr_kept_use use;
	const char *name;			/* DTR_KEPT_START */
	const struct dtr_kept_about *about;	/* DTR_KEPT_START */
	struct dtr_kept *kept;			/* the others: the caller closes it after dtr_close */
};

/* Right after dtr_open: the session is a kept one. dtr_go starts it, then dtr_close; or dtr_go and dtr_finish show its
 * data. */
void dtr_keep(struct dtr *t, const struct dtr_kept_args *args);

/* True if it can be the name of a session: letters, digits, "_" and "-". */
bool dtr_kept_name_valid(const char *name);
/* Opens a session and stores it in *out; waits while another process changes it. -ENOENT: there is none. */
int dtr_kept_open(struct dtr_kept **out, const char *name, char *reason);
/* NULL is allowed. */
void dtr_kept_close(struct dtr_kept *k);
/* What an open session is; NULL if it is incomplete. Valid until dtr_kept_close. */
const struct dtr_kept_about *dtr_kept_about(const struct dtr_kept *k);
void dtr_kept_state(const struct dtr_kept *k, struct dtr_kept_state *out);
/* Stops counting; the data stay. Does nothing if it is stopped. */
int dtr_kept_stop(struct dtr_kept *k, char *reason);
/* Sets all counts to zero. A session that is running continues. */
int dtr_kept_reset(struct dtr_kept *k, char *reason);
/* Removes the session, complete or not. */
int dtr_kept_remove(struct dtr_kept *k, char *reason);
/* Calls fn for each session, by name; waits for none. `about` is NULL if it cannot be read. */
int dtr_kept_each(void (*fn)(void *arg, const char *name, const struct dtr_kept_about *about,
			     const struct dtr_kept_state *s), void *arg, char *reason);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
