/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of the rootless engine (user.c) and the recording engine (recording.c): engine.c implements most of
 * struct backend_ops, fire.c runs the probes. Private to these files.
 *
 * Ownership: the session's arena owns all memory; close releases descriptors and the source.
 * Errors: `err` holds an error of the source; see each function.
 */
#ifndef ENGINE_INTERP_ENGINE_H
#define ENGINE_INTERP_ENGINE_H

#include "engine/interp/chains.h"
#include "engine/interp/governed.h"
#include "engine/interp/memory.h"
#include "engine/interp/world.h"
#include "engine/sample/source.h"
#include "engine/sample/tasks.h"

/* A probe that fires by the clock. */
struct clocked {
	const struct ir_func *func;
	uint64_t interval;
	uint64_t due;			/* tick: when it fires next, ns of the source's clock */
	uint32_t rate;			/* profile: index in `rates` */
	size_t probe;
	int64_t words;			/* its object NAME.fired, or -1 */
	struct fired *fired;		/* tick: one entry; profile: by CPU */
};

struct interp_engine {
	struct world world;
	struct arena *arena;
	const struct options *opts;
	const char *reason;		/* backend_args.reason */
	struct memory memory;
	struct chains chains;
	const struct source_ops *ops;
	struct sample_source *source;
	const char *lesser;		/* why the source is not perf events; NULL: it is, or there is none */
	struct source_want want;
	struct govern govern;		/* -x maxcost */
	struct clocked *ticks, *samplers;
	unsigned nticks, nsamplers;
	uint64_t *rates;
	unsigned nrates;
	struct sample self;
	struct task own;		/* `self` as read from /proc */
	struct source_item item;	/* the newest item from the source */
	bool held;			/* the item waits until the consumer has printed all records before it */
	struct symbols *symbols;
	int wake;			/* eventfd */
	bool armed, stopping;
	_Atomic bool stop_requested;	/* a signal handler or another thread requested a stop */
	uint64_t spare_ticks;		/* recordings: ticks that may still fire without samples in between */
	uint64_t skipped;		/* length of the periods in which ticks were skipped for that reason, ns */
	uint64_t refreshed;		/* when mappings could last be read again */
	uint64_t begun, ended;		/* start and end of the session; 0: not yet */
	bool blind;			/* samples have no program counters and no stacks */
	bool past;			/* samples are not from this machine, now: every run gives the same result */
	struct run_about about;		/* origin of such samples */
	/* recording, aggregations are printed: deliver records before the next sample */
	bool stepwise;
	int err;			/* -errno of the source */
};

static inline struct interp_engine *interp_engine(struct backend *handle)
{
	return (struct interp_engine *)handle;
}

/* ---- engine.c ---- */
/* Prepares everything that does not need the source. Returns an engine, never NULL; close it with interp_close. */
struct interp_engine *interp_new(const struct backend_args *args);
/* Returns 0, or -1 with a diagnostic if interp_new failed to open a descriptor. */
int interp_opened(const struct interp_engine *b, struct diags *d);
/* Finds the interval of each enabled probe. reason: why other probes are not available. Returns 0, or -1 with
 * diagnostics. */
int interp_probes(struct interp_engine *b, const char *reason, struct diags *d);
/* True if the program has an operation `op` whose argument `arg` (-1: any) is the constant `imm`. */
bool interp_has(const struct ir_prog *p, enum ir_op op, int arg, int64_t imm);
/* Sets the length of a clock tick (ns) and the number of ticks per second, for jiffies. */
void interp_ticks(struct interp_engine *b, uint64_t tick, uint64_t hz);
/* For live samples: updates the offset of the wall clock; fills in `self`, the sample of BEGIN, END and tick probes. */
void interp_wall(struct interp_engine *b);
void interp_self(struct interp_engine *b);
/* The source's clock, ns. */
uint64_t interp_clock(struct interp_engine *b);
/* CPU time of this thread, ns. */
uint64_t interp_own_time(void);

/* Members of struct backend_ops. */
int interp_run(struct backend *b, const struct ir_func *f);
int interp_start(struct backend *b, struct diags *d);
void interp_disarm(struct backend *b);
void interp_set_state(struct backend *b, enum ir_state s);
enum ir_state interp_state(struct backend *b);
int64_t interp_exit_status(struct backend *b);
int interp_poll(struct backend *b, uint64_t timeout_ns, record_fn fn, void *arg);
int interp_snapshot(struct backend *b, struct agg_table *const *tables, unsigned n);
bool interp_drops(struct backend *b, int cpu, struct drop_counts *out);
void interp_wake(struct backend *b);
void interp_close(struct backend *b);
void *interp_object(struct backend *b, uint32_t obj);
void interp_describe(struct backend *b, struct buf *out);
uint64_t interp_owners(struct backend *b);
bool interp_blind(struct backend *b);
bool interp_lacks(struct backend *b, struct buf *out);

/* ---- fire.c ---- */
/* Reads this process's data from /proc if the program uses it. */
void interp_self_refresh(struct interp_engine *b, uint64_t now);
/* From now on, probes fire. */
void interp_armed(struct interp_engine *b);
/* True while probes fire. */
bool interp_active(const struct interp_engine *b);
/* Runs a function for a sample. time: the clock during the firing, ns. */
void interp_run_at(struct interp_engine *b, const struct ir_func *f, const struct sample *s, uint64_t time);
/* Processes the source's items while there is room for records. Returns true if there are more. */
bool interp_step(struct interp_engine *b);
/* Members of struct backend_accounts. */
bool interp_account(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);
bool interp_stacks(struct backend *b, struct dtr_stacks *out);

/* ---- govern.c ---- */
/* Call it when the source is open. With -x maxcost, refuses a source that cannot take fewer samples: returns -1 with a
 * diagnostic. */
int govern_open(struct interp_engine *b, struct diags *d);
/* What was spent since the last pass counts, too. */
void govern_end(struct interp_engine *b);
/* Members of struct backend_governor. */
enum backend_governed govern_engine_pass(struct backend *b, uint64_t *due, struct buf *out);
double govern_engine_spent(struct backend *b);
bool govern_engine_thinned(struct backend *b, unsigned probe, struct dtr_thinned *out);

#endif
