/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Statements and actions: the body of a clause, and its record. */
#include "lang/lower/act.h"

#include <stddef.h>

#include "lang/lower/builtin.h"
#include "lang/lower/destruct.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/gathered.h"
#include "lang/lower/key.h"
#include "lang/lower/lower.h"
#include "lang/lower/speculation.h"

static const struct epid_desc *current_epid(const struct lower *l)
{
	return &l->prog->epids.v[l->en->epid - 1];
}

/* Stores the values of a recording action, and zeros in the padding up to the values of the next one. */
static void record_action(struct lower *l, const struct node *call)
{
	const struct clause_info *ci = l->en->info;
	unsigned act = l->act++, next = act + 1;
	const struct rec_act *action = &ci->acts.v[act];
	uint32_t rec = current_epid(l)->recobj;

	while (next < ci->acts.n && !ci->acts.v[next].nfields)
		next++;
	if (action->nfields) {
		const struct field_values values = {
			action->fields, call->args + (call->nargs - action->nfields), action->nfields,
		};

		lower_fields(l, rec, action->fields[0].off,
			     next < ci->acts.n ? ci->acts.v[next].fields[0].off : ci->size, &values);
	}
	if (action->branch && (!act || action[-1].branch != action->branch)) {
		struct ir_arg taken = ir_m(rec, offsetof(struct rec_hdr, branches));
		ir_reg before = ir_emit(&l->b, IR_LD32, taken);

		ir_emit(&l->b, IR_ST32, taken, ir_r(ir_emit(&l->b, IR_OR, ir_r(before), ir_i(action->branch))));
	}
	if (call->act == ACT_EXIT) {
		ir_reg status = ir_emit(&l->b, IR_LD32, ir_m(rec, action->fields[0].off));

		ir_emit(&l->b, IR_EXIT, ir_r(ir_emit(&l->b, IR_SEXT32, ir_r(status))));
	}
}

/* Actions without values in the record. */
static void (*const unrecorded[ACT_COUNT])(struct lower *l, const struct node *call, uint32_t rec) = {
	[ACT_SPECULATE] = lower_speculation,
	[ACT_COMMIT] = lower_speculation,
	[ACT_DISCARD] = lower_speculation,
	[ACT_STOP] = lower_stop,
	[ACT_RAISE] = lower_raise,
	[ACT_CHILL] = lower_chill,
};

static void lower_if(struct lower *l, const struct stmt *s)
{
	uint32_t yes = ir_newblock(&l->b, "if"), no = s->no ? ir_newblock(&l->b, "else") : 0;
	uint32_t end = ir_newblock(&l->b, "endif");

	lower_branch(l, s->expr, yes, s->no ? no : end);
	ir_enter(&l->b, yes);
	if (lower_enter_depth(l, s->loc)) {
		lower_statements(l, s->yes);
		if (s->no) {
			ir_emit(&l->b, IR_JMP, ir_b(end));
			ir_enter(&l->b, no);
			lower_statements(l, s->no);
		}
		l->depth--;
	}
	ir_enter(&l->b, end);
}

void lower_statements(struct lower *l, const struct stmt *s)
{
	for (; s && !compile_full(l->c, s->loc); s = s->next) {
		l->b.loc = s->loc;
		l->action = s->action;
		if (s->kind == S_IF)
			lower_if(l, s);
		else if (s->shares)
			continue;
		else if (s->kind == S_AGG)
			lower_agg(l, s);
		else if (s->expr->act && action_records(s->expr->act))
			record_action(l, s->expr);
		else if (s->expr->act)
			unrecorded[s->expr->act](l, s->expr, current_epid(l)->recobj);
		else
			lower_effect(l, s->expr);
	}
}

void lower_record_begin(struct lower *l)
{
	const struct clause_info *ci = l->en->info;
	uint32_t rec = current_epid(l)->recobj;

	if (!ci->size)
		return;
	/* the bytes that not every firing writes, so that they cannot leak old data */
	if (ci->speculates)
		ir_emit(&l->b, IR_ST64, ir_m(rec, sizeof(struct rec_hdr)), ir_i(0));
	if (ci->branches)
		lower_zero(l, rec, 0, ci->size);
}

/* How many bytes of the record are sent. Strings are padded with zeros: one whose byte n - 1 is 0 has less than n. */
static struct ir_arg record_size(struct lower *l, const struct clause_info *ci, uint32_t rec)
{
	static const uint32_t sizes[] = { 1024, LOWER_TEXT_SHORT };
	uint32_t most = ci->text;
	struct ir_arg n;

	if (!ci->text)
		return lower_op(l, IR_ADD, lower_gathered_size(l), ir_i(ci->varies));
	n = ir_i(ci->varies + most);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct ir_arg ends;

		if (most <= sizes[i])
			continue;
		ends = ir_r(ir_emit(&l->b, IR_LD8, ir_m(rec, ci->varies + sizes[i] - 1)));
		ends = lower_op(l, IR_EQ, ends, ir_i(0));
		n = lower_op(l, IR_SUB, n, lower_op(l, IR_MUL, ends, ir_i(most - sizes[i])));
		most = sizes[i];
	}
	return n;
}

void lower_record_end(struct lower *l)
{
	const struct clause_info *ci = l->en->info;
	uint32_t rec = current_epid(l)->recobj, done = 0;

	if (!ci->size)
		return;
	if (!ci->always) {
		ir_reg taken = ir_emit(&l->b, IR_LD32, ir_m(rec, offsetof(struct rec_hdr, branches)));
		uint32_t some = ir_newblock(&l->b, "commit");

		done = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BNE, ir_r(taken), ir_i(0), ir_b(some), ir_b(done));
		ir_enter(&l->b, some);
	}
	ir_emit(&l->b, IR_ST64, ir_m(rec, offsetof(struct rec_hdr, ts)), lower_time(l));
	/* without branches, one store writes both (little-endian): the verifier of the kernel forgets what a place held
	 * before only if all of its 8 bytes are written at once */
	ir_emit(&l->b, ci->branches ? IR_ST32 : IR_ST64, ir_m(rec, offsetof(struct rec_hdr, epid)), lower_epid(l));
	if (ci->varies)
		ir_emit(&l->b, IR_COMMITN, ir_o(rec), record_size(l, ci, rec));
	else
		ir_emit(&l->b, IR_COMMIT, ir_o(rec));
	if (done)
		ir_enter(&l->b, done);
}
