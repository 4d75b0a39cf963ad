/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The world that a program sees in the replay engine: memory of its objects on the heap, one event's values.
 *
 * Who owns what: the arena owns all memory but the records that wait for the consumer; world_free gives those back.
 * What can fail: nothing; what finds no room is counted as a drop, as in the kernel.
 */
#ifndef ENGINE_USER_WORLD_H
#define ENGINE_USER_WORLD_H

#include "engine/backend.h"
#include "engine/user/events.h"
#include "ir/interp.h"

struct world {
	struct arena *arena;
	const struct d_prog *prog;
	uint64_t bufsize, aggsize, dynvarsize;
	struct events events;

	const struct event *now;	/* whose firing runs */
	enum ir_ctx ctx;
	uint64_t clock;
	enum ir_state state;
	uint64_t random;
	bool exited;
	int64_t status;

	void **mem;			/* by object */
	struct map cells;		/* object, CPU, key -> cell */
	struct map vars;		/* object, key or thread -> value; NULL: deleted */
	uint64_t *used;			/* bytes by object; aggregations: by object and CPU */
	struct buf key;			/* scratch */
	struct buf records;		/* struct waiting + bytes, each */
	uint64_t waiting[EVENT_MAXCPU];	/* bytes in each CPU's buffer */
	struct drop_counts drops[EVENT_MAXCPU];
	struct ir_world hooks;
};

/* A record in `records`; its bytes follow. */
struct waiting {
	int32_t cpu;
	uint32_t size;
};

void world_init(struct world *w, struct arena *a, const struct d_prog *p, const struct options *o);
void world_free(struct world *w);
/* Runs a function for an event. */
void world_run(struct world *w, const struct ir_func *f, const struct event *e);
/* Hands over the records that wait. Returns how many. */
int world_records(struct world *w, record_fn fn, void *arg);
/* Adds the cells of an aggregation to its table; with generations they are forgotten then. 0 or -ENOMEM. */
int world_snapshot(struct world *w, struct agg_table *t);

#endif
