/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D text from providers: the arguments args[], which become inlines, and the sites of probes.
 */
#include "lang/check/args.h"

#include <inttypes.h>
#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/declared.h"
#include "lang/prelude.h"

/* Defines `inline TYPE NAME = EXPR;`. */
static bool define_inline(struct checker *ck, const char *name, const char *type, const char *expr, struct loc loc)
{
	struct source *src = arena_alloc(ck->a, sizeof *src);

	src->name = name;
	src->text = arena_printf(ck->a, "inline %s %s = %s;", type, name, expr);
	src->len = strlen(src->text);
	src->made_for = loc;
	return !lang_parse(ck->c, src) && map_gets(&ck->s->inlines, name);
}

static struct node *ident_node(struct checker *ck, const char *name, struct loc loc)
{
	struct node *n = check_node(ck, N_IDENT, loc, NULL);

	n->str = name;
	return n;
}

/* ---- args[] ---- */
/* What needs the prelude fails with the reason if it cannot be loaded: without the kernel's types. */
static bool load_prelude(struct checker *ck, struct loc loc, const char *what)
{
	if (!prelude_load(ck->c))
		return true;
	if (ck->c->prelude_lack)
		check_fail_once(ck, loc, D_KTYPE, what, "%s: %s", what, ck->c->prelude_lack);
	return false;
}

bool check_is_args(const struct node *n)
{
	return n->kind == N_INDEX && n->a && n->a->kind == N_IDENT && !n->a->scope && !strcmp(n->a->str, "args");
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_parts(const struct arg_desc *a, const struct arg_desc *b)
{
	for (unsigned i = 0; i < a->nparts && i < b->nparts; i++)
		if (!same_text(a->parts[i].value, b->parts[i].value))
			return false;
	return a->nparts == b->nparts;
}

/* Finds the argument, which all probes of the clause must have. */
static bool find_arg(struct checker *ck, const struct node *n, uint64_t index, struct declared_arg *out)
{
	const struct clause *clause = ck->clause;

	if (!clause)
		return check_fail(ck, n->loc, D_ARGS_NONE, "args[ ] may not be referenced outside of a probe clause"),
			false;
	for (size_t i = 0; i < clause->probes.n; i++) {
		const struct probe *p = clause->probes.v[i];
		struct declared_arg args[DECLARED_MAX];
		unsigned have = declared_args(ck->c, p, args);

		if (index >= have)
			return check_fail(ck, n->loc, D_ARGS_IDX,
					  "index %" PRIu64 " is out of range for %s:%s:%s:%s args[ ]",
					  index, p->provname, p->mod, p->func, p->name), false;
		if (i && (!same_text(out->type.native, args[index].type.native) ||
			  !same_text(out->type.mapped, args[index].type.mapped) ||
			  !same_text(out->expr, args[index].expr) ||
			  !same_parts(&out->type, &args[index].type)))
			return check_fail(ck, n->loc, D_ARGS_MULTI,
					  "args[ ] may not be referenced because the probes of the clause have "
					  "arguments of "
					  "different types (%s:%s:%s:%s)",
					  p->provname, p->mod, p->func, p->name), false;
		*out = args[index];
	}
	if (!clause->probes.n && !ck->d->nerrors)
		check_fail(ck, n->loc, D_ARGS_NONE,
			   "args[ ] may not be referenced because no probe matches the description");
	return clause->probes.n;
}

bool check_probe_arg(struct checker *ck, unsigned n, struct loc loc)
{
	for (size_t i = 0; ck->clause && i < ck->clause->probes.n; i++) {
		const struct probe *p = ck->clause->probes.v[i];
		const char *why = p->prov->values && p->prov->values->lacks ? p->prov->values->lacks(p, n) : NULL;

		if (why)
			return check_fail(ck, loc, D_ARGS_IDX, "arg%u of %s:%s:%s:%s cannot be read: %s", n,
					  p->provname, p->mod, p->func, p->name, why), false;
	}
	return true;
}

static bool is_real(const char *type)
{
	return type && (!strcmp(type, "float") || !strcmp(type, "double"));
}

/* The argument that args[n] is. */
static bool arg_of(struct checker *ck, struct node *n, struct declared_arg *out)
{
	if (n->nargs != 1) {
		check_fail(ck, n->loc, D_PROTO_LEN, "args[ ] prototype mismatch: %u args passed, 1 expected", n->nargs);
		return false;
	}
	if (!check_value(ck, &n->args[0]))
		return false;
	if (n->args[0]->kind != N_INT) {
		check_fail(ck, n->loc, D_PROTO_ARG,
			   "args[ ] argument #1 is incompatible with prototype: it must be an integer constant");
		return false;
	}
	return find_arg(ck, n, n->args[0]->value, out);
}

/* The name of an inline with this value; NULL after an error. */
static const char *inline_for(struct checker *ck, const char *type, const char *expr, struct loc loc)
{
	const char *key = arena_printf(ck->a, "%s %s", type, expr);
	char *name = map_gets(&ck->c->exprs, key);

	if (name)
		return name;
	name = arena_printf(ck->a, "__args%u", ck->c->nargs++);
	if (!define_inline(ck, name, type, expr, loc))
		return NULL;
	map_sets(&ck->c->exprs, key, name);
	return name;
}

bool check_arg_part(struct checker *ck, struct node **np, struct type **type)
{
	struct declared_arg arg = { 0 };
	const struct node *n = *np;
	const struct arg_part *part;
	const char *name;

	*type = NULL;
	if (n->arrow || !check_is_args(n->a))
		return false;
	if (!arg_of(ck, n->a, &arg))
		return true;
	if (!arg.type.nparts)
		return false;
	for (part = arg.type.parts; part < arg.type.parts + arg.type.nparts; part++)
		if (!strcmp(part->name, n->str))
			break;
	if (part == arg.type.parts + arg.type.nparts)
		return check_fail(ck, n->loc, D_TYPE_MEMBER,
				  "%s is not a member of args[%" PRIu64 "], which has %s%s%s", n->str,
				  n->a->args[0]->value, arg.type.parts[0].name,
				  arg.type.nparts > 1 ? " and " : "", arg.type.nparts > 1 ? part[-1].name : ""), true;
	name = inline_for(ck, part->type, arena_printf(ck->a, "(%s)(%s)", part->type, part->value), n->loc);
	if (!name)
		return true;
	*np = ident_node(ck, name, n->loc);
	*type = check_expr(ck, np);
	return true;
}

bool check_probe_args(struct checker *ck, struct node *n)
{
	struct declared_arg arg = { 0 };
	const char *expr, *type, *name;

	if (!arg_of(ck, n, &arg) || (!arg.expr && !check_probe_arg(ck, (unsigned)n->args[0]->value, n->loc)))
		return false;
	if (is_real(arg.type.native))
		return check_fail(ck, n->loc, D_ARGS_IDX,
				  "args[%" PRIu64 "] cannot be read: it is a floating-point number",
				  n->args[0]->value), false;
	/* The kernel has a siginfo_t, too: load the prelude first. Without the kernel's types, those of the prelude are
	 * unknown. */
	if (arg.type.mapped && prelude_load(ck->c) && !ck->c->prelude_lack)
		return false;
	type = arg.type.mapped ? arg.type.mapped : arg.type.native;
	expr = arg.expr ? arg.expr : arena_printf(ck->a, "(%s)arg%" PRIu64, arg.type.native, n->args[0]->value);
	if (arg.type.mapped)
		expr = arena_printf(ck->a, "xlate <%s> (%s)", arg.type.mapped, expr);
	name = inline_for(ck, type, expr, n->loc);
	if (!name)
		return false;
	*n = *ident_node(ck, name, n->loc);
	return true;
}

/* ---- sites ---- */

/* Checks each distinct text once. */
static void check_text_of_site(struct checker *ck, const char *text, struct loc loc)
{
	const char *name;
	struct node *n;

	if (!text || map_gets(&ck->c->exprs, text))
		return;
	name = arena_printf(ck->a, "__site%u", ck->c->nargs++);
	if (!define_inline(ck, name, "uint64_t", arena_printf(ck->a, "(uint64_t)(%s)", text), loc))
		return;
	n = ident_node(ck, name, loc);
	ck->site = &loc;
	if (check_value(ck, &n))
		map_sets(&ck->c->exprs, text, n);
	ck->site = NULL;
}

static void check_probe_sites(struct checker *ck, const struct probe *p, struct loc loc)
{
	unsigned nsites;
	const struct probe_site *sites = p->prov->sites->list(p, &nsites);

	if (p->prov->sites->prelude && !load_prelude(ck, loc, p->provname))
		return;
	if (ck->c->uses_caller) {
		check_text_of_site(ck, p->prov->sites->inside, loc);
		check_text_of_site(ck, p->prov->sites->outside, loc);
	}
	for (unsigned i = 0; i < nsites; i++) {
		check_text_of_site(ck, sites[i].when, loc);
		check_text_of_site(ck, sites[i].once, loc);
		check_text_of_site(ck, sites[i].task, loc);
		for (unsigned a = 0; a < SITE_MAXARGS; a++)
			check_text_of_site(ck, sites[i].arg[a], loc);
	}
}

void check_sites(struct checker *ck)
{
	for (const struct clause *c = ck->s->clauses; c; c = c->next)
		for (size_t i = 0; i < c->probes.n; i++)
			if (c->probes.v[i]->prov->sites)
				check_probe_sites(ck, c->probes.v[i], c->loc);
}
