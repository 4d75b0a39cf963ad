/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Spare probes, which get names while the program runs. */
#include <inttypes.h>
#include <stdio.h>

#include "providers/code/code.h"

static struct probe *add_spare(struct code_gate *g, int64_t pid)
{
	const struct code_state *st = g->state;
	struct probe *p = probe_add_spare(st->set, st->provider, arena_calloc(st->set->arena, 1, st->data));

	code_join(g, p, pid);
	return p;
}

struct probe *code_anchor(struct code_gate *g, int64_t pid)
{
	if (!g->anchor)
		g->anchor = add_spare(g, pid);
	return g->anchor;
}

void code_reserve(struct code_gate *g, int64_t pid, uint32_t n)
{
	if (g->gate.spare)
		return;
	g->gate.spare = arena_calloc(g->state->set->arena, n, sizeof(*g->gate.spare));
	for (uint32_t i = 0; i < n; i++)
		g->gate.spare[i] = add_spare(g, pid);
	g->gate.nspare = n;
}

struct probe *code_fill(struct code_gate *g, const struct program_module *m, const struct probe_names *names)
{
	struct code_state *st = g->state;
	struct probe *p = probe_named(st->set, names);

	if (!g->env || (p && code_of(p)->module->file == m->file))
		return NULL;
	if (!p && g->filled == g->gate.nspare) {
		st->lost++;
		return NULL;
	}
	if (!p) {
		p = g->gate.spare[g->filled++];
		probe_fill(st->set, p, names);
	}
	code_of(p)->module = m;
	code_of(p)->site = NULL;
	code_of(p)->nsites = 0;
	return p;
}

void code_filled(struct code_gate *g, struct probe *p, struct probe_follow *w)
{
	code_of(p)->pid = w->named;
	code_set_process(g, p);
	*VEC_ADD(g->state->set->arena, &g->fresh) = p;
	w->filled(w->arg, p);
}

void code_follow(struct code_gate *g, struct probe_follow *w)
{
	if (g->fresh.n && code_attach_fresh(g) < 0)
		snprintf(w->warning, sizeof w->warning, "failed to enable probes in process %" PRId64 ": %s", w->pid,
			 g->env->reason);
	if (g->state->lost)
		snprintf(w->warning, sizeof w->warning,
			 "process %" PRId64 " has loaded more files: %zu of their probes are not traced", w->pid,
			 g->state->lost);
	g->state->lost = 0;
}
