/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probe descriptions -> probes. */
#include <string.h>

#include "base/escape.h"
#include "lang/compile.h"

enum { MATCH_MAXERRORS = 20 };	/* more errors would not help */

struct match {
	struct arena *arena;
	struct clause *clause;
	const struct probe_spec *spec;
	struct map seen;	/* probe IDs -> struct matched */
};

/* A probe that the clause already has. */
struct matched {
	const struct probe_spec *spec;	/* the last description that matched it */
	bool alias;			/* under another system's name only */
};

/* As in DTrace, a clause runs once for each description that matches. Names of other systems are an exception: a script
 * may list all names of one call. */
static void match_found(void *arg, struct probe *p)
{
	struct match *m = arg;
	bool alias = !m->spec->id && !probe_is_meant(p, m->spec), again = false;
	void **place = map_put(&m->seen, &p->id, sizeof p->id);
	struct matched *seen = *place;

	if (seen) {
		again = alias || seen->alias || seen->spec == m->spec;
		alias &= seen->alias;
	} else {
		*place = seen = arena_alloc(m->arena, sizeof *seen);
	}
	*seen = (struct matched){ m->spec, alias };
	if (!again)
		*VEC_ADD(m->arena, &m->clause->probes) = p;
}

/* The description as DTrace prints it: all four parts, empty if missing. */
static const char *spec_text(struct arena *a, const struct probe_spec *s)
{
	if (s->id)
		return arena_printf(a, "%u", s->id);
	return arena_printf(a, "%s:%s:%s:%s", s->prov, s->mod, s->func, s->name);
}

/* A reason contains names of other programs. */
static const char *one_line(struct arena *a, const char *text)
{
	struct buf b = { 0 };

	escape_puts(&b, text, ESCAPE_LINE);
	text = arena_strdup(a, buf_str(&b));
	buf_free(&b);
	return text;
}

/* Reports that a description matches nothing. text: the providers' reason, or "". */
static void report_unmatched(struct compiler *c, const struct probe_spec *s, const char *text)
{
	const char *reason = one_line(c->arena, text), *foreign = probe_is_foreign(s);

	if (foreign) {
		diag_warn(c->diags, s->loc, D_PDESC_ZERO, "probe description %s matches nothing: Linux has no %s",
			  spec_text(c->arena, s), foreign);
		return;
	}
	if (!c->missing.arena)
		map_init(&c->missing, c->arena);
	if (map_gets(&c->missing, spec_text(c->arena, s)))
		return;
	map_sets(&c->missing, spec_text(c->arena, s), c);
	if (reason[0] && (c->probes->refused || probe_in_process(s))) {
		if (map_gets(&c->missing, reason))
			return;		/* the same unknown function, or the same stripped file */
		map_sets(&c->missing, reason, c);
	}
	if (c->probes->refused) {
		diag(c->diags, s->loc, c->probes->refused, "%s", reason);
		return;
	}
	if (s->id)
		diag(c->diags, s->loc, D_PDESC_INVAL, "probe identifier %u does not match any probes%s%s", s->id,
		     reason[0] ? ": " : "", reason);
	else
		diag(c->diags, s->loc, D_PDESC_ZERO, "probe description %s does not match any probes%s%s%s",
		     spec_text(c->arena, s), reason[0] ? ": " : "", reason, probe_suggestion(c->probes, s));
}

static bool has_anchor(const struct clause *cl, const struct probe *p)
{
	for (size_t i = 0; i < cl->anchors.n; i++)
		if (cl->anchors.v[i] == p)
			return true;
	return false;
}

/* The process of a description may load more files. */
static void match_later(struct compiler *c, struct clause *cl, const struct probe_spec *s)
{
	struct probe *anchor[PROBE_ANCHORS];
	unsigned n = probe_anchors(c->probes, s, anchor);

	cl->follows |= n > 0;
	for (unsigned i = 0; i < n; i++)
		if (!has_anchor(cl, anchor[i]))
			*VEC_ADD(c->arena, &cl->anchors) = anchor[i];
}

int lang_match(struct compiler *c)
{
	size_t errors = c->diags->nerrors;
	char reason[256];

	c->probes->followfork = c->opts.followfork;
	c->probes->uretprobe = c->opts.uretprobe;
	c->probes->tailreturn = c->opts.tailreturn;
	c->probes->maxfirings = c->opts.maxfirings;
	c->probes->lineblocks = c->opts.lineblocks;
	c->probes->linepaths = c->opts.linepaths;
	c->probes->runs = true;
	c->probes->waits = c->opts.zdefs;
	for (struct clause *cl = c->script->clauses; cl &&
	     c->diags->nerrors < errors + MATCH_MAXERRORS; cl = cl->next) {
		struct match m = { .arena = c->arena, .clause = cl };
		const struct probe_sink to = { match_found, &m };

		if (compile_full(c, cl->loc))
			break;
		map_init(&m.seen, c->arena);
		for (size_t i = 0; i < cl->specs.n; i++) {
			m.spec = &cl->specs.v[i];
			if (!probe_match(c->probes, m.spec, &to, reason, sizeof reason) &&
			    !c->opts.zdefs && (c->probes->refused || !probe_may_come(c->probes, m.spec)))
				report_unmatched(c, m.spec, reason);
			match_later(c, cl, m.spec);
		}
	}
	return c->diags->nerrors > errors ? -1 : 0;
}
