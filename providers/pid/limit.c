/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes of all processes that fire so often that they would slow down the machine are disarmed: a firing costs up to
 * 15 us. The programs count the firings of each probe. When one has had its number within a second, its instructions
 * are removed from all files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "providers/pid/pid.h"

#define SECOND 1000000000ull

enum { REASON = 128 };

/* The probes that one pass disarms. */
struct limit_pass {
	struct pid_state *state;
	const struct probe *first;
	size_t n;
	bool begins;			/* a new second */
};

static void gate_pass(struct limit_pass *x, struct code_gate *g)
{
	const struct probe_set *set = g->state->set;
	const uint64_t *now = code_firings(g);

	if (!now)
		return;
	if (!g->before)
		g->before = arena_calloc(set->arena, g->probes.n, sizeof *g->before);
	for (size_t i = 0; i < g->probes.n; i++) {
		struct pid_probe *d = pid_probe_of(g->probes.v[i]);
		uint64_t firings = __atomic_load_n(&now[i], __ATOMIC_RELAXED);

		if (!d->disarmed && firings - g->before[i] > set->maxfirings) {
			d->disarmed = true;
			if (!x->n++)
				x->first = g->probes.v[i];
		}
		if (x->begins)
			g->before[i] = firings;
	}
}

/* Returns true if the file had places of probes that are disarmed now. */
static bool remove_places(const struct pid_state *st, struct traced_file *f)
{
	bool any = false;

	for (unsigned group = 0; group < NGROUPS; group++) {
		const code_probes *probes = &st->gates[pid_group_kind(group)].probes;

		for (size_t i = 0; f->sites[group].n && i < probes->n; i++)
			if (pid_probe_of(probes->v[i])->disarmed) {
				size_t n = file_remove_sites(f, group, (uint32_t)i);

				pid_probe_of(probes->v[i])->uses -= n;
				any |= n > 0;
			}
	}
	return any;
}

/* A link cannot be changed: it is replaced by one without the places. */
static void files_pass(struct pid_state *st, struct probe_follow *w)
{
	char reason[REASON];

	for (size_t i = 0; i < st->files.list.n; i++) {
		struct traced_file *f = st->files.list.v[i];

		if (!remove_places(st, f))
			continue;
		links_close(&f->uprobes);
		if (f->fd >= 0 && pid_file_attach(st, f, reason, sizeof reason) < 0)
			snprintf(w->warning, sizeof w->warning, "failed to enable the other probes of a file again: %s",
				 reason);
	}
}

static void report_disarmed(const struct limit_pass *x, struct probe_follow *w)
{
	const struct probe *p = x->first;
	char others[48] = "";

	if (x->n > 1)
		snprintf(others, sizeof others, ", and %zu others,", x->n - 1);
	snprintf(w->warning, sizeof w->warning, "%s:%s:%s:%s%s fired more than %" PRIu64 " times in a second and %s "
		 "disarmed: see -x maxfirings", p->provname, p->mod, p->func, p->name, others, w->set->maxfirings,
		 x->n > 1 ? "are" : "is");
}

void pid_limit(struct probe_follow *w)
{
	struct pid_state *st = pid_state_of(w->set);
	uint64_t now = clock_now();
	struct limit_pass x = { .state = st, .begins = now - st->second >= SECOND };

	if (!st->code.of_all)
		return;
	if (x.begins)
		st->second = now;
	for (unsigned i = 0; i < PID_NKINDS; i++)
		gate_pass(&x, &st->gates[i]);
	if (!x.n)
		return;
	report_disarmed(&x, w);
	files_pass(st, w);
}
