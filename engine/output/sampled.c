/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/sampled.h"

#include <inttypes.h>
#include <string.h>

#include "engine/output/accounts.h"
#include "providers/profile/profile.h"

struct sampling_search {
	struct sampling found;
	bool other;			/* another probe adds to it too */
};

static void note_probe(struct sampling_search *s, const struct probe *p)
{
	static const struct {
		const char *prefix;
		bool sweep;
	} kinds[] = { { "profile-", false }, { "sweep-", true } };
	struct sampling one = { 0 };
	char reason[256];

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !strcmp(p->provname, "profile"); i++) {
		const size_t n = strlen(kinds[i].prefix);

		if (!strncmp(p->name, kinds[i].prefix, n) &&
		    profile_parse_interval(p->name + n, &one.interval, reason, sizeof reason) == 0)
			one.sweep = kinds[i].sweep;
	}
	s->other |= !one.interval || (s->found.interval && (s->found.interval != one.interval ||
							    s->found.sweep != one.sweep));
	s->found = one;
}

static bool adds_to(const struct stmt *s, const struct agg_desc *desc)
{
	for (; s; s = s->next)
		if ((s->kind == S_AGG && s->expr->agg == desc) || adds_to(s->yes, desc) || adds_to(s->no, desc))
			return true;
	return false;
}

bool sampled_by(const struct script *script, const struct agg_desc *d, struct sampling *out)
{
	struct sampling_search s = { 0 };

	for (const struct clause *c = script->clauses; c; c = c->next) {
		const bool adds = adds_to(c->body, d);

		for (size_t i = 0; adds && i < c->probes.n; i++)
			note_probe(&s, c->probes.v[i]);
	}
	*out = s.found;
	return s.found.interval && !s.other;
}

void sampled_sum(const struct output *o, struct agg_table *tables, unsigned n)
{
	for (unsigned i = 0; i < n && o->opts->interval && o->prog; i++) {
		const struct agg_desc *desc = tables[i].desc;
		struct agg_samples *s = &tables[i].samples;
		struct accounts_missing missing = { 0 };
		struct sampling by;

		s->on = desc->nkeys && desc->func == agg_func_find("count") &&
			sampled_by(o->prog->script, desc, &by);
		if (!s->on)
			continue;
		s->known = by.sweep || (o->phase == OUTPUT_ENDING &&
					accounts_missing_of(o->accounts, by.interval, &missing));
		s->lost = missing.lost;
		s->idle = missing.idle;
		agg_samples_sum(&tables[i]);
	}
}

void sampled_total(struct buf *out, const struct agg_table *t)
{
	const struct agg_samples *s = &t->samples;

	if (!s->on)
		return;
	buf_printf(out, "%" PRIu64, s->total);
	if (s->known)
		buf_printf(out, ", %" PRIu64 " lost", s->lost);
	if (s->idle)
		buf_printf(out, "; %" PRIu64 " that idle CPUs did not deliver are not counted", s->idle);
}
