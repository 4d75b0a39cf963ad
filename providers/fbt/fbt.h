/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private to the fbt provider.
 *
 * Ownership: the arena of the probe set, except descriptors. Errors: see each function.
 */
#ifndef PROVIDERS_FBT_FBT_H
#define PROVIDERS_FBT_FBT_H

#include "base/kallsyms_line.h"
#include "providers/kprobe.h"
#include "providers/registry.h"

enum { FBT_ARGS = 10 };

struct fbt_types {
	const char *arg[FBT_ARGS];
	unsigned n;
	const char *result;		/* NULL: none */
};

/* A function that the kernel can trace. */
struct fbt_function {
	const char *name, *module;
	uint64_t addr;			/* 0: unknown */
	uint64_t place;			/* of the instruction that the kernel replaces; 0: unknown */
	const struct fbt_types *types;	/* NULL: unknown, or not looked up yet */
	bool untyped;			/* unknown */
	bool named;			/* a description has its name, not a pattern */
	struct fbt_function *same;	/* another one with this name in this module */
	const struct fbt_function *alias_of;	/* the same function under its name in fbt_functions.v; or NULL */
};

/* The functions, in the order of their addresses; those with the same name follow the first one. */
struct fbt_functions {
	struct fbt_function **v;
	size_t n;
	struct fbt_function *other;	/* other names of these (alias_of), and functions that cannot be traced */
	size_t nothers;
	const char *error;	/* why there are none; NULL: there are */
};

enum fbt_kind { FBT_ENTRY, FBT_RETURN, FBT_NKINDS };

struct fbt_gate {
	struct probe_gate gate;
	struct fbt_state *state;
	enum fbt_kind kind;
	VEC(struct probe *) probes;	/* by number */
	struct links kprobes;
};

struct fbt_state {
	struct probe_set *set;
	struct fbt_functions functions;
	bool read;
	VEC(struct fbt_function *) named;	/* found by name, without reading `functions` */
	struct fbt_gate gates[FBT_NKINDS];
};

/* Private data of a probe. */
struct fbt_probe {
	struct fbt_gate *gate;
	uint32_t number;
	struct fbt_function *function;
};

static inline struct fbt_probe *fbt_of(const struct probe *p)
{
	return p->data;
}

/* Calls fn for each function in /proc/kallsyms with this name; functions that cannot be traced are there, too. */
void fbt_named_symbols(const char *name, void (*fn)(void *arg, const struct kallsyms_line *s), void *arg);

/* Reads the list of functions. */
void fbt_functions_read(struct fbt_functions *f, struct arena *a);
/* The list, which is read when it is first needed. */
const struct fbt_functions *fbt_functions_of(struct fbt_state *st);

/* True if patterns leave this function out (skipped.c). */
bool fbt_is_skipped(const struct fbt_function *f);

/* ---- match.c: see struct provider ---- */
#define FBT_REFUSED "the kernel does not let the function %s be traced"

bool fbt_patterns(const struct probe_spec *spec);
int fbt_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		size_t n);
void fbt_enumerate(const struct provider *self, struct probe_set *s);
bool fbt_late(const struct provider *self, const struct probe_spec *spec);

/* ---- code.c ---- */
void fbt_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
ir_reg fbt_select(struct ir_builder *b, const struct probe *p);
ir_reg fbt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);

/* ---- args.c ---- */
unsigned fbt_args(const struct probe *p, struct arg_desc *out, unsigned max);

#endif
