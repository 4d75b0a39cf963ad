/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values at fixed offsets: fields of records, keys of aggregations and arrays. */
#include <string.h>

#include "lang/cells.h"
#include "lang/func.h"
#include "lang/lower_aggs.h"
#include "lang/lower_memory.h"
#include "lang/lower_strings.h"

enum { ZERO_WORDS = 8 };	/* fewer stores than this are shorter than a call */

static const enum ir_op store[9] = { [1] = IR_ST8, [2] = IR_ST16, [4] = IR_ST32, [8] = IR_ST64 };

void lower_zero(struct lower *l, uint32_t o, uint32_t from, uint32_t to)
{
	while (from < to) {
		uint32_t n = 8;

		if (!(from % 8) && to - from > ZERO_WORDS * 8) {
			n = (to - from) & ~7u;
			ir_emit(&l->b, IR_ZERO, ir_m(o, from), ir_i(n));
		} else {
			while (from % n || n > to - from)
				n /= 2;
			ir_emit(&l->b, store[n], ir_m(o, from), ir_i(0));
		}
		from += n;
	}
}

/* Another use may have more frames: pads with zeros. */
static void lower_symbolic(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t size)
{
	n->func->record(l, n, dst);
	lower_zero(l, dst.obj, (uint32_t)(dst.imm + (int64_t)n->type->size), (uint32_t)dst.imm + size);
}

/* Includes the padding if that makes a whole word, because reading a word after two partial stores is slow. Returns the
 * end of what was stored. */
static uint32_t lower_scalar(struct lower *l, uint32_t o, const struct val_field *f, uint32_t next,
			     const struct node *n)
{
	static const enum ir_op extend[8] = { [1] = IR_ZEXT8, [2] = IR_ZEXT16, [4] = IR_ZEXT32 };
	struct ir_arg v = lower_expr(l, n);

	if (f->size == 8 || f->off % 8 || next - f->off < 8) {
		ir_emit(&l->b, store[f->size], ir_m(o, f->off), v);
		return f->off + f->size;
	}
	if (v.kind == IR_IMM)
		v = ir_i((int64_t)ir_fold(extend[f->size], (uint64_t)v.imm, 0));
	else
		v = ir_r(ir_emit(&l->b, extend[f->size], v));
	ir_emit(&l->b, IR_ST64, ir_m(o, f->off), v);
	return f->off + 8;
}

void lower_fields(struct lower *l, uint32_t o, uint32_t off, uint32_t size, const struct val_field *f,
		  struct node **nodes, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		lower_zero(l, o, off, f[i].off);
		off = f[i].off + f[i].size;
		if (val_is_symbolic(f[i].kind))
			lower_symbolic(l, nodes[i], ir_m(o, f[i].off), f[i].size);
		else if (f[i].kind == VAL_STR)
			lower_string(l, nodes[i], ir_m(o, f[i].off), f[i].size);
		else if (f[i].kind == VAL_BYTES)
			lower_record_bytes(l, nodes[i], ir_m(o, f[i].off));
		else
			off = lower_scalar(l, o, &f[i], i + 1 < n ? f[i + 1].off : size, nodes[i]);
	}
	lower_zero(l, o, off, size);
}

/* ---- aggregations ---- */
struct added {
	struct ir_arg value, weight;
};

static struct added evaluate(struct lower *l, const struct node *call)
{
	struct added a = {
		.value = call->nargs > 0 ? lower_expr(l, call->args[0]) : ir_i(0),
		.weight = call->nargs > 1 ? lower_expr(l, call->args[1]) : ir_i(1),
	};

	if (l->weight)
		a.weight = lower_op(l, IR_MUL, a.weight, ir_r(ir_emit(&l->b, IR_LD64, ir_m(l->weight - 1, 0))));
	return a;
}

static void add(struct lower *l, const struct agg_desc *d, ir_reg cell, const struct added *a)
{
	d->func->update(&l->b, &d->spec, ir_mc(cell, d->obj, d->valoff), a->value, a->weight);
}

/* Updates the other aggregations that share the row. Their values cannot fault. */
static void add_others(struct lower *l, const struct stmt *s, ir_reg cell)
{
	for (; s && s->shares; s = s->next) {
		struct added a = evaluate(l, s->call);

		add(l, s->expr->agg, cell, &a);
	}
}

/* If the row cannot be created, each of them drops a value; the lookup has counted the first drop. */
static void drop_others(struct lower *l, const struct stmt *s)
{
	for (; s && s->shares; s = s->next)
		ir_emit(&l->b, IR_DROP, ir_i(IR_DROP_AGG));
}

static void add_keyed(struct lower *l, const struct stmt *s, ir_reg cell, const struct added *a)
{
	bool shared = s->next && s->next->shares;
	uint32_t yes = ir_newblock(&l->b, "add"), no = ir_newblock(&l->b, shared ? "lost" : NULL);
	uint32_t end = shared ? ir_newblock(&l->b, NULL) : no;

	ir_emit(&l->b, IR_BNE, ir_r(cell), ir_i(0), ir_b(yes), ir_b(no));
	ir_enter(&l->b, yes);
	add(l, s->expr->agg, cell, a);
	if (shared) {
		add_others(l, s->next, cell);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, no);
		drop_others(l, s->next);
	}
	ir_enter(&l->b, end);
}

/* Keys without numbered stacks. */
static void plain_key(struct lower *l, const struct stmt *s, uint32_t key)
{
	const struct agg_desc *d = s->expr->agg;

	l->keyed = true;
	lower_fields(l, key, 0, d->rawsize, d->raw, s->expr->args, d->nkeys);
	l->keyed = false;
}

/* Jumps to `lost` if a stack has no number and cannot get one. */
static void stacks_key(struct lower *l, const struct stmt *s, uint32_t key, uint32_t lost)
{
	const struct agg_desc *d = s->expr->agg;
	uint32_t off = 0;

	l->keyed = true;
	for (unsigned i = 0; i < d->nkeys; i++) {
		const struct val_field *f = &d->raw[i];

		lower_zero(l, key, off, f->off);
		if (f->kind == VAL_STACK || f->kind == VAL_USTACK)
			lower_stack_number(l, s->expr->args[i], &d->key[i], d->generations,
					   ir_m(key, f->off), lost);
		else
			lower_fields(l, key, f->off, f->off + f->size, f, &s->expr->args[i], 1);
		off = f->off + f->size;
	}
	lower_zero(l, key, off, d->rawsize);
	l->keyed = false;
}

static void add_row(struct lower *l, const struct stmt *s, uint32_t key)
{
	/* before the lookup: a fault must not leave a row */
	struct added a = evaluate(l, s->call);

	add_keyed(l, s, ir_emit(&l->b, IR_CELL, ir_o(s->expr->agg->obj), ir_m(key, 0)), &a);
}

/* A cell that always exists. */
static void add_cell(struct lower *l, const struct stmt *s)
{
	const struct agg_desc *d = s->expr->agg;
	struct ir_arg n = d->cells ? cells_number(l, s->expr) : ir_i(0);
	struct added a = evaluate(l, s->call);
	ir_reg cell = d->cells ? ir_emit(&l->b, IR_CELLN, ir_o(d->obj), n) : ir_emit(&l->b, IR_CELL0, ir_o(d->obj));

	add(l, d, cell, &a);
	add_others(l, s->next, cell);
}

void lower_agg(struct lower *l, const struct stmt *s)
{
	const struct agg_desc *d = s->expr->agg;
	uint32_t key, lost;

	if (!d->keysize || d->cells) {
		add_cell(l, s);
		return;
	}
	key = lower_temp(l, d->rawsize);
	if (!d->has_stacks) {
		plain_key(l, s, key);
		add_row(l, s, key);
	} else {
		/* such aggregations share no rows: only one row is lost, and it was counted */
		lost = ir_newblock(&l->b, "lost");
		stacks_key(l, s, key, lost);
		add_row(l, s, key);
		ir_enter(&l->b, lost);
	}
}
