/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations with few keys that are all known at compile time:
 *
 *	@[arg0 ? "kernel" : "user"] = count(); @[cpu, errno != 0] = avg(x);
 *
 * Each combination of keys has a numbered cell at a fixed place, so arithmetic replaces the lookup of a key. At every
 * site of the aggregation, a key must be one of a list of constants (what c ? a : b chooses from, the names of a
 * clause's probes), an integer from a small range, or the number of the CPU, which needs no cell number because each
 * CPU has its own cells.
 *
 * Used only if all cells fit into aggsize; a table of rows would then not have dropped any either. An aggregation
 * without keys has a single cell anyway; it gets a number only if its value does not show whether anything was added.
 */
#include "lang/lower/cells.h"

#include <string.h>

#include "lang/check/range.h"
#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/lower.h"

enum {
	CELLS_MAX = 512,
	CELLS_BYTES = 16 << 10,		/* limit of one aggregation per CPU */
	CELLS_ALL = 64 << 10,		/* limit of all aggregations per CPU */
	CELLS_KEYS = 64 << 10,		/* limit of the tables of keys in this process */
	CELLS_DEPTH = 64,		/* nesting of the choices in a key */
};

/* What a key can be at all sites seen so far. */
struct known_key {
	bool cpu, list, range;		/* always the CPU; a constant from the list; within `bounds` */
	bool any;			/* a site was seen */
	struct int_range bounds;
	struct map constants;		/* text, or the bytes of an integer -> number + 1 */
	uint32_t n, stride;		/* after the decision: number of values, and cells from one value to the next */
	/* the last table "member of the gate -> number * stride": its gate, its text, its object */
	const struct gate *gate;
	enum builtin text;
	uint32_t table;
};

struct known_keys {
	struct agg_cells cells;		/* first: desc->cells points to it */
	struct known_key *key;
};

/* ---- sites ---- */
static bool is_cpu(const struct node *n)
{
	return n->kind == N_VAR && n->var->cls == VC_BUILTIN && n->var->builtin == BI_cpu && n->type->size == 4;
}

/* The name of the probe or a part of it. */
static bool is_probe_text(const struct node *n)
{
	static const struct probe any = { .provname = "", .mod = "", .func = "", .name = "" };

	return n->kind == N_VAR && n->var->cls == VC_BUILTIN && probe_text(&any, n->var->builtin);
}

/* A conversion that does not change the value. */
static bool is_idle_cast(const struct node *n)
{
	struct int_range r;

	if (n->kind != N_CAST || !type_is_int(n->type) || !type_is_int(n->a->type))
		return false;
	r = range_of(n->a);
	return range_fits(&r, n->type);
}

static void add_constant(struct known_key *k, const void *bytes, size_t len)
{
	void **slot = map_put(&k->constants, bytes, len);

	if (!*slot)
		*slot = (void *)(uintptr_t)k->constants.n;
}

static bool add_probes(struct known_key *k, const struct clause *c, enum builtin bi)
{
	if (c->follows)
		return false;
	for (size_t i = 0; i < c->probes.n && k->constants.n <= CELLS_MAX; i++) {
		const char *text = probe_text(c->probes.v[i], bi);

		add_constant(k, text, strlen(text));
	}
	return true;
}

/* Adds the constants that the expression chooses from. Returns false if it has other values, or too many. */
static bool note_choice(struct known_key *k, const struct clause *c, const struct node *n, unsigned depth)
{
	if (depth > CELLS_DEPTH || k->constants.n > CELLS_MAX)
		return false;
	if (n->kind == N_COND)
		return note_choice(k, c, n->b, depth + 1) && note_choice(k, c, n->c, depth + 1);
	if (is_idle_cast(n))
		return note_choice(k, c, n->a, depth + 1);
	if (is_probe_text(n))
		return add_probes(k, c, n->var->builtin);
	if (n->kind == N_STR)
		add_constant(k, n->str, n->len);
	else if (n->kind == N_INT && type_is_int(n->type))
		add_constant(k, &n->value, sizeof n->value);
	else
		return false;
	return true;
}

static void note_key(struct arena *a, struct known_key *k, const struct clause *c, const struct node *n)
{
	struct int_range r = range_of(n);

	if (!k->any) {
		*k = (struct known_key){ .any = true, .cpu = true, .list = true, .range = true, .bounds = r };
		map_init(&k->constants, a);
	}
	k->cpu = k->cpu && is_cpu(n);
	k->list = k->list && note_choice(k, c, n, 0);
	k->bounds = range_join(k->bounds, r);
	k->range = k->bounds.known;
}

static void note_site(struct lower *l, const struct clause *c, const struct node *agg)
{
	struct known_keys **known = &l->known[agg->agg->id];

	if (!agg->agg->nkeys && !agg->agg->func->may_be_zero)
		return;
	if (!*known) {
		*known = arena_alloc(l->arena, sizeof **known);
		(*known)->key = arena_calloc(l->arena, agg->agg->nkeys + 1, sizeof *(*known)->key);
	}
	for (unsigned i = 0; i < agg->agg->nkeys; i++)
		note_key(l->arena, &(*known)->key[i], c, agg->args[i]);
}

static void note_statements(struct lower *l, const struct clause *c, const struct stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == S_AGG)
			note_site(l, c, s->expr);
		if (s->kind == S_IF) {
			note_statements(l, c, s->yes);
			note_statements(l, c, s->no);
		}
	}
}

void cells_note(struct lower *l)
{
	l->known = arena_calloc(l->arena, l->c->script->agglist.n + 1, sizeof *l->known);
	if (!l->c->opts.aggsize)
		return;
	for (const struct clause *c = l->c->script->clauses; c; c = c->next)
		note_statements(l, c, c->body);
}

/* ---- the decision ---- */
/* The number of values of a key; 0 = too many or unknown. */
static uint32_t count_values(struct known_key *k, const struct val_field *f)
{
	if (k->cpu)
		return 1;
	if (k->list && (f->kind == VAL_INT || f->kind == VAL_STR))
		return (uint32_t)k->constants.n;
	k->list = false;
	if (k->range && f->kind == VAL_INT && (uint64_t)k->bounds.hi - (uint64_t)k->bounds.lo < CELLS_MAX)
		return (uint32_t)(k->bounds.hi - k->bounds.lo) + 1;
	return 0;
}

/* The number of combinations of all keys; 0 = too many. */
static uint32_t count_cells(struct known_keys *known, const struct agg_desc *d)
{
	uint32_t all = 1;

	for (unsigned i = 0; i < d->nkeys && all; i++) {
		struct known_key *k = &known->key[i];

		k->n = count_values(k, &d->raw[i]);
		k->stride = all;
		known->cells.cpus |= (uint32_t)k->cpu << i;
		all = k->n > CELLS_MAX / all ? 0 : all * k->n;
	}
	return all;
}

static void put_int(uint8_t *to, uint32_t size, uint64_t v)
{
	const union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } as[] = {
		{ .u8 = (uint8_t)v }, { .u16 = (uint16_t)v }, { .u32 = (uint32_t)v }, { .u64 = v },
	};

	memcpy(to, &as[__builtin_ctz(size)], size);
}

/* Stores value number `which` of a key. Strings are padded with zeros and truncated to the size of the field. */
static void put_value(const struct known_key *k, const struct val_field *f, uint32_t which, uint8_t *key)
{
	const struct map_entry *e;
	uint64_t v;

	if (!k->list) {
		put_int(key + f->off, f->size, (uint64_t)k->bounds.lo + which);
		return;
	}
	e = &k->constants.entries[which];
	if (f->kind == VAL_STR) {
		memcpy(key + f->off, e->key, e->len < f->size ? e->len : f->size - 1);
		return;
	}
	memcpy(&v, e->key, sizeof v);
	put_int(key + f->off, f->size, v);
}

static const uint8_t *make_keys(struct lower *l, const struct known_keys *known, const struct agg_desc *d, uint32_t n)
{
	uint8_t *keys = arena_calloc(l->arena, known->cells.n, d->rawsize + 1);

	for (uint32_t c = 0; c < n; c++)
		for (unsigned i = 0; i < d->nkeys; i++)
			if (!known->key[i].cpu)
				put_value(&known->key[i], &d->raw[i], c / known->key[i].stride % known->key[i].n,
					  keys + (size_t)c * d->rawsize);
	return keys;
}

const struct agg_cells *cells_find(struct lower *l, const struct agg_desc *d, uint32_t size)
{
	struct known_keys *known = l->known[d->id];
	uint32_t n = known && !d->has_stacks ? count_cells(known, d) : 0, cells = 1;
	uint64_t bytes;

	if (!n)
		return NULL;
	while (cells < n)
		cells *= 2;
	bytes = cells * (uint64_t)(size + 8);
	if (bytes > CELLS_BYTES || l->cells_bytes + bytes > CELLS_ALL || (uint64_t)cells * d->rawsize > CELLS_KEYS ||
	    cells * ((uint64_t)d->rawsize + size + AGG_ROW) > l->c->opts.aggsize)
		return NULL;
	l->cells_bytes += (uint32_t)bytes;
	known->cells.n = cells;
	known->cells.keys = make_keys(l, known, d, n);
	l->prog->uses_cpu |= known->cells.cpus != 0;
	return &known->cells;
}

/* ---- the number of a cell ---- */
/* What a constant adds to the number. A constant that was never seen adds 0: no probe of this clause has that
 * name. */
static int64_t constant_weight(const struct known_key *k, const void *bytes, size_t len)
{
	void **slot = map_find(&k->constants, bytes, len);

	return slot ? (int64_t)((uintptr_t)*slot - 1) * k->stride : 0;
}

/* If several probes share the program, a table has the amount for each probe. */
static struct ir_arg lower_member(struct lower *l, struct known_key *k, enum builtin bi)
{
	const struct gate *g = l->info->gate;
	uint64_t *words;

	if (k->gate != g || k->text != bi) {
		words = arena_calloc(l->arena, g->members.n, sizeof *words);
		for (size_t i = 0; i < g->members.n; i++) {
			const char *text = probe_text(g->members.v[i], bi);

			words[i] = (uint64_t)constant_weight(k, text, strlen(text));
		}
		k->gate = g;
		k->text = bi;
		k->table = lower_gate_table(l, "cells", words);
	}
	return lower_gate_load(l, k->table);
}

static struct ir_arg lower_constant(struct lower *l, struct known_key *k, const struct node *n)
{
	const char *text;

	if (n->kind == N_INT)
		return ir_i(constant_weight(k, &n->value, sizeof n->value));
	if (n->kind == N_STR)
		return ir_i(constant_weight(k, n->str, n->len));
	text = lower_builtin_text(l, n);
	return text ? ir_i(constant_weight(k, text, strlen(text))) : lower_member(l, k, n->var->builtin);
}

/* What a choice among constants adds to the number. */
static struct ir_arg lower_choice(struct lower *l, struct known_key *k, const struct node *n)
{
	uint32_t yes, no, end;
	ir_reg r;

	while (n->kind == N_CAST)
		n = n->a;
	if (n->kind != N_COND)
		return lower_constant(l, k, n);
	yes = ir_newblock(&l->b, NULL);
	no = ir_newblock(&l->b, NULL);
	end = ir_newblock(&l->b, NULL);
	r = ir_newreg(&l->b);
	lower_branch(l, n->a, yes, no);
	ir_enter(&l->b, yes);
	ir_emit_to(&l->b, IR_MOV, r, lower_choice(l, k, n->b));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, no);
	ir_emit_to(&l->b, IR_MOV, r, lower_choice(l, k, n->c));
	ir_enter(&l->b, end);
	return ir_r(r);
}

static struct ir_arg lower_bounded(struct lower *l, const struct known_key *k, const struct node *n)
{
	struct ir_arg v = lower_op(l, IR_SUB, lower_expr(l, n), ir_i(k->bounds.lo));

	return k->stride == 1 ? v : lower_op(l, IR_MUL, v, ir_i(k->stride));
}

struct ir_arg cells_number(struct lower *l, const struct node *agg)
{
	const struct known_keys *known = (const struct known_keys *)agg->agg->cells;
	struct ir_arg sum = ir_i(0);

	for (unsigned i = 0; i < agg->agg->nkeys; i++) {
		struct known_key *k = &known->key[i];

		if (k->list)
			sum = lower_op(l, IR_ADD, sum, lower_choice(l, k, agg->args[i]));
		else if (!k->cpu)
			sum = lower_op(l, IR_ADD, sum, lower_bounded(l, k, agg->args[i]));
	}
	return sum;
}
