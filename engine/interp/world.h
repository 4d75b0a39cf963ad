/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The world that a program sees in this process: memory of its objects on the heap, one sample's values.
 *
 * Who owns what: the arena owns all memory but the records that wait for the consumer; world_free gives those back.
 * What can fail: nothing; what finds no room is counted as a drop, as in the kernel.
 */
#ifndef ENGINE_INTERP_WORLD_H
#define ENGINE_INTERP_WORLD_H

#include "engine/interp/store.h"
#include "engine/run/backend.h"
#include "engine/sample/source.h"
#include "ir/interp.h"

/* Memory that programs may ask for, of the kernel and of processes (user). 0 or -errno. A string is what fits, up to a NUL. */
struct world_memory {
	void *arg;
	int (*read)(void *arg, bool user, void *dst, uint32_t n, uint64_t addr);
	int (*string)(void *arg, bool user, char *dst, uint32_t n, uint64_t addr);
	int (*write)(void *arg, const void *src, uint32_t n, uint64_t addr);	/* a process's */
	/* Sends a signal to a process. NULL: that cannot be done. */
	void (*signal)(void *arg, int64_t pid, int number);
	/* Address of a thread's struct task_struct where the sample does not tell it. NULL: 0 */
	uint64_t (*task)(void *arg, const struct sample *s);
};

struct world {
	struct arena *arena;
	const struct d_prog *prog;
	uint64_t bufsize, aggsize, dynvarsize;
	unsigned ncpus;
	struct world_memory memory;
	const struct frames *(*ustack)(void *arg, const struct sample *s);	/* NULL: that of the sample */
	void *ustack_arg;

	const struct sample *now;	/* whose firing runs */
	enum ir_ctx ctx;
	uint64_t clock;
	uint64_t tick, first_tick;	/* jiffies: ns of one, how many there were at 0 */
	enum ir_state state;
	uint64_t begun;			/* from when times of owners count */
	uint64_t random;
	bool exited;
	int64_t status;

	void **mem;			/* by object */
	struct store *stores;		/* by object: CPU and key -> cell; key, or thread -> variable */
	struct arena frames_arena;
	struct map frames;		/* within a snapshot: number of a stack -> its frames */
	uint64_t *used;			/* bytes by object; aggregations: by object and CPU */
	struct buf records;		/* struct waiting + bytes, each */
	uint64_t *waiting;	/* bytes in each CPU's buffer */
	struct drop_counts *drops;
	struct ir_world hooks;
};

/* A record in `records`; its bytes follow. */
struct waiting {
	int32_t cpu;
	uint32_t size;
};

/* CPU numbers are below ncpus. */
void world_init(struct world *w, struct arena *a, const struct d_prog *p, const struct options *o, unsigned ncpus);
void world_free(struct world *w);
/* Other CPUs: before anything has run. */
void world_cpus(struct world *w, unsigned ncpus);
/* Runs a function for a sample. */
void world_run(struct world *w, const struct ir_func *f, const struct sample *s);
/* Its thread variables are forgotten: the next thread of this number has none. */
void world_thread_ended(struct world *w, uint64_t tid);
/* From `time` on some addresses of a process mean something else: its keys get another owner. */
void world_changed(struct world *w, uint64_t pid, uint64_t time);
/* walltimestamp is the clock and this. */
void world_wall(struct world *w, uint64_t offset);
/* In END, exit() counts anew. */
void world_allow_exit(struct world *w, enum ir_state s);
/* Hands over the records that wait. Returns how many. */
int world_records(struct world *w, record_fn fn, void *arg);
/* Adds the cells of each table's aggregation to it; with generations they are forgotten then, and their stacks. 0 or -ENOMEM. */
int world_snapshot(struct world *w, struct agg_table *const *tables, unsigned n);

#endif
