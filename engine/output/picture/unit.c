/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The unit of an aggregation's values: samples, if only clauses of one profile-N add to it. */
#include <string.h>

#include "engine/output/picture/picture.h"
#include "providers/profile/profile.h"

struct unit_search {
	uint64_t interval;
	bool other;			/* another probe adds to it too */
};

static void note_probe(struct unit_search *s, const struct probe *p)
{
	static const char name[] = "profile-";
	uint64_t interval;
	char reason[256];

	if (strcmp(p->provname, "profile") || strncmp(p->name, name, strlen(name)) ||
	    profile_parse_interval(p->name + strlen(name), &interval, reason, sizeof reason) < 0) {
		s->other = true;
		return;
	}
	s->other |= s->interval && s->interval != interval;
	s->interval = interval;
}

static bool adds_to(const struct stmt *s, const struct agg_desc *desc)
{
	for (; s; s = s->next)
		if ((s->kind == S_AGG && s->expr->agg == desc) || adds_to(s->yes, desc) || adds_to(s->no, desc))
			return true;
	return false;
}

uint64_t picture_interval(const struct output *o, const struct agg_table *table)
{
	const struct agg_desc *d = table->desc;
	struct unit_search s = { 0 };

	if (!o->prog || table->normal != 1 || (d->func != agg_func_find("count") && !d->func->bucket))
		return 0;
	for (const struct clause *c = o->prog->script->clauses; c; c = c->next)
		for (size_t i = 0; adds_to(c->body, d) && i < c->probes.n; i++)
			note_probe(&s, c->probes.v[i]);
	return s.other ? 0 : s.interval;
}
