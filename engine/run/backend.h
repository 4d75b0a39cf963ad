/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A backend runs a compiled program: engine/bpf in the kernel, engine/interp in this process by the interpreter.
 * The session drives either through this one table.
 *
 * Ownership: the backend owns its maps, rings and programs until close (idempotent, NULL is fine).
 * Errors: open and arm (diagnostics with the reason: which privilege, which kernel feature is missing, or the
 * verifier's refusal mapped to the D source line), run; -errno.
 */
#ifndef ENGINE_RUN_BACKEND_H
#define ENGINE_RUN_BACKEND_H

#include "aggregation/agg.h"
#include "engine/run/about.h"
#include "engine/run/account.h"
#include "engine/run/options.h"
#include "engine/symbols/symbols.h"
#include "lang/prog.h"

struct backend;

/* One record as it comes from a CPU's ring. The bytes are valid during the call only. */
typedef void (*record_fn)(void *arg, int cpu, const void *rec, uint32_t size);

struct drop_counts {
	uint64_t n[IR_NDROPS];
};

struct backend_ops {
	const char *name;	/* "bpf", "user" */
	int (*open)(struct backend **out, struct arena *a, const struct d_prog *p, const struct options *o, struct diags *d);
	/* Runs a function of IR_C_RUN now, in this thread (BEGIN, END). 0 or -errno. */
	int (*run)(struct backend *b, const struct ir_func *f);
	/* Attaches every probe that fires by itself. None does before start. 0, or -1 with diagnostics. NULL: start does all. */
	int (*arm)(struct backend *b, struct diags *d);
	/* After BEGIN: makes the session active, for all probes at once, and starts what fires by the clock. 0, or -1 with
	 * diagnostics. */
	int (*start)(struct backend *b, struct diags *d);
	void (*disarm)(struct backend *b);
	/* Session state (enum ir_state). Towards the end, set also waits until no probe that saw the old state is still running. */
	void (*set_state)(struct backend *b, enum ir_state s);
	enum ir_state (*state)(struct backend *b);
	int64_t (*exit_status)(struct backend *b);
	/* Hands over every record that is there; waits up to timeout_ns for the first (0 = do not wait; wakes at once on exit()
	 * and on an eventfd given by wake). Returns the number of records, or -errno (-EINTR included). */
	int (*poll)(struct backend *b, uint64_t timeout_ns, record_fn fn, void *arg);
	/* Brings each table up to date with its aggregation: replaces the rows or, with generations, adds what came since. Those
	 * that are cleared and have stacks come all together or not at all. */
	int (*snapshot)(struct backend *b, struct agg_table *const *tables, unsigned n);
	/* Drops since the last call, by CPU; cpu counts from 0. Returns false when cpu is beyond the last. */
	bool (*drops)(struct backend *b, int cpu, struct drop_counts *out);
	/* From time to time: CPUs on- and offline, the wall clock offset. */
	void (*refresh)(struct backend *b);
	/* Wakes a waiting poll from a signal handler or another thread. */
	void (*wake)(struct backend *b);
	void (*close)(struct backend *b);
	/* All records up to that time have been acted on. NULL: nobody wants to know. */
	void (*printed)(struct backend *b, uint64_t time);
	/* Optional (NULL: not offered). */
	/* Would the program be too large for it? Loads nothing. 0, or -1 with diagnostics. */
	int (*check)(const struct d_prog *p, const struct options *o, struct diags *d);
	/* Appends what -d B shows; loads nothing. 0, or -1 with diagnostics. */
	int (*dump)(struct buf *out, const struct d_prog *p, const struct options *o, struct diags *d);
	/* Where a GLOBAL object lies in this process. NULL: there is none. */
	void *(*object)(struct backend *b, uint32_t obj);
	/* The clock of the records; NULL: CLOCK_MONOTONIC. */
	uint64_t (*now)(struct backend *b);
	/* Right after open: what dtr_config.backend_arg points to. 0, or -1 with diagnostics. */
	int (*feed)(struct backend *b, void *arg, struct diags *d);
	/* The engine's own names of addresses; NULL: the machine's. */
	const struct symbol_ops *(*symbols)(struct backend *b, void **arg);
	/* What it runs on, of another time or machine; *out is empty. False: it is this machine, now. NULL: the same, but where
	 * the clock is another one nothing is known. */
	bool (*about)(struct backend *b, struct run_about *out);
	/* One sentence: who runs the script instead of the kernel, and why. */
	void (*describe)(struct backend *b, struct buf *out);
	/* After arm, and again after start: since when owners in keys have times (val_owner), CLOCK_MONOTONIC, ns; 0
	 * or NULL: they have none. */
	uint64_t (*owners)(struct backend *b);
	/* Right after open and feed: its samples have no program counters, no stacks. NULL: they have. */
	bool (*blind)(struct backend *b);
	/* After disarm: a sentence about what is missing that was asked for, or nothing. False: that is a failure. */
	bool (*lacks)(struct backend *b, struct buf *out);
	/* After disarm: see dtr_account and dtr_cost (there a probe beyond the last asks for what came with them). */
	bool (*account)(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);
	bool (*cost)(struct backend *b, unsigned probe, struct dtr_cost *out);
};

extern const struct backend_ops backend_bpf;

#endif
