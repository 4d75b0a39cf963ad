/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unit of an aggregation's values: samples, if only clauses of one profile-N add to it; a unit of time, if it is
 * the sum of durations (duration.h).
 */
#include "engine/output/picture/duration.h"
#include "engine/output/picture/picture.h"
#include "engine/output/sampled.h"

/* The unit in ns of what the statements add to the aggregation, if it is `unit` (0: any); other values set `other`. */
static uint64_t added_unit(const struct script *script, const struct stmt *s, const struct agg_desc *d, uint64_t unit,
			   bool *other)
{
	uint64_t added;

	for (; s && !*other; s = s->next) {
		unit = added_unit(script, s->yes, d, unit, other);
		unit = added_unit(script, s->no, d, unit, other);
		if (s->kind != S_AGG || s->expr->agg != d)
			continue;
		added = s->call->nargs ? duration_unit(script, s->call->args[0]) : 0;
		*other |= !added || (unit && added != unit);
		unit = added;
	}
	return unit;
}

/* The unit in ns of the durations that the aggregation sums, or 0. */
static uint64_t summed_unit(const struct script *script, const struct agg_desc *d)
{
	uint64_t unit = 0;
	bool other = false;

	for (const struct clause *c = script->clauses; c; c = c->next)
		unit = added_unit(script, c->body, d, unit, &other);
	return other ? 0 : unit;
}

static const char *time_unit(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {
		{ 1, "nanoseconds" }, { 1000, "microseconds" }, { 1000000, "milliseconds" },
		{ 1000000000, "seconds" },
	};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (units[i].ns == ns)
			return units[i].name;
	return NULL;
}

struct picture_unit picture_unit(const struct output *o, const struct agg_table *table)
{
	const struct agg_desc *d = table->desc;
	struct picture_unit unit = { 0 };
	struct sampling by;

	if (!o->prog)
		return unit;
	if (table->normal == 1 && (d->func == agg_func_find("count") || d->func->bucket)) {
		unit.interval = sampled_by(o->prog->script, d, &by) && !by.sweep ? by.interval : 0;
		unit.name = unit.interval ? "samples" : NULL;
	} else if (d->func == agg_func_find("sum")) {
		unit.name = time_unit(summed_unit(o->prog->script, d) * table->normal);
	}
	return unit;
}
