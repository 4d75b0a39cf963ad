/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The environment of a program in the interpreter: the memory of its objects, and the values of one sample.
 *
 * Ownership: the arena owns all memory except the waiting records, which world_free frees.
 * Errors: none; what does not fit is counted as a drop, as in the kernel.
 */
#ifndef ENGINE_INTERP_WORLD_H
#define ENGINE_INTERP_WORLD_H

#include "base/arena.h"
#include "base/map.h"
#include "engine/run/backend.h"
#include "ir/interp.h"

struct frames;
struct sample;

/* Access to kernel memory and to user memory (user). Functions return 0 or -errno. `string` reads up to a NUL, or as
 * much as fits. */
struct world_memory {
	void *arg;
	int (*read)(void *arg, bool user, void *dst, uint32_t n, uint64_t addr);
	int (*string)(void *arg, bool user, char *dst, uint32_t n, uint64_t addr);
	int (*write)(void *arg, const void *src, uint32_t n, uint64_t addr);	/* writes to a process */
	/* Sends a signal to a process. NULL: not available. */
	void (*signal)(void *arg, int64_t pid, int number);
	/* The address of the thread's struct task_struct if the sample does not have it. NULL: 0. */
	uint64_t (*task)(void *arg, const struct sample *s);
};

struct world {
	struct arena *arena;
	const struct d_prog *prog;
	uint64_t bufsize, aggsize, dynvarsize;
	unsigned ncpus;
	struct world_memory memory;
	/* kind: as in IR_STACK. NULL: the sample's own frames */
	const struct frames *(*ustack)(void *arg, const struct sample *s, unsigned kind);
	void *ustack_arg;

	const struct sample *now;	/* sample of the current firing */
	enum ir_ctx ctx;
	uint64_t clock;
	uint64_t tick, first_tick;	/* jiffies: length of one in ns, and their number at clock 0 */
	enum ir_state state;
	uint64_t begun;			/* owners in keys have times from this time on: CLOCK_MONOTONIC, ns */
	uint64_t random;
	bool exited;
	int64_t status;

	void **mem;			/* by object */
	struct store *stores;		/* by object: CPU and key -> cell; key, or thread -> variable */
	struct arena frames_arena;
	struct map frames;		/* during a snapshot: stack number -> frames */
	struct store *ended;		/* numbers of ended threads whose elements may still be there */
	enum ir_sweep sweeping;
	uint64_t *created;		/* by object: elements of threads since its last sweep */
	uint64_t *used;			/* bytes by object; aggregations: by object and CPU */
	struct buf records;		/* for each record, a struct waiting and the record's bytes */
	uint64_t *waiting;	/* bytes in the buffer of each CPU */
	struct drop_counts *drops;
	struct ir_world hooks;
};

/* Header of a record in `records`; the record's bytes follow. */
struct waiting {
	int32_t cpu;
	uint32_t size;
};

/* ncpus: greater than every CPU number. */
void world_init(struct world *w, struct arena *a, const struct d_prog *p, const struct options *o, unsigned ncpus);
void world_free(struct world *w);
/* Changes the number of CPUs. Call it before anything has run. */
void world_cpus(struct world *w, unsigned ncpus);
/* Runs a function for a sample. */
void world_run(struct world *w, const struct ir_func *f, const struct sample *s);
/* The words of an object without keys (IR_CELL0), of the sample's CPU. NULL: out of memory. */
uint64_t *world_words(struct world *w, uint32_t obj, const struct sample *s);
/* Deletes a thread's variables, so that a later thread with the same ID does not see them. */
void world_thread_ended(struct world *w, uint64_t tid);
/* From `time` (ns) on, addresses of a process may have other symbols, so its keys get a new owner (val_owner). */
void world_changed(struct world *w, uint64_t pid, uint64_t time);
/* Sets walltimestamp to the clock plus `offset` (ns). */
void world_wall(struct world *w, uint64_t offset);
/* s: the new state. In END, exit() may be called again. */
void world_allow_exit(struct world *w, enum ir_state s);
/* Delivers the waiting records. Returns their number. */
int world_records(struct world *w, record_fn fn, void *arg);
/* Adds the cells of each table's aggregation to the table. For aggregations with generations, deletes these cells and
 * their stacks. Returns 0 or -ENOMEM. */
int world_snapshot(struct world *w, struct agg_table *const *tables, unsigned n);

#endif
