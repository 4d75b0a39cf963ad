/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/lateness.h"

#include <inttypes.h>

#include "engine/session/control.h"

enum { SECOND = 1000000000 };

static uint64_t *by_clause(struct dtr *t, uint64_t **list)
{
	if (!*list)
		*list = arena_calloc(&t->arena, t->prog->epids.n + 1, sizeof **list);
	return *list;
}

void lateness_note(struct dtr *t, const struct epid_desc *e, uint64_t fired)
{
	struct session_lateness *l = &t->lateness;
	uint64_t *before = &by_clause(t, &l->fired)[e->epid], now = session_now(t);
	const uint64_t late = now > fired ? now - fired : 0;
	/* a firing can have several records */
	const bool is_late = *before && fired > *before && late > SECOND && late > fired - *before;

	*before = fired;
	if (!is_late || t->query)
		return;
	if (!l->most)
		output_message(&t->output, "warning: output is late: printing takes longer than the interval of %s",
			       e->probe->name);
	l->most = late > l->most ? late : l->most;
}

/* Whether the clauses of the probe print aggregations, and do nothing that another firing would not do. */
static bool only_prints(const struct dtr *t, const struct probe *p)
{
	bool prints = false;

	for (size_t i = 0; i < t->prog->epids.n; i++) {
		const struct epid_desc *e = &t->prog->epids.v[i];

		for (unsigned k = 0; e->probe == p && k < e->nacts; k++) {
			if (control_needs_flush(&e->acts[k]))
				return false;
			prints |= e->acts[k].act == ACT_PRINTA;
		}
	}
	return prints && p->prov->clock;
}

/* The latest firing of each probe, by the number of its first clause. */
static size_t first_clause(const struct dtr *t, const struct probe *p)
{
	size_t i = 0;

	while (t->prog->epids.v[i].probe != p)
		i++;
	return i;
}

void lateness_skip(struct dtr *t, size_t at)
{
	struct session_lateness *l = &t->lateness;
	uint64_t *last;

	if (at == t->queue.n || t->receiver.fn || t->query || session_now(t) < t->queue.v[at].ts + SECOND)
		return;
	last = by_clause(t, &l->last);
	for (size_t i = at; i < t->queue.n; i++) {
		const struct rec_hdr *rec = (const void *)(t->queue.bytes.data + t->queue.v[i].off);
		const struct probe *p;

		if (!rec->epid || rec->epid > t->prog->epids.n)
			continue;
		p = t->prog->epids.v[rec->epid - 1].probe;
		if (only_prints(t, p))
			last[first_clause(t, p)] = rec->ts;
	}
}

bool lateness_skips(const struct dtr *t, const struct epid_desc *e, uint64_t fired)
{
	return t->lateness.last && fired < t->lateness.last[first_clause(t, e->probe)];
}

void lateness_report(struct dtr *t)
{
	const struct session_lateness *l = &t->lateness;

	if (!l->most)
		return;
	output_message(&t->output, "warning: output was up to %" PRIu64 " s late", l->most / SECOND);
	if (l->left_out)
		output_message(&t->output, "%" PRIu64 " records of printa() that waited at the end were left out: the "
			       "last one shows the same values", l->left_out);
}
