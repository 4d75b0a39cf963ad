/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small world for the interpreter: memory for every object, cells created on demand, and a trace of all actions.
 * Its input comes from a struct ir_seed, by the same rules as in a program that went through ir_seed().
 *
 * Who owns what: the world owns memory and trace until world_close (idempotent).
 * What can fail: nothing; memory comes from an arena.
 */
#ifndef TESTS_IR_WORLD_H
#define TESTS_IR_WORLD_H

#include "base/arena.h"
#include "base/buf.h"
#include "ir/interp.h"

struct world_cell {
	uint32_t obj;
	uint8_t *key, *value;
	bool deleted;
};

struct ir_test_world {
	const struct ir_prog *prog;
	struct arena mem;
	void **obj;		/* memory of objects that are not maps */
	VEC(struct world_cell) cells;
	size_t max_cells;	/* of one object; more are dropped */
	const struct ir_seed *seed;
	struct buf trace;
	struct ir_world hooks;
};

/* `seed` may be NULL: all zeros. The world of a program that has a "seed" object finds it filled. */
void world_open(struct ir_test_world *w, const struct ir_prog *p, const struct ir_seed *seed);
void world_close(struct ir_test_world *w);
void world_run(struct ir_test_world *w, const struct ir_func *f);
/* Appends the contents of global objects and cells; with `all`, also of other objects, except temporary memory, which
 * means nothing at the end. */
void world_dump(struct ir_test_world *w, bool all);

#endif
