/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A backend runs a compiled program: engine/bpf in the kernel, engine/interp in this process by the interpreter. The
 * session uses both through this table of functions.
 *
 * Ownership: the backend owns its maps, rings and programs until close (idempotent, NULL is allowed).
 * Errors: open and arm record diagnostics with the reason: the missing privilege or kernel feature, or the verifier's
 * message with the D source line. Others return -errno.
 */
#ifndef ENGINE_RUN_BACKEND_H
#define ENGINE_RUN_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

struct agg_table;
struct d_prog;
struct dtr_account;
struct dtr_cost;
struct options;
struct run_about;
struct symbol_ops;

/* An engine that is open. Never defined: each engine converts it to a struct of its own. */
struct backend;

/* Takes one record from a CPU's buffer. The bytes are valid only during the call. */
typedef void (*record_fn)(void *arg, int cpu, const void *rec, uint32_t size);

struct drop_counts {
	uint64_t n[IR_NDROPS];
};

/* What an engine runs. All of it outlives the engine. */
struct backend_args {
	struct arena *arena;
	const struct d_prog *prog;
	const struct options *opts;
	const char *reason;	/* why the kernel engine does not run the program; "": it does, or is not concerned */
	void *input;		/* the engine's own input, e.g. a recording; NULL: none */
};

/* Optional tables. Each member may be NULL too. */

/* Generated code, without loading anything. Both return 0, or -1 with diagnostics. */
struct backend_code {
	/* Checks that the program is not too large. */
	int (*check)(const struct d_prog *p, const struct options *o, struct diags *d);
	/* Appends the output of -d B. */
	int (*dump)(struct buf *out, const struct d_prog *p, const struct options *o, struct diags *d);
};

/* Time and place of the samples, if they are not of this machine, now. */
struct backend_clock {
	/* The clock of the records, ns. NULL: CLOCK_MONOTONIC. */
	uint64_t (*now)(struct backend *b);
	/* Fills in *out, which is empty. NULL: nothing is known. */
	void (*about)(struct backend *b, struct run_about *out);
};

struct backend_symbols {
	/* The engine's own source of symbols. NULL: the machine's. */
	const struct symbol_ops *(*symbols)(struct backend *b, void **arg);
	/* After arm, and again after start: the time (CLOCK_MONOTONIC, ns) from which owners in keys have times
	 * (val_owner); 0 or NULL: they have none. */
	uint64_t (*owners)(struct backend *b);
};

/* What the user should know about the session. */
struct backend_report {
	/* Appends one sentence: what runs the script instead of the kernel, and reason. */
	void (*describe)(struct backend *b, struct buf *out);
	/* After open: true if samples have no program counters and no stacks. NULL: false. */
	bool (*blind)(struct backend *b);
	/* After disarm: appends a sentence about data that was not available, or nothing. False: the session failed. */
	bool (*lacks)(struct backend *b, struct buf *out);
};

/* After disarm: see dtr_account and dtr_cost (cost: the probe after the last is the overhead of the others). */
struct backend_accounts {
	bool (*account)(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);
	bool (*cost)(struct backend *b, unsigned probe, struct dtr_cost *out);
};

struct backend_ops {
	const char *name;	/* "bpf", "user", "recording" */
	/* Stores a new engine, or NULL, in *out; it must be closed also after a failure. Returns 0, or -1 with
	 * diagnostics. */
	int (*open)(struct backend **out, const struct backend_args *args, struct diags *d);
	void (*close)(struct backend *b);
	/* Runs a function of kind IR_C_RUN in this thread (BEGIN, END). Returns 0 or -errno. */
	int (*run)(struct backend *b, const struct ir_func *f);
	/* Attaches all probes; none fires before start. Returns 0, or -1 with diagnostics. NULL: start does it. */
	int (*arm)(struct backend *b, struct diags *d);
	/* After BEGIN: activates all probes at once and starts the clocks. Returns 0, or -1 with diagnostics. */
	int (*start)(struct backend *b, struct diags *d);
	void (*disarm)(struct backend *b);
	/* Sets the session state. At the end of a session, also waits until every probe that saw the old state has
	 * finished. */
	void (*set_state)(struct backend *b, enum ir_state s);
	enum ir_state (*state)(struct backend *b);
	int64_t (*exit_status)(struct backend *b);
	/* Delivers all available records. Waits up to timeout_ns for the first (0 = does not wait); exit() and
	 * wake() end the wait. Returns the number of records, or -errno (also -EINTR). */
	int (*poll)(struct backend *b, uint64_t timeout_ns, record_fn fn, void *arg);
	/* All records up to `time` (ns) have been processed. NULL: not needed. */
	void (*printed)(struct backend *b, uint64_t time);
	/* Updates each table from its aggregation: replaces the rows or, with generations, adds the new ones.
	 * Aggregations that are cleared and have stacks must be passed all together or not at all. Returns 0 or
	 * -errno. */
	int (*snapshot)(struct backend *b, struct agg_table *const *tables, unsigned n);
	/* Address of a GLOBAL object in this process, or NULL. */
	void *(*object)(struct backend *b, uint32_t obj);
	/* Stores the drops of a CPU (from 0) since the last call. Returns false if cpu is beyond the last. */
	bool (*drops)(struct backend *b, int cpu, struct drop_counts *out);
	/* Called periodically: updates CPUs that came or went, and the wall clock offset. */
	void (*refresh)(struct backend *b);
	/* Wakes a waiting poll. Callable from a signal handler or another thread. */
	void (*wake)(struct backend *b);

	const struct backend_code *code;		/* NULL: it generates no code */
	const struct backend_clock *clock;		/* NULL: this machine, now */
	const struct backend_symbols *symbols;		/* NULL: the machine's, without owners */
	const struct backend_report *report;		/* NULL: nothing to report */
	const struct backend_accounts *accounts;	/* NULL: it has no account of firings */
};

extern const struct backend_ops backend_bpf;

#endif
