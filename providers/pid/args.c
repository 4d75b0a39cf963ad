/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of arguments: those of the function's parameters, from debugging information. */
#include <string.h>

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

	return d->function && !d->function->resolver && !strchr(d->function->name, '.') &&
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

unsigned pid_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	struct program_signature x;
	bool entry = code_of(p)->gate->kind == PID_ENTRY;

	if ((entry && strcmp(p->name, "entry")) || !signature_of(p, &x))
		return 0;
	return entry ? entry_args(&x, out, max) : return_args(&x, out, max);
}
