/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables of libraries that a process loads, removes, and loads again at another address. */
#include <errno.h>
#include <stdio.h>

#include "providers/watch/watch.h"

int64_t watch_moves(const struct probe *p)
{
	return watch_probe_of(p)->moves ? watch_probe_of(p)->pid : 0;
}

static void warn_failed(struct probe_follow *w, const struct probe *p, const char *reason)
{
	snprintf(w->warning, sizeof w->warning, "failed to enable probe %s:%s:%s:%s: %s", p->provname, p->mod, p->func,
		 p->name, reason);
}

static bool is_followed(const struct probe_follow *w, const struct probe *p)
{
	return watch_moves(p) == w->named && watch_probe_of(p)->env;
}

/* Returns true if the variable is elsewhere now; then it has no breakpoints. */
static bool has_moved(struct probe_follow *w, struct probe *p)
{
	struct watch_probe *d = watch_probe_of(p);
	uint64_t before = d->addr;
	char reason[256] = "";

	if (watch_find_again(w->set, p, reason, sizeof reason) < 0)
		warn_failed(w, p, reason);
	if (d->addr == before)
		return false;
	watch_remove(d);
	return d->addr;
}

/* The program reads the place when a breakpoint fires: there is none now. */
static void set_place(struct probe *p)
{
	const struct watch_probe *d = watch_probe_of(p);
	char name[sizeof WATCH_PLACE + 10];
	uint64_t *to;

	snprintf(name, sizeof name, WATCH_PLACE, d->number);
	to = d->env->global(d->env, name);
	if (!to)
		return;
	to[WATCH_SIZE] = (uint64_t)__builtin_ctzll(d->size);
	to[WATCH_SIGNED] = d->is_signed;
	__atomic_store_n(&to[WATCH_ADDRESS], d->addr, __ATOMIC_RELEASE);
}

/* Breakpoints of all variables that are gone are removed before others are set: there are only four. */
void watch_follow(struct probe_follow *w)
{
	const struct watch_state *st = *probe_state_of(w->set, &provider_watch);
	struct attach_env *env;
	int r;

	if (!st || w->pid != w->named)
		return;
	for (size_t i = 0; i < st->probes.n; i++)
		if (is_followed(w, st->probes.v[i]) && has_moved(w, st->probes.v[i]))
			set_place(st->probes.v[i]);
	for (size_t i = 0; i < st->probes.n; i++) {
		struct probe *p = st->probes.v[i];

		env = watch_probe_of(p)->env;
		if (!is_followed(w, p) || !watch_probe_of(p)->addr || watch_probe_of(p)->events.n)
			continue;
		r = watch_attach(p, env);
		if (r < 0) {
			if (r != -ESRCH)	/* it has ended */
				warn_failed(w, p, env->reason);
			watch_probe_of(p)->env = env;	/* it may be possible later */
			watch_probe_of(p)->addr = 0;
		}
	}
}
