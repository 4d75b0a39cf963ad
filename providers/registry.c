/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/registry.h"

#include <stdio.h>
#include <string.h>

/* Order decides about ids: dtrace's three probes come first. */
const struct provider *const providers[] = {
	&provider_dtrace,
	&provider_profile,
	NULL
};

void probe_set_init(struct probe_set *s, struct arena *a)
{
	memset(s, 0, sizeof *s);
	s->arena = a;
	map_init(&s->by_name, a);
}

void probe_set_enumerate(struct probe_set *s)
{
	for (const struct provider *const *p = providers; *p; p++) {
		if ((*p)->enumerate)
			(*p)->enumerate(s);
	}
}

struct probe *probe_add(struct probe_set *s, const struct provider *prov, const char *mod, const char *func,
			const char *name, void *data)
{
	const char *key = arena_printf(s->arena, "%s:%s:%s:%s", prov->name, mod, func, name);
	struct probe *p = map_gets(&s->by_name, key);

	if (p)
		return p;
	p = arena_alloc(s->arena, sizeof *p);
	p->prov = prov;
	p->provname = prov->name;
	p->mod = arena_strdup(s->arena, mod);
	p->func = arena_strdup(s->arena, func);
	p->name = arena_strdup(s->arena, name);
	p->data = data;
	*VEC_ADD(s->arena, &s->list) = p;
	p->id = (uint32_t)s->list.n;
	map_sets(&s->by_name, key, p);
	return p;
}

bool probe_is_glob(const char *s)
{
	return strpbrk(s, "*?[\\") != NULL;
}

static bool probe_matches(const struct probe *p, const struct probe_spec *spec)
{
	return probe_glob(spec->prov, p->provname) && probe_glob(spec->mod, p->mod) &&
	       probe_glob(spec->func, p->func) && probe_glob(spec->name, p->name);
}

/* Asks the providers that the description may mean for the probe that it names. */
static void probes_provide(struct probe_set *s, const struct probe_spec *spec, char *why, size_t n)
{
	if (!*spec->name || probe_is_glob(spec->name))
		return;
	for (const struct provider *const *p = providers; *p; p++) {
		if ((*p)->provide && probe_glob(spec->prov, (*p)->name) && (*p)->provide(s, spec, why, n) < 0)
			return;
	}
}

static unsigned match_id(struct probe_set *s, uint32_t id, void (*found)(void *, struct probe *), void *arg, char *why,
			 size_t n)
{
	if (id > s->list.n) {
		snprintf(why, n, "there is no probe with the id %u", id);
		return 0;
	}
	found(arg, s->list.v[id - 1]);
	return 1;
}

unsigned probe_match(struct probe_set *s, const struct probe_spec *spec, void (*found)(void *arg, struct probe *p),
		     void *arg, char *why, size_t n)
{
	unsigned matched = 0;
	size_t last;

	if (n)
		*why = '\0';
	if (spec->id)
		return match_id(s, spec->id, found, arg, why, n);
	probes_provide(s, spec, why, n);
	last = s->list.n;
	for (size_t i = 0; i < last; i++) {
		struct probe *p = s->list.v[i];

		if (probe_matches(p, spec)) {
			found(arg, p);
			matched++;
		}
	}
	if (!matched && n && !*why)
		probe_hint(s, spec, why, n);
	return matched;
}
