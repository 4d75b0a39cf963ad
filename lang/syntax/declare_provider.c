/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Provider declarations: provider NAME { probe NAME(TYPES) : (TYPES); }. */
#include "lang/syntax/declare_provider.h"

#include <ctype.h>
#include <string.h>

#include "lang/syntax/decl.h"
#include "lang/syntax/parse.h"

enum { PROVIDER_MAXNAME = 63 };

void provider_open(struct parser *p, const char *name, struct loc loc)
{
	struct declared_provider *d = arena_alloc(p->a, sizeof *d);
	size_t n = strlen(name);

	*d = (struct declared_provider){ .name = name, .loc = loc };
	*VEC_ADD(p->a, &p->c->script->providers) = d;
	map_init(&p->probes, p->a);
	if (strchr(name, '`'))
		parse_error(p, loc, D_PROV_BADNAME, "provider name may not contain scoping operator: %s", name);
	else if (n > PROVIDER_MAXNAME)
		parse_error(p, loc, D_PROV_BADNAME, "provider name may not exceed %d characters: %s",
			    PROVIDER_MAXNAME, name);
	else if (isdigit((unsigned char)name[n - 1]))
		parse_error(p, loc, D_PROV_BADNAME, "provider name may not end with a digit: %s", name);
}

/* Checks that a probe's output uses only names of its input. */
static void check_output(struct parser *p, const struct types_list *in, const struct types_list *out, struct loc loc)
{
	for (size_t i = 0; i < out->n; i++) {
		const char *name = out->names.v[i];

		if (!name && out->v[i]->kind != T_VOID)
			parse_error(p, loc, D_DECL_PROTO_NAME,
				    "parameter declaration requires a name: parameter #%zu", i + 1);
		else if (name && !map_gets(&in->seen, name))
			parse_error(p, loc, D_DECL_PROTO_FORM,
				    "parameter is not declared in probe input prototype: %s", name);
		else
			continue;
		return;
	}
}

/* "void" alone: no parameters. */
static struct declared_params params_copy(struct parser *p, const struct types_list *l)
{
	struct declared_params v = { 0 };

	for (size_t i = 0; i < l->n && l->v[i]->kind != T_VOID; i++)
		*VEC_ADD(p->a, &v) = (struct declared_param){ l->names.v[i], l->v[i] };
	return v;
}

void provider_probe(struct parser *p, const char *name, struct types_list *in, struct types_list *out, struct loc loc)
{
	struct declared_provider *d = p->c->script->providers.v[p->c->script->providers.n - 1];
	bool bad = params_check(p, in, PARAMS_PROBE, loc)->bad || (out && out->bad);

	if (strchr(name, '`'))
		parse_error(p, loc, D_PROV_BADNAME, "probe name may not contain scoping operator: %s", name);
	else if (strlen(name) > PROVIDER_MAXNAME)
		parse_error(p, loc, D_PROV_BADNAME, "probe name may not exceed %d characters: %s", PROVIDER_MAXNAME,
			    name);
	else if (in->n > UINT8_MAX || (out && out->n > UINT8_MAX))
		parse_error(p, loc, D_PROV_PRARGLEN, "probe %s prototype exceeds %d parameters", name, UINT8_MAX);
	else if (map_gets(&p->probes, name))
		parse_error(p, loc, D_PROV_PRDUP, "probe redeclared: %s", name);
	else if (out && !bad)
		check_output(p, in, out, loc);
	map_sets(&p->probes, name, in);
	*VEC_ADD(p->a, &d->probes) = (struct declared_probe){
		.name = name, .loc = loc, .in = params_copy(p, in), .out = params_copy(p, out ? out : in),
		.maps = out != NULL,
	};
}
