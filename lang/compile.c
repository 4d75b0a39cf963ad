/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The compiler and the order of its passes. */
#include "lang/compile.h"

#include <string.h>

#include "lang/types/type_find.h"

/* ---- the compiler ---- */
static struct script *script_new(struct arena *a)
{
	struct script *s = arena_alloc(a, sizeof *s);

	s->arena = a;
	s->clause_tail = &s->clauses;
	map_init(&s->vars, a);
	map_init(&s->aggs, a);
	map_init(&s->inlines, a);
	map_init(&s->typedefs, a);
	return s;
}

void compiler_init(struct compiler *c, struct arena *a, struct diags *d, struct probe_set *probes,
		   const struct d_options *opts, const struct compile_env *env)
{
	memset(c, 0, sizeof *c);
	c->arena = a;
	c->diags = d;
	c->probes = probes;
	c->opts = *opts;
	c->env = *env;
	types_init(&c->types, a);
	c->types.btf_path = env->btf;
	c->types.own = env->own_types;
	c->script = script_new(a);
	map_init(&c->exprs, a);
	map_init(&c->own_inlines, a);
	c->arg_used = arena_calloc(a, env->nargs ? env->nargs : 1, sizeof *c->arg_used);
}

bool compile_full(struct compiler *c, struct loc loc)
{
	if (c->arena->total <= COMPILE_MAXMEM)
		return false;
	if (!c->full)
		diag(c->diags, loc, D_LIMIT, "this script is too large: compiling it would take more than %d MB",
		     COMPILE_MAXMEM >> 20);
	c->full = true;
	return true;
}

void compiler_close(struct compiler *c)
{
	types_close(&c->types);
}

/* ---- the passes ---- */

/* As in DTrace, an argument that no macro variable uses is an error: most likely a quoting mistake. */
static void check_arguments(struct compiler *c)
{
	struct loc loc = { c->texts.n ? c->texts.v[c->texts.n - 1] : NULL, 0, 0 };

	for (unsigned i = 0; i < c->env.nargs && !c->opts.argref; i++)
		if (!c->arg_used[i])
			diag(c->diags, loc, D_MACRO_UNUSED, "extraneous argument '%s' ($%u is not used)",
			     c->env.args[i], i + 1);
}

void compile_note_own(struct compiler *c, bool before, struct loc loc, const char *what)
{
	if (before || !c->types.own_used)
		return;
	c->own.loc = loc;
	c->own.what = what;
}

/* Now the engine is known. If it reads the kernel's memory, types that are not the kernel's have no use. An error may
 * have been reported for the same name. */
static void settle_types(struct compiler *c)
{
	const char *lack = types_lack(&c->types);

	c->types.own = c->env.own_types;
	if (c->env.own_types)
		return;
	if (c->types.own_used && c->diags->nerrors)
		return;
	if (c->types.own_used)
		diag(c->diags, c->own.loc, D_KTYPE, "%s: %s", c->own.what ? c->own.what : "the script", lack);
	else if (lack)
		types_close(&c->types);
}

void lang_settle(struct compiler *c, const struct d_options *opts, const struct compile_env *env)
{
	c->stage = STAGE_PARSED;
	c->opts = *opts;
	c->env = *env;
	settle_types(c);
}

int lang_compile(struct compiler *c, enum compile_stage last)
{
	while (c->stage < last && !c->diags->nerrors) {
		switch (++c->stage) {
		case STAGE_PARSED:
			for (size_t i = 0; i < c->texts.n; i++)
				lang_parse(c, c->texts.v[i]);	/* text -> tree */
			break;
		case STAGE_CHECKED:
			check_arguments(c);		/* $1, $2... */
			lang_match(c);			/* probe descriptions -> probes */
			lang_check(c);			/* tree -> typed tree */
			break;
		case STAGE_LOWERED:
			c->prog = lang_lower(c);	/* typed tree -> IR */
			if (c->prog)
				ir_verify(c->prog->ir, c->diags);
			break;
		case STAGE_OPTIMISED:
			ir_optimise(c->prog->ir);	/* its passes: ir/optimise.c */
			break;
		case STAGE_NONE:
			break;
		}
	}
	return c->diags->nerrors ? -1 : 0;
}
