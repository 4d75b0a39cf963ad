/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations whose keys are known beforehand, and few:
 *
 *	@[arg0 ? "kernel" : "user"] = count(); @[cpu, errno != 0] = avg(x);
 *
 * Each combination of keys has a cell with a number, at a fixed place: what would be a look-up of a key is some arithmetic.
 * All sites of an aggregation count together: a key is one of a list of constants (what c ? a : b chooses from), one of a
 * small range of integers, or the number of the CPU, of which each has cells of its own.
 *
 * Only where all of them fit into aggsize: a table of rows would not have lost any either.
 */
#include <string.h>

#include "lang/cells.h"
#include "lang/range.h"

enum {
	CELLS_MAX = 256,
	CELLS_BYTES = 16 << 10,		/* on a CPU, of one aggregation */
	CELLS_ALL = 64 << 10,		/* and of all */
	CELLS_KEYS = 64 << 10,		/* of keys, here */
	CELLS_DEPTH = 64,		/* of the choices in a key */
};

/* What one key can be, at all sites seen so far. */
struct known_key {
	bool cpu, list, range;		/* is it the CPU, one of the constants, within bounds? */
	bool any;			/* a site was seen */
	struct range bounds;
	VEC(const struct node *) constants;
	uint32_t n, stride;		/* once it was decided: values, and cells from one to the next */
};

struct known_keys {
	struct agg_cells cells;		/* first: what desc->cells points to */
	struct known_key *key;
};

/* ---- sites ---- */
static bool is_cpu(const struct node *n)
{
	return n->kind == N_VAR && n->var->cls == VC_BUILTIN && n->var->builtin == BI_cpu && n->type->size == 4;
}

static bool is_constant(const struct node *n)
{
	return n->kind == N_STR || (n->kind == N_INT && type_is_int(n->type));
}

/* A conversion that changes nothing. */
static bool is_idle_cast(const struct node *n)
{
	struct range r;

	if (n->kind != N_CAST || !type_is_int(n->type) || !type_is_int(n->a->type))
		return false;
	r = range_of(n->a);
	return range_fits(&r, n->type);
}

/* The number of a constant; that behind the last if it is not there. */
static uint32_t find_constant(const struct known_key *k, const struct node *n)
{
	uint32_t i = 0;

	for (; i < k->constants.n; i++) {
		const struct node *c = k->constants.v[i];

		if (c->kind != n->kind)
			continue;
		if (n->kind == N_INT ? c->value == n->value : c->len == n->len && !memcmp(c->str, n->str, n->len))
			break;
	}
	return i;
}

/* Takes in what the expression chooses from. False: it is not only constants, or they are too many. */
static bool note_choice(struct arena *a, struct known_key *k, const struct node *n, unsigned depth)
{
	if (depth > CELLS_DEPTH || k->constants.n > CELLS_MAX)
		return false;
	if (n->kind == N_COND)
		return note_choice(a, k, n->b, depth + 1) && note_choice(a, k, n->c, depth + 1);
	if (is_idle_cast(n))
		return note_choice(a, k, n->a, depth + 1);
	if (!is_constant(n))
		return false;
	if (find_constant(k, n) == k->constants.n)
		*VEC_ADD(a, &k->constants) = n;
	return true;
}

static void note_key(struct arena *a, struct known_key *k, const struct node *n)
{
	struct range r = range_of(n);

	if (!k->any)
		*k = (struct known_key){ .any = true, .cpu = true, .list = true, .range = true, .bounds = r };
	k->cpu = k->cpu && is_cpu(n);
	k->list = k->list && note_choice(a, k, n, 0);
	k->bounds = range_join(k->bounds, r);
	k->range = k->bounds.known;
}

static void note_site(struct lower *l, const struct node *agg)
{
	struct known_keys **known = &l->known[agg->agg->id];

	if (!agg->agg->nkeys)
		return;
	if (!*known) {
		*known = arena_alloc(l->arena, sizeof **known);
		(*known)->key = arena_calloc(l->arena, agg->agg->nkeys, sizeof *(*known)->key);
	}
	for (unsigned i = 0; i < agg->agg->nkeys; i++)
		note_key(l->arena, &(*known)->key[i], agg->args[i]);
}

static void note_statements(struct lower *l, const struct stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == S_AGG)
			note_site(l, s->expr);
		if (s->kind == S_IF) {
			note_statements(l, s->yes);
			note_statements(l, s->no);
		}
	}
}

void cells_note(struct lower *l)
{
	l->known = arena_calloc(l->arena, l->c->script->agglist.n + 1, sizeof *l->known);
	if (!l->c->opts.aggsize)
		return;
	for (const struct clause *c = l->c->script->clauses; c; c = c->next)
		note_statements(l, c->body);
}

/* ---- the decision ---- */
/* How many values a key has; 0 = too many, or nobody knows. */
static uint32_t count_values(struct known_key *k, const struct val_field *f)
{
	if (k->cpu)
		return 1;
	if (k->list && (f->kind == VAL_INT || f->kind == VAL_STR))
		return k->constants.n;
	k->list = false;
	if (k->range && f->kind == VAL_INT && (uint64_t)k->bounds.hi - (uint64_t)k->bounds.lo < CELLS_MAX)
		return (uint32_t)(k->bounds.hi - k->bounds.lo) + 1;
	return 0;
}

/* The combinations of all keys; 0 = too many. */
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

/* Value number `which` of a key, as it lies in a key. Strings end in zeros, as those that are cut. */
static void put_value(const struct known_key *k, const struct val_field *f, uint32_t which, uint8_t *key)
{
	const struct node *c;

	if (!k->list) {
		put_int(key + f->off, f->size, (uint64_t)k->bounds.lo + which);
		return;
	}
	c = k->constants.v[which];
	if (f->kind == VAL_INT)
		put_int(key + f->off, f->size, c->value);
	else
		memcpy(key + f->off, c->str, c->len < f->size ? c->len : f->size - 1);
}

static const uint8_t *make_keys(struct lower *l, const struct known_keys *known, const struct agg_desc *d, uint32_t n)
{
	uint8_t *keys = arena_calloc(l->arena, known->cells.n, d->rawsize);

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
	return &known->cells;
}

/* ---- the number of a cell ---- */
/* What the choice among constants adds to it. */
static struct ir_arg lower_choice(struct lower *l, const struct known_key *k, const struct node *n)
{
	uint32_t yes, no, end;
	ir_reg r;

	while (n->kind == N_CAST)
		n = n->a;
	if (n->kind != N_COND)
		return ir_i((int64_t)find_constant(k, n) * k->stride);
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
		const struct known_key *k = &known->key[i];

		if (k->list)
			sum = lower_op(l, IR_ADD, sum, lower_choice(l, k, agg->args[i]));
		else if (!k->cpu)
			sum = lower_op(l, IR_ADD, sum, lower_bounded(l, k, agg->args[i]));
	}
	return sum;
}
