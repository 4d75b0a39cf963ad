/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of arguments: those of the function's parameters, from debugging information. */
#include <string.h>

#include "base/arch/arch.h"
#include "providers/pid/pid.h"

enum { REALS = 8 };		/* floating-point arguments in registers */

static const char *type_name(const struct program_type *t)
{
	static const char *const names[2][9] = {
		{ [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t" },
		{ [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t" },
	};

	if (t->kind == PROGRAM_POINTER)
		return t->text ? "userland char *" : "userland void *";
	return names[t->is_signed][t->size];
}

static bool is_word(const struct program_type *t)
{
	return t->kind == PROGRAM_INTEGER || t->kind == PROGRAM_POINTER;
}

/* Copies that the compiler has made for certain callers (f.constprop.0, f.isra.0) may lack parameters. */
static bool signature_of(const struct probe *p, struct program_signature *out)
{
	const struct pid_probe *d = pid_probe_of(p);
	const struct probe_set *s = d->code.gate->state->set;

	return d->function && !d->function->resolver && (d->function->go || !strchr(d->function->name, '.')) &&
	       s->programs->signature(s->code, d->code.module, d->function, out);
}

/* Up to the first parameter whose place is not simply the next register or word of the stack. A floating-point one is
 * elsewhere; it has no value, but does not change the places of the others. */
static unsigned entry_args(const struct program_signature *x, struct arg_desc *out, unsigned max)
{
	static const char *const value[] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9",
	};
	unsigned n = 0, words = 0, reals = 0;

	if (x->result.kind == PROGRAM_OTHER)
		return 0;	/* its address may be a hidden parameter */
	for (; n < x->n && n < max; n++) {
		const struct program_type *t = &x->parameter[n];

		if (is_word(t) && words < sizeof value / sizeof *value)
			out[n] = (struct arg_desc){ .native = type_name(t), .value = value[words++] };
		else if (t->kind == PROGRAM_REAL && reals++ < REALS)
			out[n] = (struct arg_desc){ .native = t->size == 4 ? "float" : "double" };
		else
			break;
	}
	return n;
}

static unsigned return_args(const struct program_signature *x, struct arg_desc *out, unsigned max)
{
	if (!max)
		return 0;
	out[0] = (struct arg_desc){ .native = "uint64_t" };
	if (max < 2 || !is_word(&x->result))
		return 1;
	out[1] = (struct arg_desc){ .native = type_name(&x->result) };
	return 2;
}

/* ---- functions of Go ---- */
/* The D expression of a word of a parameter: the first one, or the next. */
static const char *go_word(struct arena *a, const struct program_place *p, unsigned next)
{
	if (p->where == PROGRAM_WORD)
		return arena_printf(a, "arg%u", p->at + next);
	return arena_printf(a, "*(userland uint64_t *)(" ARCH_D_STACK " + %u)", ARCH_STACK_ARGS + p->at + 8 * next);
}

/* The words after the first one of a string (one) or of a slice (two). */
static const struct arg_part *go_parts(struct arena *a, const struct program_place *p)
{
	struct arg_part *x = arena_alloc(a, 2 * sizeof *x);

	x[0] = (struct arg_part){ "len", "int64_t", go_word(a, p, 1) };
	x[1] = (struct arg_part){ "cap", "int64_t", go_word(a, p, 2) };
	return x;
}

static struct arg_desc go_arg(struct arena *a, const struct program_type *t, const struct program_place *p)
{
	if (p->where == PROGRAM_NOWHERE)
		return (struct arg_desc){ .native = t->kind == PROGRAM_REAL && t->size == 4 ? "float" : "double" };
	if (t->kind == PROGRAM_TEXT)
		return (struct arg_desc){ .native = "string", .parts = go_parts(a, p), .nparts = 1, .value =
			arena_printf(a, "(%s ? copyinstr(%s, %s) : \"\")", go_word(a, p, 1), go_word(a, p, 0),
				     go_word(a, p, 1)) };
	if (t->kind == PROGRAM_SLICE)
		return (struct arg_desc){ .native = "userland void *", .parts = go_parts(a, p), .nparts = 2,
					  .value = go_word(a, p, 0) };
	if (!is_word(t) && p->where == PROGRAM_STACK)
		return (struct arg_desc){ .native = "userland void *", .value =
			arena_printf(a, "(" ARCH_D_STACK " + %u)", ARCH_STACK_ARGS + p->at) };
	return (struct arg_desc){ .native = is_word(t) ? type_name(t) : "uint64_t", .value = go_word(a, p, 0) };
}

/* Up to the first parameter whose place is not described. */
static unsigned go_entry_args(struct arena *a, const struct program_signature *x, struct arg_desc *out, unsigned max)
{
	unsigned n = 0;

	for (; n < x->n && n < max; n++) {
		if (x->place[n].where == PROGRAM_NOWHERE && x->parameter[n].kind != PROGRAM_REAL)
			break;
		out[n] = go_arg(a, &x->parameter[n], &x->place[n]);
	}
	return n;
}

static unsigned go_return_args(struct arena *a, const struct program_signature *x, struct arg_desc *out, unsigned max)
{
	unsigned n = 0;

	if (max)
		out[n++] = (struct arg_desc){ .native = "uint64_t" };
	for (unsigned i = 0; i < x->nresults && n < max; i++) {
		struct program_place p = { x->results[i].kind == PROGRAM_REAL ? PROGRAM_NOWHERE : PROGRAM_WORD,
					   x->word[i] + 1 };

		out[n++] = go_arg(a, &x->results[i], &p);
	}
	return n;
}

unsigned pid_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	struct arena *a = code_of(p)->gate->state->set->arena;
	bool entry = code_of(p)->gate->kind == PID_ENTRY;
	struct program_signature x;

	if ((entry && strcmp(p->name, "entry")) || !signature_of(p, &x))
		return 0;
	if (pid_probe_of(p)->function->go)
		return entry ? go_entry_args(a, &x, out, max) : go_return_args(a, &x, out, max);
	return entry ? entry_args(&x, out, max) : return_args(&x, out, max);
}
