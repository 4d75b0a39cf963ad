/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that are one call of the run-time library (rt/), with their arguments in the order of its operands. Calls
 * with constant arguments are evaluated here, by the same code.
 */
#include <string.h>

#include "ir/interp.h"
#include "rt/rt.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/str.h"

enum { MAXARGS = 3, NO_DEFAULT = 0, NUMBER_TEXT = 66 };

enum rt_result { NUMBER, INT, LONG, STRING };

static const struct rt_spec {
	const char *name;
	enum ir_op op;
	enum rt_result result;
	enum { NO_WORK, WORK } memory;	/* WORK: work memory follows the result */
	const char *args;	/* s: string, c: character, i: int, l: 64 bits, b: base of a number */
	int64_t last;		/* default of the last argument */
} specs[] = {
	{ "basename", IR_BASENAME, STRING, NO_WORK, "s", NO_DEFAULT },
	{ "cleanpath", IR_CLEANPATH, STRING, WORK, "s", NO_DEFAULT },
	{ "dirname", IR_DIRNAME, STRING, NO_WORK, "s", NO_DEFAULT },
	{ "index", IR_INDEX, INT, WORK, "ssi", 0 },
	{ "json", IR_JSON, STRING, WORK, "ss", NO_DEFAULT },
	{ "lltostr", IR_LLTOSTR, STRING, WORK, "lb", 10 },
	{ "rindex", IR_RINDEX, INT, WORK, "ssi", INT32_MAX },
	{ "strchr", IR_STRCHR, STRING, NO_WORK, "sc", NO_DEFAULT },
	{ "strjoin", IR_STRJOIN, STRING, NO_WORK, "ss", NO_DEFAULT },
	{ "strlen", IR_STRLEN, NUMBER, NO_WORK, "s", NO_DEFAULT },
	{ "strrchr", IR_STRRCHR, STRING, NO_WORK, "sc", NO_DEFAULT },
	{ "strstr", IR_STRSTR, STRING, WORK, "ss", NO_DEFAULT },
	{ "strtoll", IR_STRTOLL, LONG, WORK, "sb", 10 },
	{ "substr", IR_SUBSTR, STRING, NO_WORK, "sii", INT32_MAX },
	{ "tolower", IR_TOLOWER, STRING, NO_WORK, "s", NO_DEFAULT },
	{ "toupper", IR_TOUPPER, STRING, NO_WORK, "s", NO_DEFAULT },
};

static const struct rt_spec *spec_of(const struct node *call)
{
	const struct rt_spec *s = specs;

	while (strcmp(s->name, call->str))
		s++;
	return s;
}

/* ---- checking ---- */
static bool arg_mismatch(struct checker *ck, const struct node *call, unsigned i, const char *want)
{
	check_fail(ck, call->args[i]->loc, D_PROTO_ARG,
		   "%s( ) argument #%u is incompatible with prototype: it must be %s, not \"%s\"", call->str, i + 1,
		   want,
		   check_text(ck, call->args[i]->type));
	return false;
}

/* 0 is a null pointer: reading it faults. */
bool func_to_string(struct checker *ck, struct node *call, unsigned i)
{
	struct node **arg = &call->args[i];

	if (node_is_zero(*arg))
		*arg = check_cast(ck, *arg, type_pointer(ck->t, ck->t->t_char));
	return check_convert(ck, arg, ck->t->t_string) || arg_mismatch(ck, call, i, "a string");
}

bool func_string_arg(struct checker *ck, struct node *call, unsigned i)
{
	return check_value(ck, &call->args[i]) && func_to_string(ck, call, i);
}

bool func_int_arg(struct checker *ck, struct node *call, unsigned i, struct type *to)
{
	if (!check_operand(ck, &call->args[i]))
		return false;
	if (!type_is_int(call->args[i]->type))
		return arg_mismatch(ck, call, i, "an integer");
	call->args[i] = check_cast(ck, call->args[i], to);
	return true;
}

bool func_address_arg(struct checker *ck, struct node *call, unsigned i, enum mem_owner owner)
{
	struct type *t = check_operand(ck, &call->args[i]);

	if (!t)
		return false;
	if (owner == MEM_PROCESS && t->kind == T_PTR && t->user)
		return true;
	if (!type_is_int(t)) {
		check_fail(ck, call->args[i]->loc, D_PROTO_ARG,
			   "%s( ) argument #%u is incompatible with prototype: \"%s\" where \"uintptr_t\" is expected",
			   call->str, i + 1, check_text(ck, t));
		return false;
	}
	call->args[i] = check_cast(ck, call->args[i], ck->t->t_ulong);
	return true;
}

static bool check_args(struct checker *ck, struct node *call, const struct rt_spec *s)
{
	for (unsigned i = 0; i < call->nargs; i++) {
		char c = s->args[i];
		struct type *to = c == 'c' ? ck->t->t_char : c == 'l' ? ck->t->t_long : ck->t->t_int;

		if (!(c == 's' ? func_string_arg(ck, call, i) : func_int_arg(ck, call, i, to)))
			return false;
	}
	return true;
}

static uint64_t string_room(const struct checker *ck, const struct node *n)
{
	uint64_t cap = n->type->size;

	return cap && cap < ck->c->opts.strsize ? cap : ck->c->opts.strsize;
}

/* At most as long as all the strings that it consists of. */
static struct type *result_type(struct checker *ck, const struct node *call, const struct rt_spec *s)
{
	uint64_t cap = s->op == IR_LLTOSTR ? NUMBER_TEXT : 2;	/* "." and "/" come from an empty string */

	if (s->result != STRING)
		return s->result == NUMBER ? ck->t->t_ulong : s->result == INT ? ck->t->t_int : ck->t->t_long;
	for (unsigned i = 0; i < call->nargs && s->args[i] == 's' && (s->op == IR_STRJOIN || i == 0); i++)
		cap += string_room(ck, call->args[i]) - 1;
	return type_string(ck->t, cap < ck->c->opts.strsize ? cap : 0);
}

static bool is_known(const struct node *n)
{
	return n->kind == N_INT || (n->kind == N_STR && !memchr(n->str, '\0', n->len));
}

/* The operands for the library: places of strings and of memory, their sizes, numbers. */
struct rt_operands {
	void *p[MAXARGS + 2];
	uint32_t cap[MAXARGS + 2];
	uint64_t v[MAXARGS];
};

/* Collects the arguments. Returns false if any of them is not constant. */
static bool gather_args(struct checker *ck, const struct node *call, const struct rt_spec *s, struct rt_operands *o)
{
	unsigned np = (s->result == STRING) + s->memory, nv = 0, i;

	for (i = 0; i < call->nargs; i++) {
		const struct node *n = call->args[i];

		if (!is_known(n) || (s->args[i] == 'b' && ((int64_t)n->value < 2 || (int64_t)n->value > 36)))
			return false;
		if (n->kind == N_INT) {
			o->v[nv++] = n->value;
			continue;
		}
		o->cap[np] = ((uint32_t)(n->len < LOWER_MAXREC - 8 ? n->len : LOWER_MAXREC - 8) + 8) & ~7u;
		o->p[np] = arena_calloc(ck->a, 1, o->cap[np]);
		memcpy(o->p[np], n->str, n->len < o->cap[np] ? n->len : o->cap[np] - 1);
		np++;
	}
	if (s->args[i])
		o->v[nv] = (uint64_t)s->last;
	return true;
}

/* Replaces a call with constant arguments by its value. */
static void fold_call(struct checker *ck, struct node *call, const struct rt_spec *s)
{
	uint64_t result, strsize = (ck->c->opts.strsize + 7) & ~7ull;
	struct rt_operands operands;
	uint32_t np = s->result == STRING;

	operands.cap[0] = strsize < LOWER_MAXREC ? (uint32_t)strsize : LOWER_MAXREC;
	if (!gather_args(ck, call, s, &operands))
		return;
	if (s->result == STRING)
		operands.p[0] = arena_alloc(ck->a, operands.cap[0]);
	if (s->memory == WORK) {
		operands.p[np] = arena_alloc(ck->a, RT_WORK);
		operands.cap[np] = RT_WORK;
	}
	result = ir_rt_call(s->op, operands.p, operands.cap, operands.v);
	call->nargs = 0;
	if (s->result != STRING) {
		call->kind = N_INT;
		call->value = type_extend(call->type, result);
		return;
	}
	call->kind = N_STR;
	call->str = operands.p[0];
	call->len = strlen(call->str);
	call->type = type_string(ck->t, call->len + 1);
}

struct type *func_rt_check(struct checker *ck, struct node *call)
{
	const struct rt_spec *s = spec_of(call);

	if (!check_args(ck, call, s))
		return NULL;
	call->type = result_type(ck, call, s);
	fold_call(ck, call, s);
	return call->type;
}

/* ---- lowering ---- */
/* The operands after the result. */
static unsigned lower_operands(struct lower *l, const struct node *call, const struct rt_spec *s, struct ir_arg *out)
{
	struct ir_arg from2;
	unsigned n = 0;
	uint32_t cap;

	if (s->memory == WORK) {
		out[n++] = ir_m(lower_temp(l, RT_WORK), 0);
		out[n++] = ir_i(RT_WORK);
	}
	for (unsigned i = 0; i < call->nargs; i++) {
		if (s->args[i] == 's') {
			out[n++] = lower_strplace(l, call->args[i], &cap);
			out[n++] = ir_i(cap);
		} else {
			out[n++] = lower_expr(l, call->args[i]);
		}
		if (s->args[i] == 'b') {
			from2 = lower_op(l, IR_SUB, out[n - 1], ir_i(2));
			lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, from2, ir_i(34)), IR_FLT_ILLOP, out[n - 1]);
		}
	}
	if (s->args[call->nargs])
		out[n++] = ir_i(s->last);
	return n;
}

struct ir_arg func_rt(struct lower *l, const struct node *call)
{
	const struct rt_spec *s = spec_of(call);
	struct ir_arg args[IR_MAXARGS];
	unsigned n = lower_operands(l, call, s, args);

	return ir_r(ir_emitv(&l->b, s->op, UINT32_MAX, n, args));
}

void func_rt_string(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	const struct rt_spec *s = spec_of(call);
	struct ir_arg args[IR_MAXARGS] = { dst, ir_i(cap) };
	unsigned n = 2 + lower_operands(l, call, s, args + 2);

	ir_emitv(&l->b, s->op, 0, n, args);
}
