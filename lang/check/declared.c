/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/declared.h"

#include <string.h>

/* ---- the declaration ---- */
/* "python123" is the provider python of a process. */
static bool is_provider(const struct declared_provider *d, const char *provname)
{
	size_t n = strlen(d->name);

	return !strncmp(provname, d->name, n) && provname[n] && !provname[n + strspn(provname + n, "0123456789")];
}

/* "__" in the name of a declaration is '-' in the probe's name. */
static bool is_probe(const char *declared, const char *name)
{
	for (; *declared && *name; name++) {
		bool dash = declared[0] == '_' && declared[1] == '_';

		if (*name != (dash ? '-' : *declared))
			return false;
		declared += dash ? 2 : 1;
	}
	return !*declared && !*name;
}

static const struct declared_probe *find_declared(const struct script *s, const struct probe *p)
{
	for (size_t i = 0; p->prov->matching && p->prov->matching->claims && i < s->providers.n; i++) {
		const struct declared_provider *d = s->providers.v[i];

		for (size_t k = 0; k < d->probes.n && is_provider(d, p->provname); k++)
			if (is_probe(d->probes.v[k].name, p->name))
				return &d->probes.v[k];
	}
	return NULL;
}

/* ---- its arguments ---- */
/* The number of the argument that an output parameter names. */
static size_t number_of(const struct declared_probe *d, size_t i)
{
	for (size_t k = 0; d->maps && k < d->in.n; k++)
		if (d->in.v[k].name && d->out.v[i].name && !strcmp(d->in.v[k].name, d->out.v[i].name))
			return k;
	return i;
}

/* Pointers are addresses in the process. */
static const char *type_of(struct compiler *c, const struct type *t)
{
	const char *text = type_text(&c->types, t);

	return t->kind == T_PTR && !t->user ? arena_printf(c->arena, "userland %s", text) : text;
}

static struct declared_arg describe_arg(struct compiler *c, const struct declared_probe *d, size_t i)
{
	size_t n = number_of(d, i);
	const struct type *in = d->in.v[n].type, *out = d->out.v[i].type;
	struct declared_arg a = { .type.native = type_of(c, in) };

	if (in->kind == T_STRING || out->kind == T_STRING) {
		a.type.native = "string";
		a.expr = arena_printf(c->arena, "copyinstr((uintptr_t)arg%zu)", n);
		return a;
	}
	a.expr = arena_printf(c->arena, "(%s)arg%zu", a.type.native, n);
	if (type_same(in, out))
		return a;
	if (type_is_int(out)) {
		a.type.native = type_of(c, out);
		a.expr = arena_printf(c->arena, "(%s)%s", a.type.native, a.expr);
	} else {
		a.type.mapped = type_text(&c->types, out);
	}
	return a;
}

static unsigned provider_args(struct arena *a, const struct probe *p, struct declared_arg *out)
{
	struct arg_desc v[DECLARED_MAX];
	unsigned n = p->prov->args ? p->prov->args(p, v, DECLARED_MAX) : 0;

	for (unsigned i = 0; i < n; i++)
		out[i] = (struct declared_arg){
			v[i], a && v[i].value ? arena_printf(a, "(%s)%s", v[i].native, v[i].value) : NULL,
		};
	return n;
}

unsigned declared_args(struct compiler *c, const struct probe *p, struct declared_arg out[DECLARED_MAX])
{
	const struct declared_probe *d = c && c->script ? find_declared(c->script, p) : NULL;
	unsigned n;

	if (!d)
		return provider_args(c ? c->arena : NULL, p, out);
	n = d->out.n < DECLARED_MAX ? (unsigned)d->out.n : DECLARED_MAX;
	for (unsigned i = 0; i < n; i++)
		out[i] = describe_arg(c, d, i);
	return n;
}
