/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of all processes, also of those that start later. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "providers/registry.h"
#include "providers/usdt/usdt.h"

enum { PLACES = 0 };		/* the group of all places of a file */
#define SECOND 1000000000ull	/* within it, the consumer prints all records of a probe that fires no longer */

/* A pattern that also means probes of the kernel (sys*) does not make dtr watch all processes. */
bool usdt_everywhere(const struct probe_set *s, const struct probe_spec *spec)
{
	return s->runs && s->programs && s->target <= 0 && usdt_claims(spec) && files_star(spec->prov) &&
	       !probe_names_kernel(spec);
}

static int file_attach(struct usdt_state *st, struct traced_file *f, char *reason, size_t n)
{
	const struct uprobe_want w = {
		.prog_fd = st->env->prog_fd, .file = f->fd, .site = f->sites[PLACES].v, .n = f->sites[PLACES].n,
	};

	return uprobes_open(&f->uprobes, &w, reason, n);
}

/* ---- probes ---- */
static bool has_names(const struct probe *p, const struct probe_names *n)
{
	return !strcmp(p->name, n->name) && !strcmp(p->func, n->func) && !strcmp(p->mod, n->mod) &&
	       !strcmp(p->provname, n->prov);
}

/* One of the spare probes without names: unused, or so long out of use that all of its records are printed. */
static struct probe *spare_probe(struct usdt_state *st)
{
	uint64_t now = clock_now();

	if (st->filled < st->gate.nspare)
		return st->gate.spare[st->filled++];
	for (uint32_t i = 0; i < st->gate.nspare; i++) {
		const struct usdt_probe *d = usdt_probe_of(st->gate.spare[i]);

		if (d->freed && now - d->freed > SECOND)
			return st->gate.spare[i];
	}
	return NULL;
}

struct probe *usdt_file_probe(struct usdt_find *f, const struct usdt_place *x)
{
	struct usdt_state *st = f->state;
	struct usdt_probe *d;
	struct probe *p;

	for (size_t i = 0; i < st->probes.n; i++) {
		p = st->probes.v[i];
		if (usdt_probe_of(p)->pid || !has_names(p, &x->names))
			continue;
		usdt_probe_of(p)->freed = 0;
		return p;
	}
	p = spare_probe(st);
	if (!p) {
		st->files.lost++;
		return NULL;
	}
	d = usdt_probe_of(p);
	file_names_set(&d->named, f->set->arena, p, x->module, &x->names);
	d->module = &d->named.module;
	d->freed = 0;
	d->pid = 0;
	d->plain = x->plain;
	d->note = x->note->name;
	usdt_set_process(st, p);
	f->follow->filled(f->follow->arg, p);
	d->plain = d->note = NULL;
	return p;
}

void usdt_file_site(struct usdt_find *f, const struct probe *p, const struct usdt_place *x)
{
	uint32_t number = usdt_probe_of(p)->number, row;

	if (file_has_site(f->file, PLACES, x->note->off, number))
		return;
	row = usdt_row_of(f, x->module, x->note);
	if (row == UINT32_MAX) {
		f->state->files.lost++;
		return;
	}
	usdt_row_use(f->state, row, 1);
	usdt_probe_of(p)->uses++;
	file_add_site(&f->state->files, f->file, PLACES, &(struct uprobe_site){
		.off = x->note->off, .counter = x->note->semaphore,
		.cookie = (uint64_t)row << USDT_ROW_BITS | number,
	});
}

/* ---- files that come and go ---- */
static struct usdt_state *state_of_files(const struct traced_files *s)
{
	return usdt_state_of(s->set);
}

/* The file's probes and rows can be used for others. */
static void release_file(struct traced_files *s, const struct traced_file *f)
{
	struct usdt_state *st = state_of_files(s);

	for (size_t i = 0; i < f->sites[PLACES].n; i++) {
		uint64_t cookie = f->sites[PLACES].v[i].cookie;
		struct usdt_probe *d = usdt_probe_of(st->probes.v[(uint32_t)cookie]);

		usdt_row_use(st, (uint32_t)(cookie >> USDT_ROW_BITS), -1);
		if (!--d->uses)
			d->freed = clock_now();
	}
}

static bool is_crowded(const struct traced_files *s)
{
	const struct usdt_state *st = state_of_files(s);
	uint32_t named = 0;

	for (uint32_t i = 0; i < st->filled; i++)
		named += !usdt_probe_of(st->gate.spare[i])->freed;
	return named >= st->gate.nspare / 4 * 3 || files_later(s) >= FILES_CROWD;
}

void usdt_files_init(struct usdt_state *st)
{
	st->files = (struct traced_files){ .set = st->set, .release = release_file, .crowded = is_crowded };
}

/* Returns false if the file has no places, or they cannot be probed. */
static bool attach_new_file(struct usdt_state *st, struct traced_file *f, struct probe_follow *w)
{
	char reason[128];

	if (!file_sites(f))
		return false;
	if (file_attach(st, f, reason, sizeof reason) >= 0)
		return true;
	snprintf(w->warning, sizeof w->warning, "failed to enable probes in a file of process %lld: %s",
		 (long long)w->region->pid, reason);
	return false;
}

/* Looks in a new file for the probes of all descriptions, and attaches them. */
static bool examine_file(struct file_visit *v)
{
	struct probe_set *set = v->follow->set;
	struct usdt_state *st = usdt_state_of(set);
	struct usdt_find x = { .set = set, .state = st, .follow = v->follow, .file = v->file, .arena = v->arena,
			       .code = v->code };

	for (size_t i = 0; i < st->specs.list.n; i++) {
		x.spec = st->specs.list.v[i];
		if (usdt_everywhere(set, &x.spec) && module_matches(&x.spec, v->module))
			usdt_find_file(&x, v->module);
	}
	return attach_new_file(st, v->file, v->follow);
}

void usdt_mapped(struct probe_follow *w)
{
	struct usdt_state *st = usdt_state_of(w->set);

	if (st->env)
		files_follow(&st->files, w, examine_file);
}

int usdt_files_attach(struct usdt_state *st)
{
	int r = 0;

	for (size_t i = 0; i < st->files.list.n && !r; i++)
		if (file_sites(st->files.list.v[i]))
			r = file_attach(st, st->files.list.v[i], st->env->reason, sizeof st->env->reason);
	return r;
}
