/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Orders the blocks of a function so that every branch goes forward.
 *
 * Lowering needs the number of a later block ("the next clause") before the blocks in between exist, so numbers do not
 * follow the order of execution. D has no loops, so reverse postorder works.
 */
#include "ir/ir.h"

#include <assert.h>
#include <string.h>

enum { UNSEEN = UINT32_MAX };

struct order_walk {
	const struct ir_func *f;
	uint32_t *next;		/* block -> next successor to visit, or UNSEEN */
	uint32_t *path;		/* blocks being visited; not recursive, to spare the C stack */
	uint32_t *post;		/* finished blocks */
	size_t npath, npost;
};

static void walk_push(struct order_walk *w, uint32_t block)
{
	const struct ir_block *k = &w->f->blocks.v[block];
	uint32_t out[2];

	assert(k->ins.n && ir_opinfo[k->ins.v[k->ins.n - 1].op].flags & IR_F_TERM);
	w->next[block] = ir_succ(&k->ins.v[k->ins.n - 1], out);
	w->path[w->npath++] = block;
}

/* Visits the last successor first, so that the first one directly follows its branch. */
static void walk_step(struct order_walk *w)
{
	uint32_t block = w->path[w->npath - 1];
	const struct ir_block *k = &w->f->blocks.v[block];
	uint32_t out[2];

	if (!w->next[block]) {
		w->post[w->npost++] = block;
		w->npath--;
		return;
	}
	ir_succ(&k->ins.v[k->ins.n - 1], out);
	if (w->next[out[--w->next[block]]] == UNSEEN)
		walk_push(w, out[w->next[block]]);
}

void ir_func_order(struct ir_prog *p, struct ir_func *f)
{
	size_t n = f->blocks.n;
	struct ir_block *old = f->blocks.v;
	uint32_t *mem = arena_calloc(p->arena, n, 4 * sizeof *mem), *number = mem + 3 * n;
	struct order_walk w = { .f = f, .next = mem, .path = mem + n, .post = mem + 2 * n };

	memset(w.next, 0xff, n * sizeof *w.next);
	walk_push(&w, 0);
	while (w.npath)
		walk_step(&w);
	f->blocks.v = arena_calloc(p->arena, w.npost, sizeof *old);
	f->blocks.n = f->blocks.cap = w.npost;
	for (size_t i = 0; i < w.npost; i++) {
		number[w.post[w.npost - 1 - i]] = (uint32_t)i;
		f->blocks.v[i] = old[w.post[w.npost - 1 - i]];
	}
	for (size_t i = 0; i < w.npost; i++)
		ir_retarget(&f->blocks.v[i].ins.v[f->blocks.v[i].ins.n - 1], number);
}
