/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sites of one basic block are attached as one: the program runs one turn for each of them. A table has the numbers
 * of the probes, row by row. Any instruction of the block will do, so the one where a probe costs least is chosen. The
 * cookie says at which row a block begins, and in its upper half how many rows it has.
 * The first rows are for blocks with one site: row N has the number N. The others are filled when sites are attached.
 */
#include <stdlib.h>

#include "providers/code/code.h"

enum { COUNT_SHIFT = 32 };

static const char *rows_name(struct arena *a, const struct code_gate *g)
{
	return arena_printf(a, "%s.rows", g->gate.name);
}

static uint32_t rows_object(struct ir_builder *b, struct code_gate *g)
{
	enum { SPARE_SITES = 2 };	/* a spare probe may have a few */
	const char *name = rows_name(b->prog->arena, g);
	int64_t found = ir_obj_find(b->prog, name);
	uint64_t *row;

	if (found >= 0)
		return (uint32_t)found;
	g->rows = g->probes.n;
	for (size_t i = 0; i < g->probes.n; i++)
		g->rows += code_of(g->probes.v[i])->nsites ? code_of(g->probes.v[i])->nsites : SPARE_SITES;
	row = arena_calloc(b->prog->arena, g->rows, sizeof *row);
	for (size_t i = 0; i < g->probes.n; i++)
		row[i] = i;
	return ir_obj_add(b->prog, &(struct ir_obj){
		.name = name, .kind = IR_O_GLOBAL, .size = (uint32_t)(g->rows * sizeof *row), .init = row,
	});
}

ir_reg code_member(struct ir_builder *b, struct code_gate *g)
{
	uint32_t obj = rows_object(b, g);
	ir_reg first = ir_emit(b, IR_ZEXT32, ir_r(ir_emit0(b, IR_COOKIE)));
	ir_reg row = ir_emit(b, IR_ADD, ir_r(first), ir_r(ir_emit0(b, IR_TURN)));

	return ir_emit(b, IR_LD64, ir_mx(0, obj, 0, row, (uint32_t)g->rows));
}

static int place_compare(const void *x, const void *y)
{
	const struct code_place *a = x, *b = y;

	if (a->site->block != b->site->block)
		return a->site->block < b->site->block ? -1 : 1;
	if (a->site->off != b->site->off)
		return a->site->off < b->site->off ? -1 : 1;
	return code_of(a->probe)->number < code_of(b->probe)->number ? -1 : 1;
}

static uint64_t cookie_of(size_t row, size_t count)
{
	return (uint64_t)count << COUNT_SHIFT | row;
}

/* Gives a block rows of its own, unless it has one site. Returns false if there are none left. */
static bool fill_rows(struct code_gate *g, uint64_t *row, struct code_place *v, size_t n)
{
	size_t first = g->probes.n + g->used;

	if (!row || (n > 1 && n > g->rows - first))
		return false;
	v->cookie = cookie_of(code_of(v->probe)->number, 1);
	if (n == 1)
		return true;
	for (size_t i = 0; i < n; i++)
		__atomic_store_n(&row[first + i], code_of(v[i].probe)->number, __ATOMIC_RELEASE);
	g->used += n;
	v->cookie = cookie_of(first, n);
	return true;
}

size_t code_merge(struct code_gate *g, struct attach_env *env, struct code_place *v, size_t n)
{
	uint64_t *row = env->turns ? env->global(env, rows_name(env->prog->arena, g)) : NULL;
	size_t left = 0;

	qsort(v, n, sizeof *v, place_compare);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].site->block == v[i].site->block;)
			end++;
		if (fill_rows(g, row, &v[i], end - i)) {
			v[i].off = v[i].site->cheapest;
			v[left++] = v[i];
			continue;
		}
		for (size_t k = i; k < end; k++) {	/* each member fires by itself */
			v[k].cookie = cookie_of(code_of(v[k].probe)->number, 1);
			v[left++] = v[k];
		}
	}
	return left;
}
