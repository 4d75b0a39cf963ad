/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes in libraries and programs that a process loads while the program runs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "providers/registry.h"
#include "providers/usdt/usdt.h"

enum { SPARE_FEW = 64, SPARE_MANY = 1024, REASON = 128 };

/* ---- before ---- */
static struct probe *add_spare(struct probe_set *s, struct usdt_state *st, int64_t pid)
{
	struct usdt_probe *d = arena_alloc(s->arena, sizeof *d);
	struct probe *p = probe_add_spare(s, &provider_usdt, d);

	*d = (struct usdt_probe){ .state = st, .number = (uint32_t)st->probes.n, .pid = pid };
	*VEC_ADD(s->arena, &st->probes) = p;
	st->gate.numbers = (uint32_t)st->probes.n;
	return p;
}

void usdt_reserve(struct probe_set *s, const struct probe *p)
{
	struct usdt_state *st = usdt_probe_of(p)->state;
	uint32_t n = SPARE_FEW;

	if (!st->anchor || st->gate.spare)
		return;
	if (s->everywhere)
		n = SPARE_MANY;
	for (size_t i = 0; i < st->specs.list.n; i++)
		if (!*st->specs.list.v[i].name || probe_is_glob(st->specs.list.v[i].name))
			n = SPARE_MANY;
	st->gate.spare = arena_calloc(s->arena, n, sizeof(*st->gate.spare));
	for (uint32_t i = 0; i < n; i++)
		st->gate.spare[i] = add_spare(s, st, usdt_probe_of(p)->pid);
	st->gate.nspare = n;
}

unsigned usdt_anchors(struct probe_set *s, const struct probe_spec *spec, struct probe **out)
{
	struct usdt_state *st = usdt_state_of(s);

	if (!st->anchor)
		st->anchor = add_spare(s, st, usdt_process(s, spec));
	s->everywhere |= usdt_everywhere(s, spec);
	out[0] = st->anchor;
	return 1;
}

/* ---- while the program runs ---- */
struct probe *usdt_fill(struct usdt_find *f, const struct usdt_place *x)
{
	struct usdt_state *st = f->state;
	struct probe *p = probe_named(f->set, &x->names);

	if (!st->env || (!p && st->filled == st->gate.nspare)) {
		st->lost++;
		return NULL;
	}
	if (!p) {
		p = st->gate.spare[st->filled++];
		probe_fill(f->set, p, &x->names);
	} else if (usdt_probe_of(p)->module->file != x->module->file) {
		usdt_probe_of(p)->sites.n = 0;	/* of a file that the process no longer has */
	}
	return p;
}

void usdt_filled(struct usdt_find *f, struct probe *p)
{
	for (size_t i = 0; i < f->state->fresh.n; i++)
		if (f->state->fresh.v[i] == p)
			return;
	usdt_set_process(f->state, p);
	*VEC_ADD(f->set->arena, &f->state->fresh) = p;
	f->follow->filled(f->follow->arg, p);
}

/* Attaches what was found, and warns if not all of it could be. */
static void attach_found(struct usdt_state *st, struct probe_follow *w)
{
	if (st->fresh.n && usdt_attach_fresh(st) < 0)
		snprintf(w->warning, sizeof w->warning, "failed to enable probes in process %" PRId64 ": %s", w->pid,
			 st->env->reason);
	if (st->lost)
		snprintf(w->warning, sizeof w->warning,
			 "process %" PRId64 " has loaded more files: %zu of their probes are not traced", w->pid,
			 st->lost);
	st->lost = 0;
}

void usdt_follow(struct probe_follow *w)
{
	struct usdt_state *st = usdt_state_of(w->set);
	struct usdt_find f = { .set = w->set, .state = st, .pid = w->named, .follow = w,
		.code = w->set->code, .arena = w->set->arena };
	const struct program_module *m;
	char reason[REASON];
	size_t n;

	if (!st->anchor || w->set->programs->modules(w->set->code, w->pid, &m, &n, reason, sizeof reason) < 0)
		return;		/* nothing to follow; it has ended */
	for (size_t i = 0; i < st->specs.list.n; i++) {
		f.spec = st->specs.list.v[i];
		for (size_t k = 0; k < n && usdt_process(w->set, &f.spec) == w->named; k++)
			if (!module_list_has(&st->seen, w->named, &m[k]) && module_matches(&f.spec, &m[k]))
				usdt_find_file(&f, &m[k]);
	}
	module_list_add(w->set->arena, &st->seen, w->named, m, n);
	attach_found(st, w);
}
