/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/lower/follow.h"

#include <string.h>

#include "lang/check/typed.h"

static bool clause_names(const struct clause *c, const struct probe *x)
{
	for (size_t i = 0; i < c->specs.n; i++)
		if (probe_is_meant(x, &c->specs.v[i]))
			return true;
	return false;
}

static void bind_member(const struct follow_gate *g, size_t i, void *(*object)(void *arg, uint32_t obj), void *arg,
			const struct probe *x)
{
	for (int bi = 0; bi < BI_COUNT; bi++) {
		char *all = g->text[bi] ? object(arg, g->text[bi] - 1) : NULL;
		const char *text = probe_text(x, (enum builtin)bi);

		if (!all)
			continue;
		memset(all + i * g->width[bi], 0, g->width[bi]);
		memcpy(all + i * g->width[bi], text, strnlen(text, g->width[bi] - 1));
	}
	for (size_t k = 0; k < g->sets.n; k++) {
		uint64_t *set = object(arg, g->sets.v[k].obj), bit = 1ull << i % 64;

		if (set && clause_names(g->sets.v[k].clause, x))
			__atomic_fetch_or(&set[i / 64], bit, __ATOMIC_RELEASE);
		else if (set)
			__atomic_fetch_and(&set[i / 64], ~bit, __ATOMIC_RELEASE);
	}
}

void follow_bind(const struct d_prog *p, void *(*object)(void *arg, uint32_t obj), void *arg, const struct probe *x)
{
	for (size_t k = 0; k < p->follow.n; k++)
		for (size_t i = 0; i < p->follow.v[k]->n; i++)
			if (p->follow.v[k]->member[i] == x)
				bind_member(p->follow.v[k], i, object, arg, x);
}
