/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of the engines, which run compiled programs: engine/bpf in the kernel, engine/interp with the
 * interpreter in this process.
 *
 * Ownership: an engine owns its maps, rings and programs until close (idempotent, NULL is allowed).
 * Errors: open and arm record diagnostics with the reason: the missing privilege or kernel feature, or the verifier's
 * message with the D source line. Others return -errno.
 */
#ifndef ENGINE_RUN_BACKEND_H
#define ENGINE_RUN_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/containers/containers.h"
#include "ir/ir.h"

struct agg_table;
struct d_prog;
struct dtr_account;
struct dtr_cost;
struct dtr_stacks;
struct dtr_thinned;
struct options;
struct program_region;
struct run_about;
struct symbol;
struct symbol_ops;
struct symbols;

/* An open engine. Never defined: each engine casts it to its own structure. */
struct backend;

/* Receives one record from a CPU's buffer. The bytes are valid only during the call. */
typedef void (*record_fn)(void *arg, int cpu, const void *rec, uint32_t size);

struct drop_counts {
	uint64_t n[IR_NDROPS];
};

/* What an engine runs. All of it outlives the engine. */
struct backend_args {
	struct arena *arena;
	const struct d_prog *prog;
	const struct options *opts;
	const char *reason;	/* why the kernel engine does not run the program; "": it does, or was not tried */
	void *input;		/* the engine's input, such as a recording; NULL: none */
	bool untraced;		/* the target must not be traced (ptrace(2)): its program would lack privileges */
};

/* Optional tables. Their members are optional too: NULL. */

/* Generated code, which is not loaded. Both return 0, or -1 with diagnostics. */
struct backend_code {
	/* Checks that the program is not too large. */
	int (*check)(const struct d_prog *p, const struct options *o, struct diags *d);
	/* Appends the output of -d B. */
	int (*dump)(struct buf *out, const struct d_prog *p, const struct options *o, struct diags *d);
};

/* Time and origin of the samples, if they are not from this machine, now. */
struct backend_clock {
	/* The clock of the records, ns. NULL: CLOCK_MONOTONIC. */
	uint64_t (*now)(struct backend *b);
	/* Fills in *out, which is empty. NULL: nothing is known. */
	void (*about)(struct backend *b, struct run_about *out);
};

struct backend_symbols {
	/* The engine's symbol source. NULL: this machine's symbols. */
	const struct symbol_ops *(*symbols)(struct backend *b, void **arg);
	/* Describes an address of the kernel, except for the base. Returns false if this machine's symbols are to do
	 * it. NULL: they always do. */
	bool (*kernel)(struct backend *b, uint64_t addr, struct symbol *out);
	/* After open: gives the engine this machine's symbols, which record mappings. s = NULL: only returns whether
	 * the engine needs them. target: the process of -p or -c; -1: none. */
	bool (*use)(struct backend *b, struct symbols *s, int64_t target);
	/* Returns true if the words of a user stack in a record, `max` of them, stand for a stack that was unwound
	 * later, or have code with inlined functions. Then stores its frames in pc[max], zero-padded. NULL: there are
	 * no such words. */
	bool (*later)(struct backend *b, const uint64_t *words, uint64_t *pc, uint32_t max);
	/* Returns true if so many stacks in keys were unwound later since the last snapshot that aggregations with
	 * stacks should be read soon: each of these stacks has a row of its own. NULL: never. */
	bool (*crowded)(struct backend *b);
	/* Call it after arm, and again after start: the time (CLOCK_MONOTONIC, ns) from which owners in keys have times
	 * (val_owner). 0 or NULL: they have none. */
	uint64_t (*owners)(struct backend *b);
};

/* Texts about the session for the user. */
struct backend_report {
	/* Appends one sentence: what runs the script instead of the kernel, and why. */
	void (*describe)(struct backend *b, struct buf *out);
	/* After open: true if samples have no program counters and no stacks. NULL: false. */
	bool (*blind)(struct backend *b);
	/* After open: true if samples are taken by stopping threads. NULL: false. */
	bool (*stops)(struct backend *b);
	/* After open: true if user stacks are found by unwinding tables, so that each incomplete one is marked as
	 * truncated. NULL: false. */
	bool (*unwound)(struct backend *b);
	/* After disarm: appends a sentence about data that was not available, if any. Returns false if the session
	 * failed. */
	bool (*lacks)(struct backend *b, struct buf *out);
};

/* Call these after disarm. See dtr_account and dtr_cost (cost: the number after the last probe is the overhead). */
struct backend_accounts {
	bool (*account)(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);
	bool (*cost)(struct backend *b, unsigned probe, struct dtr_cost *out);
	/* Returns false if no stacks were unwound by tables. NULL: none are. */
	bool (*stacks)(struct backend *b, struct dtr_stacks *out);
};

/* -x maxcost. */
enum backend_governed { GOVERNED_FINE, GOVERNED_MESSAGE, GOVERNED_STOP };

struct backend_governor {
	/* Call it after start, often: lets fewer firings run if the session costs more than it may. *due: the time of
	 * the next call (CLOCK_MONOTONIC, ns). GOVERNED_MESSAGE: a sentence for the user was appended to *out.
	 * GOVERNED_STOP: that is why the session must end. */
	enum backend_governed (*pass)(struct backend *b, uint64_t *due, struct buf *out);
	/* After disarm: the share of all CPUs' time that the session has cost, 0 to 1. */
	double (*spent)(struct backend *b);
	/* After disarm: how the firings of an enabled probe were thinned. Returns false if they were not. */
	bool (*thinned)(struct backend *b, unsigned probe, struct dtr_thinned *out);
};

/* Where a dynamic linker reports that it has loaded files. */
struct backend_linker {
	int file;		/* descriptor */
	uint64_t off;		/* of the function that it calls then, in the file */
	int64_t state;		/* from there to the word that is 0 if it has finished, in the process */
};

/* A process that is watched. */
struct backend_watched {
	int64_t pid;
	uint16_t family;	/* if not 0: all processes with this number in the table (providers/family.h) instead */
	bool hold;		/* stop it at each report (SIGSTOP) */
};

/* Processes whose probes can become more. Functions return 0, or -errno with a sentence in reason[n]. */
struct backend_processes {
	/* Reports when a process executes another program. With a family, also begins to maintain the table. */
	int (*watch)(struct backend *b, const struct backend_watched *w, char *reason, size_t n);
	/* Reports when its dynamic linker has loaded files. */
	int (*linker)(struct backend *b, const struct backend_watched *w, const struct backend_linker *l,
		      char *reason, size_t n);
	/* After poll: takes a report. Returns false if there is none. */
	bool (*changed)(struct backend *b, int64_t *pid);
	/* Reports the files that any process maps to execute them. NULL: cannot. */
	int (*mappings)(struct backend *b, char *reason, size_t n);
	/* After poll: takes such a report. Process 0: some were lost. Returns false if there is none. */
	bool (*mapped)(struct backend *b, struct program_region *r);
	/* A file is not reported twice within a second, unless this was called with its inode number. */
	void (*forget)(struct backend *b, uint64_t ino);
};

/* A control group that was created. */
struct backend_cgroup {
	uint64_t id, parent;		/* numbers of its directory, and of the one above */
	uint64_t hierarchy;		/* as in /proc/self/cgroup */
	char name[256];
};

struct backend_cgroups {
	/* Begins to report new control groups. Returns 0, or -errno with a sentence in reason[n]. */
	int (*watch)(struct backend *b, char *reason, size_t n);
	/* After poll: takes a report. Returns false if there is none. */
	bool (*created)(struct backend *b, struct backend_cgroup *out);
	/* Of a recording, instead of the others: calls fn for each of its groups, after the one above it. */
	void (*recorded)(struct backend *b, void (*fn)(void *arg, const struct containers_group *g), void *arg);
};

struct backend_ops {
	const char *name;	/* "bpf", "user", "recording" */
	/* Stores a new engine, or NULL, in *out; close it even if open fails. Returns 0, or -1 with diagnostics. */
	int (*open)(struct backend **out, const struct backend_args *args, struct diags *d);
	void (*close)(struct backend *b);
	/* Runs a function of kind IR_C_RUN (BEGIN, END) in this thread. Returns 0 or -errno. */
	int (*run)(struct backend *b, const struct ir_func *f);
	/* Attaches all probes; none fires before start. Returns 0, or -1 with diagnostics. NULL: start attaches
	 * them. */
	int (*arm)(struct backend *b, struct diags *d);
	/* Call it after BEGIN: activates all probes at once and starts the clocks. Returns 0, or -1 with
	 * diagnostics. */
	int (*start)(struct backend *b, struct diags *d);
	void (*disarm)(struct backend *b);
	/* Sets the session state. At the end of a session, also waits until every probe that saw the old state has
	 * finished. */
	void (*set_state)(struct backend *b, enum ir_state s);
	enum ir_state (*state)(struct backend *b);
	int64_t (*exit_status)(struct backend *b);
	/* Delivers all available records. Waits up to timeout_ns for the first one (0 = does not wait); exit() and
	 * wake() end the wait. Returns the number of records, or -errno (also -EINTR). */
	int (*poll)(struct backend *b, uint64_t timeout_ns, record_fn fn, void *arg);
	/* Informs the engine that all records up to `time` (ns) have been processed. NULL: not needed. */
	void (*printed)(struct backend *b, uint64_t time);
	/* Updates each table from its aggregation: replaces the rows or, with generations, adds the new rows.
	 * Aggregations with generations and stacks must be passed all together or not at all. Returns 0 or
	 * -errno. */
	int (*snapshot)(struct backend *b, struct agg_table *const *tables, unsigned n);
	/* The address of a GLOBAL object in this process, or NULL. */
	void *(*object)(struct backend *b, uint32_t obj);
	/* Stores the drops of a CPU (from 0) since the last call. Returns false if there is no such CPU. */
	bool (*drops)(struct backend *b, int cpu, struct drop_counts *out);
	/* Call it periodically: updates CPUs that came online or went offline, and the wall clock offset. */
	void (*refresh)(struct backend *b);
	/* Wakes a waiting poll. May be called from a signal handler or another thread. */
	void (*wake)(struct backend *b);

	const struct backend_code *code;		/* NULL: generates no code */
	const struct backend_clock *clock;		/* NULL: samples of this machine, now */
	const struct backend_symbols *symbols;		/* NULL: this machine's symbols, without owners */
	const struct backend_processes *processes;	/* NULL: has no probes in processes */
	const struct backend_cgroups *cgroups;		/* NULL: reports no new control groups */
	const struct backend_report *report;		/* NULL: nothing to report */
	const struct backend_governor *governor;	/* NULL: cannot thin firings */
	const struct backend_accounts *accounts;	/* NULL: no account of firings */
};

extern const struct backend_ops backend_bpf;
/* The kernel engine of a session with dtr_keep. Its input is a struct dtr_kept_args. */
extern const struct backend_ops backend_kept;

#endif
