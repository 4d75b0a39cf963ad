/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * strtok(). The rest of its string is kept like a clause-local variable: from clause to clause of one firing. The
 * delimiters are a bit set, computed at compile time if they are constant.
 */
#include <string.h>

#include "rt/rt.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/func/family.h"
#include "lang/lower/lower.h"
#include "lang/lower/str.h"

enum { HEAD = RT_WORK, SET_BYTES = 32 };	/* HEAD begins with the current position */

struct type *func_strtok_check(struct checker *ck, struct node *call)
{
	if (!check_value(ck, &call->args[0]))
		return NULL;
	if (!node_is_zero(call->args[0]) && !func_to_string(ck, call, 0))
		return NULL;
	return func_string_arg(ck, call, 1) ? ck->t->t_string : NULL;
}

static struct ir_arg delimiter_set(struct lower *l, const struct node *n)
{
	struct strval s = lower_strval(l, n);
	uint8_t bits[SET_BYTES] = { 1 };
	struct strval known = { .text = (const char *)bits, .len = SET_BYTES };
	struct ir_arg set;
	uint32_t cap;

	if (s.text) {
		for (size_t i = 0; i < s.len && s.text[i]; i++)
			bits[(uint8_t)s.text[i] >> 3] |= (uint8_t)(1u << (s.text[i] & 7));
		return lower_in_place(l, &known, &cap);
	}
	set = ir_m(lower_temp(l, SET_BYTES), 0);
	ir_emit(&l->b, IR_CHARSET, set, ir_i(SET_BYTES), lower_in_place(l, &s, &cap), ir_i(s.cap));
	return set;
}

void func_strtok(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	struct ir_arg rest, place;
	struct strval s;

	if (!l->strtok)
		l->strtok = lower_object(l, IR_O_LOCAL, "strtok", HEAD + l->strsize, 0) + 1;
	rest = place = ir_m(l->strtok - 1, 0);
	place.imm += HEAD;
	if (!node_is_zero(call->args[0])) {
		s = lower_strval(l, call->args[0]);
		lower_store_string(l, &s, place, l->strsize);
		ir_emit(&l->b, IR_ST64, rest, ir_i(0));
	}
	ir_emit(&l->b, IR_STRTOK, dst, ir_i(cap), rest, ir_i(HEAD + l->strsize), delimiter_set(l, call->args[1]),
		ir_i(SET_BYTES));
}
