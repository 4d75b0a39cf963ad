/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unit of an aggregation's values: samples, if only clauses of one profile-N add to it; a unit of time, if it is
 * the sum of differences of times: sum(timestamp - self->since).
 */
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

typedef bool stmt_test(const struct stmt *s);

static bool is_any(const struct stmt *s)
{
	return s->kind == S_AGG;
}

static bool is_time(const struct node *n)
{
	static const enum builtin times[] = { BI_timestamp, BI_vtimestamp, BI_walltimestamp };
	bool time = false;

	for (size_t i = 0; n->kind == N_VAR && n->var->cls == VC_BUILTIN && i < sizeof times / sizeof times[0]; i++)
		time |= n->var->builtin == times[i];
	return time;
}

static const struct node *uncast(const struct node *n)
{
	while (n->kind == N_CAST)
		n = n->a;
	return n;
}

/* Not a difference of times: then values of the aggregation are not all times. */
static bool is_no_duration(const struct stmt *s)
{
	const struct node *n = s->call->nargs ? uncast(s->call->args[0]) : NULL;

	return !n || n->kind != N_BINARY || n->op != OP_SUB || (!is_time(uncast(n->a)) && !is_time(uncast(n->b)));
}

/* True if a statement that adds to the aggregation passes the test. */
static bool adds_to(const struct stmt *s, const struct agg_desc *desc, stmt_test *test)
{
	for (; s; s = s->next)
		if ((s->kind == S_AGG && s->expr->agg == desc && test(s)) || adds_to(s->yes, desc, test) ||
		    adds_to(s->no, desc, test))
			return true;
	return false;
}

static uint64_t sampling_interval(const struct clause *c, const struct agg_desc *d)
{
	struct unit_search s = { 0 };

	for (; c; c = c->next)
		for (size_t i = 0; i < c->probes.n && adds_to(c->body, d, is_any); i++)
			note_probe(&s, c->probes.v[i]);
	return s.other ? 0 : s.interval;
}

static bool sums_durations(const struct clause *c, const struct agg_desc *d)
{
	bool any = false;

	for (; c; c = c->next) {
		if (adds_to(c->body, d, is_no_duration))
			return false;
		any |= adds_to(c->body, d, is_any);
	}
	return any;
}

/* The units of ns divided by normalize(). */
static const char *time_unit(uint64_t normal)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {
		{ 1, "nanoseconds" }, { 1000, "microseconds" }, { 1000000, "milliseconds" },
		{ 1000000000, "seconds" },
	};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (units[i].ns == normal)
			return units[i].name;
	return NULL;
}

struct picture_unit picture_unit(const struct output *o, const struct agg_table *table)
{
	const struct agg_desc *d = table->desc;
	struct picture_unit unit = { 0 };

	if (!o->prog)
		return unit;
	if (table->normal == 1 && (d->func == agg_func_find("count") || d->func->bucket)) {
		unit.interval = sampling_interval(o->prog->script->clauses, d);
		unit.name = unit.interval ? "samples" : NULL;
	} else if (d->func == agg_func_find("sum") && sums_durations(o->prog->script->clauses, d)) {
		unit.name = time_unit(table->normal);
	}
	return unit;
}
