/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "engine/containers/hierarchy.h"

/* Threads of which the last group is known: a table in which they displace each other. Groups that were seen. */
enum { THREADS = 1 << 14, MOST_SEEN = 1 << 20 };

struct groups {
	struct arena *arena;
	struct cgroup_hierarchy hierarchy;
	bool missing;				/* there is no hierarchy */
	struct cgroup_chain read;
	struct map chains;			/* path -> struct group_chain that was read last */
	struct { uint64_t tid; const struct group_chain *chain; } last[THREADS];
	struct map seen;			/* numbers */
	VEC(struct backend_cgroup *) created;
	size_t taken;				/* of them */
};

struct groups *groups_open(struct arena *a, const char *hierarchy)
{
	struct groups *g = arena_calloc(a, 1, sizeof *g);
	char reason[160];

	g->arena = a;
	map_init(&g->chains, a);
	map_init(&g->seen, a);
	g->missing = cgroup_hierarchy_find(&g->hierarchy, hierarchy, "/proc", reason, sizeof reason);
	return g;
}

/* Reports the groups of a chain that are new. path: of the last one. */
static void chain_report(struct groups *g, const struct group_chain *chain, const char *path)
{
	const char *at = path;

	for (unsigned level = 0; level < chain->n; level++) {
		void **place = map_put(&g->seen, &chain->id[level], sizeof chain->id[level]);
		struct backend_cgroup *c;

		at += level ? strspn(at, "/") : 0;
		if (!*place && level) {
			c = arena_calloc(g->arena, 1, sizeof *c);
			*c = (struct backend_cgroup){ .id = chain->id[level], .parent = chain->id[level - 1],
						      .hierarchy = g->hierarchy.number };
			snprintf(c->name, sizeof c->name, "%.*s", (int)strcspn(at, "/"), at);
			*VEC_ADD(g->arena, &g->created) = c;
		}
		*place = g;
		at += level ? strcspn(at, "/") : 0;
	}
}

/* The chain in g->read as one that stays. A group can be removed, and another one get its path. */
static const struct group_chain *chain_keep(struct groups *g)
{
	const struct cgroup_chain *r = &g->read;
	void **place = map_put(&g->chains, r->path, strlen(r->path));
	struct group_chain *chain = *place;

	if (chain && chain->n == r->n && !memcmp(chain->id, r->id, r->n * sizeof *r->id))
		return chain;
	if (g->seen.n >= MOST_SEEN)
		return NULL;
	chain = arena_alloc(g->arena, sizeof *chain);
	*chain = (struct group_chain){ r->n, arena_memdup(g->arena, r->id, r->n * sizeof *r->id) };
	*place = chain;
	chain_report(g, chain, r->path + (strcmp(g->hierarchy.root, "/") ? strlen(g->hierarchy.root) : 0));
	return chain;
}

static const struct group_chain *chain_last(const struct groups *g, uint64_t tid)
{
	return g->last[tid % THREADS].tid == tid ? g->last[tid % THREADS].chain : NULL;
}

struct group_chain groups_read(struct groups *g, uint64_t pid, uint64_t tid)
{
	const struct group_chain *chain = NULL;

	if (!g->missing && !cgroup_chain_read(&g->hierarchy, "/proc", pid, tid, &g->read))
		chain = chain_keep(g);
	if (chain) {
		g->last[tid % THREADS].tid = tid;
		g->last[tid % THREADS].chain = chain;
	} else {
		chain = chain_last(g, tid);
	}
	if (!chain)
		chain = chain_last(g, pid);
	return chain ? *chain : (struct group_chain){ 0 };
}

void groups_forget(struct groups *g, uint64_t tid)
{
	if (g->last[tid % THREADS].tid == tid)
		g->last[tid % THREADS].chain = NULL;
}

bool groups_created(struct groups *g, struct backend_cgroup *out)
{
	if (g->taken == g->created.n)
		return false;
	*out = *g->created.v[g->taken++];
	if (g->taken == g->created.n)
		g->taken = g->created.n = 0;
	return true;
}
