/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clauses and the probe descriptions before them. */
#include "lang/syntax/clause.h"

#include <inttypes.h>
#include <string.h>

#include "lang/syntax/parse.h"
#include "providers/modules.h"
#include "providers/registry.h"

unsigned spec_parts(const struct source *src)
{
	static const uint8_t parts[] = {
		[SPEC_PROBE] = SPEC_PARTS, [SPEC_PROVIDER] = 1, [SPEC_MODULE] = 2, [SPEC_FUNCTION] = 3, [SPEC_ID] = 0,
	};

	return parts[src->spec];
}

struct clause *clause_new(struct parser *p, struct loc loc)
{
	struct clause *c = arena_alloc(p->a, sizeof *c);

	c->loc = loc;
	return c;
}

enum { PIECES = 64 };

/* Splits a text at colons. Returns the number of pieces, of which only the first PIECES are stored. */
static unsigned split_pieces(struct arena *a, const char *text, const char *piece[PIECES])
{
	unsigned n = 0;

	for (;;) {
		size_t len = strcspn(text, ":");

		if (n < PIECES)
			piece[n] = arena_strndup(a, text, len);
		n++;
		if (!text[len])
			return n;
		text += len + 1;
	}
}

/* In more pieces than there are parts, "::" between names belongs to a C++ or Rust name: it is joined again, from the
 * right, until as many pieces are left as there are parts. Returns their number. */
static unsigned rejoin_pieces(struct arena *a, const char *piece[PIECES], unsigned n, unsigned most)
{
	for (unsigned i = n - 1; n > most && i >= 2; i--) {
		if (!*piece[i] || *piece[i - 1] || !*piece[i - 2])
			continue;
		piece[i - 2] = arena_printf(a, "%s::%s", piece[i - 2], piece[i]);
		n -= 2;
		for (unsigned k = i - 1; k < n; k++)
			piece[k] = piece[k + 2];
		i--;
	}
	return n;
}

/* A pattern of processes, the last description of the clause, means each target. */
static void spec_of_targets(struct parser *p, struct clause *c)
{
	const struct compile_env *env = &p->c->env;
	const struct probe_spec all = c->specs.v[c->specs.n - 1];

	if (!probe_means_target(&all))
		return;
	c->specs.n--;
	for (size_t i = 0; i < env->ntargets; i++) {
		const char *prov = probe_prov_of_target(p->a, &all, env->targets[i]);

		if (!prov)
			continue;
		*VEC_ADD(p->a, &c->specs) = all;
		c->specs.v[c->specs.n - 1].prov = prov;
	}
	if (!c->specs.n)
		*VEC_ADD(p->a, &c->specs) = all;
}

static void add_spec(struct parser *p, struct clause *c, const char *text, struct loc loc)
{
	const char *part[SPEC_PARTS] = { "", "", "", "" }, *piece[PIECES];
	unsigned most = spec_parts(p->src), n = split_pieces(p->a, text, piece);
	struct probe_spec *spec = VEC_ADD(p->a, &c->specs);

	*spec = (struct probe_spec){ "", "", "", "", .text = text, .loc = loc };
	if (n > most && n <= PIECES && most == SPEC_PARTS)
		n = rejoin_pieces(p->a, piece, n, most);
	if (n > most) {
		if (most)
			parse_error(p, loc, D_PDESC_INVAL,
				    "invalid probe description \"%s\": it has %u parts, the maximum here is %u",
				    text, n, most);
		else
			parse_error(p, loc, D_PDESC_INVAL, "invalid probe id: %s", text);
		return;
	}
	memcpy(part + most - n, piece, n * sizeof *piece);
	for (unsigned i = 0; i < SPEC_PARTS; i++)
		if (i != 1 && *part[i] == '/') {
			parse_error(p, loc, D_PDESC_INVAL, "invalid probe description \"%s\": a path is a module, "
				    "as in pid*:/bin/sh:main:entry", text);
			return;
		}
	spec->prov = part[0];
	spec->mod = part[1];
	spec->func = part[2];
	spec->name = part[3];
	spec->path = module_real_path(p->a, spec->mod);
	if (p->c->env.ntargets > 1)
		spec_of_targets(p, c);
}

void clause_spec(struct parser *p, struct clause *c, const char *text, struct loc loc)
{
	for (const char *end; (end = strchr(text, SPEC_AND)) != NULL; text = end + 1)
		add_spec(p, c, arena_strndup(p->a, text, (size_t)(end - text)), loc);
	add_spec(p, c, text, loc);
}

void clause_spec_id(struct parser *p, struct clause *c, const struct node *id, struct loc loc)
{
	struct probe_spec *spec = VEC_ADD(p->a, &c->specs);

	*spec = (struct probe_spec){ "", "", "", "", .loc = loc };
	spec->text = arena_printf(p->a, "%" PRIu64, id->value);
	spec->id = id->value;
	if (!id->value || id->value > UINT32_MAX) {
		parse_error(p, loc, D_PDESC_INVAL, "invalid probe id: %s", spec->text);
		spec->id = UINT32_MAX;
	}
}

void clause_add(struct parser *p, struct clause *c, struct stmt *body, bool has_body)
{
	struct script *script = p->c->script;

	c->body = body;
	c->has_body = has_body;
	c->index = script->nclauses++;
	*script->clause_tail = c;
	script->clause_tail = &c->next;
	p->used = true;
}
