/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that are one call of the run-time library (rt/), with their arguments in the order of its operands. Calls
 * with constant arguments are evaluated here, by the same code.
 */
#include <string.h>

#include "ir/interp.h"
#include "rt/rt.h"
#include "lang/check_conversions.h"
#include "lang/check_operators.h"
#include "lang/func.h"
#include "lang/lower_strings.h"

enum { MAXARGS = 3, NO_DEFAULT = 0, NUMBER_TEXT = 66 };

enum rt_result { NUMBER, INT, LONG, STRING };

static const struct rt_spec {
	const char *name;
	enum ir_op op;
	enum rt_result result;
	bool work;		/* work memory follows the result */
	const char *args;	/* s: string, c: character, i: int, l: 64 bits, b: base of a number */
	int64_t last;		/* default of the last argument */
} specs[] = {
	{ "basename", IR_BASENAME, STRING, false, "s", NO_DEFAULT },
	{ "cleanpath", IR_CLEANPATH, STRING, true, "s", NO_DEFAULT },
	{ "dirname", IR_DIRNAME, STRING, false, "s", NO_DEFAULT },
	{ "index", IR_INDEX, INT, true, "ssi", 0 },
	{ "json", IR_JSON, STRING, true, "ss", NO_DEFAULT },
	{ "lltostr", IR_LLTOSTR, STRING, true, "lb", 10 },
	{ "rindex", IR_RINDEX, INT, true, "ssi", INT32_MAX },
	{ "strchr", IR_STRCHR, STRING, false, "sc", NO_DEFAULT },
	{ "strjoin", IR_STRJOIN, STRING, false, "ss", NO_DEFAULT },
	{ "strlen", IR_STRLEN, NUMBER, false, "s", NO_DEFAULT },
	{ "strrchr", IR_STRRCHR, STRING, false, "sc", NO_DEFAULT },
	{ "strstr", IR_STRSTR, STRING, true, "ss", NO_DEFAULT },
	{ "strtoll", IR_STRTOLL, LONG, true, "sb", 10 },
	{ "substr", IR_SUBSTR, STRING, false, "sii", INT32_MAX },
	{ "tolower", IR_TOLOWER, STRING, false, "s", NO_DEFAULT },
	{ "toupper", IR_TOUPPER, STRING, false, "s", NO_DEFAULT },
};

static const struct rt_spec *spec_of(const struct node *call)
{
	const struct rt_spec *s = specs;

	while (strcmp(s->name, call->str))
		s++;
	return s;
}

/* ---- checking ---- */
static bool mismatch(struct checker *ck, const struct node *call, unsigned i, const char *want)
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
	return check_convert(ck, arg, ck->t->t_string) || mismatch(ck, call, i, "a string");
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
		return mismatch(ck, call, i, "an integer");
	call->args[i] = check_cast(ck, call->args[i], to);
	return true;
}

bool func_address_arg(struct checker *ck, struct node *call, unsigned i, bool process)
{
	struct type *t = check_operand(ck, &call->args[i]);

	if (!t)
		return false;
	if (process && t->kind == T_PTR && t->user)
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

static uint64_t room(const struct checker *ck, const struct node *n)
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
		cap += room(ck, call->args[i]) - 1;
	return type_string(ck->t, cap < ck->c->opts.strsize ? cap : 0);
}

static bool is_known(const struct node *n)
{
	return n->kind == N_INT || (n->kind == N_STR && !memchr(n->str, '\0', n->len));
}

static bool base_fits(int64_t base)
{
	return base >= 2 && base <= 36;
}

/* Collects the operands for the library. Returns false if any of them is not constant. */
static bool gather(struct checker *ck, const struct node *call, const struct rt_spec *s, void **p, uint32_t *cap,
		   uint64_t *v)
{
	unsigned np = (s->result == STRING) + s->work, nv = 0, i;

	for (i = 0; i < call->nargs; i++) {
		const struct node *n = call->args[i];

		if (!is_known(n) || (s->args[i] == 'b' && !base_fits((int64_t)n->value)))
			return false;
		if (n->kind == N_INT) {
			v[nv++] = n->value;
			continue;
		}
		cap[np] = ((uint32_t)(n->len < LOWER_MAXREC - 8 ? n->len : LOWER_MAXREC - 8) + 8) & ~7u;
		p[np] = arena_calloc(ck->a, 1, cap[np]);
		memcpy(p[np], n->str, n->len < cap[np] ? n->len : cap[np] - 1);
		np++;
	}
	if (s->args[i])
		v[nv] = (uint64_t)s->last;
	return true;
}

/* Replaces a call with constant arguments by its value. */
static void fold(struct checker *ck, struct node *call, const struct rt_spec *s)
{
	uint64_t v[MAXARGS], r, strsize = (ck->c->opts.strsize + 7) & ~7ull;
	void *p[MAXARGS + 2];
	uint32_t cap[MAXARGS + 2], np = s->result == STRING;

	cap[0] = strsize < LOWER_MAXREC ? (uint32_t)strsize : LOWER_MAXREC;
	if (!gather(ck, call, s, p, cap, v))
		return;
	if (s->result == STRING)
		p[0] = arena_alloc(ck->a, cap[0]);
	if (s->work) {
		p[np] = arena_alloc(ck->a, RT_WORK);
		cap[np] = RT_WORK;
	}
	r = ir_rt_call(s->op, p, cap, v);
	call->nargs = 0;
	if (s->result != STRING) {
		call->kind = N_INT;
		call->value = type_extend(call->type, r);
		return;
	}
	call->kind = N_STR;
	call->str = p[0];
	call->len = strlen(p[0]);
	call->type = type_string(ck->t, call->len + 1);
}

struct type *func_rt_check(struct checker *ck, struct node *call)
{
	const struct rt_spec *s = spec_of(call);

	if (!check_args(ck, call, s))
		return NULL;
	call->type = result_type(ck, call, s);
	fold(ck, call, s);
	return call->type;
}

/* ---- lowering ---- */
/* Faults if the base is invalid. */
static struct ir_arg base_arg(struct lower *l, struct ir_arg base)
{
	struct ir_arg from2 = lower_op(l, IR_SUB, base, ir_i(2));

	lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, from2, ir_i(34)), IR_FLT_ILLOP, base);
	return base;
}

/* The operands after the result. */
static unsigned operands(struct lower *l, const struct node *call, const struct rt_spec *s, struct ir_arg *out)
{
	unsigned n = 0;
	uint32_t cap;

	if (s->work) {
		out[n++] = ir_m(lower_temp(l, RT_WORK), 0);
		out[n++] = ir_i(RT_WORK);
	}
	for (unsigned i = 0; i < call->nargs; i++) {
		if (s->args[i] == 's') {
			out[n++] = lower_strplace(l, call->args[i], &cap);
			out[n++] = ir_i(cap);
		} else {
			out[n] = lower_expr(l, call->args[i]);
			if (s->args[i] == 'b')
				base_arg(l, out[n]);
			n++;
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
	unsigned n = operands(l, call, s, args);

	return ir_r(ir_emitv(&l->b, s->op, UINT32_MAX, n, args));
}

void func_rt_string(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	const struct rt_spec *s = spec_of(call);
	struct ir_arg args[IR_MAXARGS] = { dst, ir_i(cap) };
	unsigned n = 2 + operands(l, call, s, args + 2);

	ir_emitv(&l->b, s->op, 0, n, args);
}
