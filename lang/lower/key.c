/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values at fixed offsets: fields of records, keys of aggregations and arrays. */
#include "lang/lower/key.h"

#include <string.h>

#include "lang/func.h"
#include "lang/lower/cells.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/stack.h"
#include "lang/lower/str.h"

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

void lower_fields(struct lower *l, uint32_t o, uint32_t from, uint32_t to, const struct field_values *v)
{
	for (unsigned i = 0; i < v->n; i++) {
		const struct val_field *f = &v->field[i];
		const struct node *n = v->node[i];

		lower_zero(l, o, from, f->off);
		from = f->off + f->size;
		if (n->type->kind == T_SYMBOLIC && !val_is_cgroup(f->kind)) {
			n->func->record(l, n, ir_m(o, f->off));
			/* another use may have more frames */
			lower_zero(l, o, f->off + (uint32_t)n->type->size, from);
		} else if (f->kind == VAL_STR) {
			lower_string(l, n, ir_m(o, f->off), f->size);
		} else if (f->kind == VAL_BYTES) {
			lower_record_bytes(l, n, ir_m(o, f->off));
		} else {
			from = lower_scalar(l, o, f, i + 1 < v->n ? f[1].off : to, n);
		}
	}
	lower_zero(l, o, from, to);
}

/* ---- aggregations ---- */
struct added {
	struct ir_arg value, weight;
};

static struct added added_values(struct lower *l, const struct node *call)
{
	struct added a = {
		.value = call->nargs > 0 ? lower_expr(l, call->args[0]) : ir_i(0),
		.weight = call->nargs > 1 ? lower_expr(l, call->args[1]) : ir_i(1),
	};

	if (l->weight)
		a.weight = lower_op(l, IR_MUL, a.weight, ir_r(ir_emit(&l->b, IR_LD64, ir_m(l->weight - 1, 0))));
	return a;
}

/* The key of an aggregation with numbered stacks. Jumps to `lost` if a stack has no number and cannot get one. */
static void stacks_key(struct lower *l, const struct stmt *s, uint32_t key, uint32_t lost)
{
	const struct agg_desc *d = s->expr->agg;
	uint32_t off = 0;

	for (unsigned i = 0; i < d->nkeys; i++) {
		const struct val_field *f = &d->raw[i];
		const struct field_values value = { f, &s->expr->args[i], 1 };

		lower_zero(l, key, off, f->off);
		if (f->kind == VAL_STACK || f->kind == VAL_USTACK)
			lower_stack_number(l, s->expr->args[i], d->generations, ir_m(key, f->off), lost);
		else
			lower_fields(l, key, f->off, f->off + f->size, &value);
		off = f->off + f->size;
	}
	lower_zero(l, key, off, d->rawsize);
}

/* The cell of the statement's key, and its value, which is evaluated before the look-up: a fault must not leave a row.
 * *lost: where the program goes on if there is no number for a stack; 0: nowhere. */
static ir_reg agg_cell(struct lower *l, const struct stmt *s, struct added *a, uint32_t *lost)
{
	const struct agg_desc *d = s->expr->agg;
	const struct field_values values = { d->raw, s->expr->args, d->nkeys };
	struct ir_arg n;
	uint32_t key;

	*lost = 0;
	if (!d->keysize || d->cells) {	/* it always exists */
		n = d->cells ? cells_number(l, s->expr) : ir_i(0);
		*a = added_values(l, s->call);
		return d->cells ? ir_emit(&l->b, IR_CELLN, ir_o(d->obj), n) : ir_emit(&l->b, IR_CELL0, ir_o(d->obj));
	}
	key = lower_temp(l, d->rawsize);
	l->keyed = true;
	if (d->has_stacks) {
		*lost = ir_newblock(&l->b, "lost");
		stacks_key(l, s, key, *lost);
	} else {
		lower_fields(l, key, 0, d->rawsize, &values);
	}
	l->keyed = false;
	*a = added_values(l, s->call);
	return ir_emit(&l->b, IR_CELL, ir_o(d->obj), ir_m(key, 0));
}

/* The values of the following statements that share the row cannot fault. If there is no memory for a row, each of them
 * drops a value; the look-up has counted the first drop. With stacks no rows are shared. */
void lower_agg(struct lower *l, const struct stmt *s)
{
	const struct agg_desc *d = s->expr->agg;
	bool rows = d->keysize && !d->cells, shared = rows && s->next && s->next->shares;
	uint32_t some, none = 0, end = 0, lost;
	struct added a;
	ir_reg cell = agg_cell(l, s, &a, &lost);

	if (rows) {
		some = ir_newblock(&l->b, "add");
		none = ir_newblock(&l->b, shared ? "lost" : NULL);
		end = shared ? ir_newblock(&l->b, NULL) : none;
		ir_emit(&l->b, IR_BNE, ir_r(cell), ir_i(0), ir_b(some), ir_b(none));
		ir_enter(&l->b, some);
	}
	d->func->update(&l->b, &d->spec, ir_mc(cell, d->obj, d->valoff), a.value, a.weight);
	for (const struct stmt *other = s->next; other && other->shares; other = other->next) {
		d = other->expr->agg;
		a = added_values(l, other->call);
		d->func->update(&l->b, &d->spec, ir_mc(cell, d->obj, d->valoff), a.value, a.weight);
	}
	if (shared) {
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, none);
		for (const struct stmt *other = s->next; other && other->shares; other = other->next)
			ir_emit(&l->b, IR_DROP, ir_i(IR_DROP_AGG));
	}
	if (rows)
		ir_enter(&l->b, end);
	if (lost)
		ir_enter(&l->b, lost);
}
