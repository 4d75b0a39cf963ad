/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values at fixed offsets: fields of records, keys of aggregations and arrays. */
#include <string.h>

#include "lang/lower.h"

enum { ZERO_WORDS = 8 };	/* so many stores are shorter than a call */

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

void lower_fields(struct lower *l, uint32_t o, uint32_t off, uint32_t size, const struct val_field *f,
		  struct node **nodes, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		lower_zero(l, o, off, f[i].off);
		if (f[i].kind == VAL_STR)
			lower_string(l, nodes[i], ir_m(o, f[i].off), f[i].size);
		else
			ir_emit(&l->b, store[f[i].size], ir_m(o, f[i].off), lower_expr(l, nodes[i]));
		off = f[i].off + f[i].size;
	}
	lower_zero(l, o, off, size);
}

/* ---- aggregations ---- */
void lower_agg_objects(struct lower *l)
{
	for (size_t i = 0; i < l->c->script->agglist.n; i++) {
		struct agg_desc *d = l->c->script->agglist.v[i];

		if (d->keysize > LOWER_MAXREC) {
			diag(l->diags, d->loc, D_LIMIT, "the key of @%s is above the limit of %d bytes", d->name,
			     LOWER_MAXREC);
			continue;
		}
		d->obj = ir_obj_add(l->ir, &(struct ir_obj){
			.name = arena_printf(l->arena, "@%s", strcmp(d->name, "_") ? d->name : ""), .kind = IR_O_AGG,
			.size = d->valsize, .keysize = d->keysize, .generations = d->cleared, .tag = d->id,
		});
	}
}

static ir_reg agg_cell(struct lower *l, const struct agg_desc *d, uint32_t key)
{
	return d->keysize ? ir_emit(&l->b, IR_CELL, ir_o(d->obj), ir_m(key, 0)) :
			    ir_emit(&l->b, IR_CELL0, ir_o(d->obj));
}

void lower_agg(struct lower *l, const struct stmt *s)
{
	const struct agg_desc *d = s->expr->agg;
	const struct node *call = s->call;
	struct ir_arg value = ir_i(0), weight = ir_i(1);
	uint32_t key = 0, add, skip;
	ir_reg cell;

	if (d->keysize) {
		key = lower_temp(l, d->keysize);
		lower_fields(l, key, 0, d->keysize, d->key, s->expr->args, d->nkeys);
	}
	if (call->nargs > 0)
		value = lower_expr(l, call->args[0]);
	if (call->nargs > 1)
		weight = lower_expr(l, call->args[1]);
	cell = agg_cell(l, d, key);
	if (d->keysize) {
		add = ir_newblock(&l->b, "add");
		skip = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BNE, ir_r(cell), ir_i(0), ir_b(add), ir_b(skip));
		ir_enter(&l->b, add);
		d->func->update(&l->b, &d->spec, ir_mc(cell, d->obj, 0), value, weight);
		ir_enter(&l->b, skip);
	} else {
		d->func->update(&l->b, &d->spec, ir_mc(cell, d->obj, 0), value, weight);
	}
}
