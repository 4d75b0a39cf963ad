/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes of all processes, also of those that start later. Their places belong to files instead of processes: a link
 * without a filter serves every process that maps the file. Files that were found before the program runs stay. Others
 * are removed when there are too many and no process has them mapped; they are found again when they are mapped again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "providers/registry.h"
#include "providers/usdt/usdt.h"

enum { CROWD = 512, MOST_FILES = 2048 };	/* files that were found later */
#define SWEEP 100000000ull	/* ns between sweeps */
#define SECOND 1000000000ull	/* within it, the consumer prints all records of a probe that fires no longer */

/* ---- which descriptions ---- */

static bool ends_with_star(const char *pattern)
{
	size_t n = strlen(pattern);

	return n && pattern[n - 1] == '*' && (n == 1 || pattern[n - 2] != '\\');
}

/* True if the pattern matches each name that consists of this one and a process ID. */
bool usdt_means_all(const char *pattern, const char *provider)
{
	char name[256];

	if (!ends_with_star(pattern))
		return false;
	for (int digit = 1; digit <= 9; digit++) {
		snprintf(name, sizeof name, "%s%d", provider, digit);
		if (!probe_glob(pattern, name))
			return false;
	}
	return true;
}

/* A pattern that also means probes of the kernel (sys*) does not make dtr watch all processes. */
bool usdt_everywhere(const struct probe_set *s, const struct probe_spec *spec)
{
	return s->runs && s->programs && s->target <= 0 && usdt_claims(spec) && ends_with_star(spec->prov) &&
	       !probe_names_kernel(spec);
}

/* ---- files ---- */
static bool file_identify(struct usdt_file *f, const struct program_module *m)
{
	struct stat st;

	if (fstat(m->fd, &st))
		return false;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = (uint64_t)st.st_size;
	f->changed = (int64_t)st.st_mtim.tv_sec * (int64_t)SECOND + st.st_mtim.tv_nsec;
	return true;
}

static struct usdt_file *file_find(struct usdt_state *st, const struct usdt_file *like)
{
	for (size_t i = 0; i < st->files.n; i++) {
		struct usdt_file *f = st->files.v[i];

		if (f->ino == like->ino && f->dev == like->dev && f->size == like->size && f->changed == like->changed)
			return f;
	}
	return NULL;
}

struct usdt_file *usdt_file_first(struct usdt_state *st, const struct program_module *m)
{
	struct usdt_file new = { .fd = m->fd, .first = true }, *f;

	if (!file_identify(&new, m))
		return NULL;
	f = file_find(st, &new);
	if (f)
		return f;
	f = arena_alloc(st->set->arena, sizeof *f);
	*f = new;
	*VEC_ADD(st->set->arena, &st->files) = f;
	return f;
}

static int file_attach(struct usdt_state *st, struct usdt_file *f, char *reason, size_t n)
{
	const struct uprobe_want w = {
		.prog_fd = st->env->prog_fd, .file = f->fd, .site = f->sites.v, .n = f->sites.n,
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

/* Copies strings to *to and returns the place of the copy. */
static const char *copy_text(char **to, const char *text)
{
	char *at = *to;

	*to = stpcpy(at, text) + 1;
	return at;
}

/* The names, which the file has only as long as it is examined, in one piece of memory. */
static void name_probe(struct probe *p, const struct program_module *m, const struct probe_names *names)
{
	struct usdt_probe *d = usdt_probe_of(p);
	size_t size = strlen(m->name) + strlen(m->path) + strlen(names->prov) + strlen(names->mod) +
		      strlen(names->func) + strlen(names->name) + 6, before = d->room;
	char *to;

	while (d->room < size)
		d->room = d->room ? 2 * d->room : 256;
	if (before < d->room)
		d->text = arena_alloc(d->state->set->arena, d->room);
	to = d->text;
	p->provname = copy_text(&to, names->prov);
	p->mod = copy_text(&to, names->mod);
	p->func = copy_text(&to, names->func);
	p->name = copy_text(&to, names->name);
	d->named.name = copy_text(&to, m->name);
	d->named.path = copy_text(&to, m->path);
	d->module = &d->named;
	d->freed = 0;
}

struct probe *usdt_file_probe(struct usdt_find *f, const struct usdt_place *x)
{
	struct usdt_state *st = f->state;
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
		st->lost++;
		return NULL;
	}
	name_probe(p, x->module, &x->names);
	usdt_probe_of(p)->pid = 0;
	usdt_probe_of(p)->plain = x->plain;
	usdt_probe_of(p)->note = x->note->name;
	usdt_set_process(st, p);
	f->follow->filled(f->follow->arg, p);
	usdt_probe_of(p)->plain = usdt_probe_of(p)->note = NULL;
	return p;
}

void usdt_file_site(struct usdt_find *f, const struct probe *p, const struct usdt_place *x)
{
	struct usdt_file *file = f->file;
	uint32_t number = usdt_probe_of(p)->number, row;

	for (size_t i = 0; i < file->sites.n; i++)
		if (file->sites.v[i].off == x->note->off && (uint32_t)file->sites.v[i].cookie == number)
			return;
	row = usdt_row_of(f, x->module, x->note);
	if (row == UINT32_MAX) {
		f->state->lost++;
		return;
	}
	usdt_row_use(f->state, row, 1);
	usdt_probe_of(p)->uses++;
	*VEC_ADD(file->first ? f->set->arena : &file->own, &file->sites) = (struct uprobe_site){
		.off = x->note->off, .counter = x->note->semaphore,
		.cookie = (uint64_t)row << USDT_ROW_BITS | number,
	};
}

/* ---- files that come and go ---- */
static void file_free(struct usdt_file *f)
{
	arena_free(&f->own);
	free(f);
}

/* The file's probes and rows can be used for others. */
static void file_release(struct usdt_state *st, struct usdt_file *f)
{
	for (size_t i = 0; i < f->sites.n; i++) {
		struct usdt_probe *d = usdt_probe_of(st->probes.v[(uint32_t)f->sites.v[i].cookie]);

		usdt_row_use(st, (uint32_t)(f->sites.v[i].cookie >> USDT_ROW_BITS), -1);
		if (!--d->uses)
			d->freed = clock_now();
	}
}

/* Waits until the files of the last sweep are removed. */
static void removed_wait(struct usdt_state *st)
{
	closer_wait(&st->closer);
	while (st->removed.n)
		file_free(st->removed.v[--st->removed.n]);
}

static void remove_unmapped(struct usdt_state *st)
{
	struct links all = { 0 };
	size_t n = 0;

	removed_wait(st);
	for (size_t i = 0; i < st->files.n; i++) {
		struct usdt_file *f = st->files.v[i];

		if (f->first || f->mapped) {
			st->files.v[n++] = f;
			continue;
		}
		file_release(st, f);
		links_move(&all, &f->uprobes);
		*VEC_ADD(st->set->arena, &st->removed) = f;
	}
	st->files.n = n;
	closer_start(&st->closer, &all);
}

static void mark_region(void *arg, const struct program_region *r)
{
	struct usdt_state *st = arg;

	for (size_t i = 0; i < st->files.n; i++)
		if (st->files.v[i]->ino == r->ino)
			st->files.v[i]->mapped = true;
}

static void mark_process(void *arg, int64_t pid)
{
	struct usdt_state *st = arg;

	st->set->programs->regions(pid, mark_region, st);
}

/* A process that maps one of the files from now on is reported. */
static void sweep_files(struct usdt_state *st, struct probe_follow *w)
{
	uint64_t now = clock_now();

	if ((st->swept && now - st->swept < SWEEP) || closer_busy(&st->closer))
		return;
	st->swept = now;
	for (size_t i = 0; i < st->files.n; i++) {
		st->files.v[i]->mapped = false;
		if (!st->files.v[i]->first)
			w->forget(w->arg, st->files.v[i]->ino);
	}
	st->set->programs->processes(mark_process, st);
	remove_unmapped(st);
}

/* A file was overwritten in place: its old probes are at the wrong instructions. */
static void remove_old(struct usdt_state *st, const struct usdt_file *new)
{
	for (size_t i = 0; i < st->files.n; i++) {
		struct usdt_file *f = st->files.v[i];

		if (f->ino != new->ino || f->dev != new->dev || !f->sites.n)
			continue;
		links_close(&f->uprobes);
		if (f->first)
			continue;
		file_release(st, f);
		file_free(f);
		st->files.v[i--] = st->files.v[--st->files.n];
	}
}

/* A file that is being removed is mapped again: it must not have two links. */
static void finish_removed(struct usdt_state *st, const struct usdt_file *new)
{
	for (size_t i = 0; i < st->removed.n; i++)
		if (st->removed.v[i]->ino == new->ino && st->removed.v[i]->dev == new->dev) {
			removed_wait(st);
			return;
		}
}

static size_t later_files(const struct usdt_state *st)
{
	size_t n = 0;

	for (size_t i = 0; i < st->files.n; i++)
		n += !st->files.v[i]->first;
	return n;
}

static bool is_crowded(const struct usdt_state *st)
{
	uint32_t named = 0;

	for (uint32_t i = 0; i < st->filled; i++)
		named += !usdt_probe_of(st->gate.spare[i])->freed;
	return named >= st->gate.nspare / 4 * 3 || later_files(st) >= CROWD;
}

/* Returns false if the file is not kept: it has no places, or they cannot be probed. */
static bool file_keep(struct usdt_state *st, struct usdt_file *f, struct probe_follow *w)
{
	char reason[128];

	if (!f->sites.n)
		return false;
	if (file_attach(st, f, reason, sizeof reason) < 0) {
		snprintf(w->warning, sizeof w->warning, "failed to enable probes in a file of process %lld: %s",
			 (long long)w->region->pid, reason);
		return false;
	}
	f->fd = -1;
	*VEC_ADD(st->set->arena, &st->files) = f;
	return true;
}

/* Looks in a new file for the probes of all descriptions, and attaches them. */
static void examine_file(struct usdt_find *x, const struct program_module *m, const struct usdt_file *like)
{
	struct usdt_state *st = x->state;

	x->file = calloc(1, sizeof *x->file);
	if (!x->file)
		return;
	*x->file = *like;
	arena_init(&x->file->own, st->set->arena->oom, st->set->arena->oom_arg);
	for (size_t i = 0; i < st->specs.list.n; i++) {
		x->spec = st->specs.list.v[i];
		if (usdt_everywhere(x->set, &x->spec) && module_matches(x->spec.mod, m))
			usdt_find_file(x, m);
	}
	if (file_keep(st, x->file, x->follow))
		return;
	file_release(st, x->file);
	file_free(x->file);
}

static bool has_inode(const struct usdt_state *st, uint64_t ino)
{
	for (size_t i = 0; i < st->files.n; i++)
		if (st->files.v[i]->ino == ino)
			return true;
	return false;
}

static void report_lost(struct usdt_state *st, struct probe_follow *w)
{
	if (st->lost && !st->crowded)
		snprintf(w->warning, sizeof w->warning, "too many files with probes are in use at the same time: %zu "
			 "probes of process %lld are not traced, and perhaps others later", st->lost,
			 (long long)w->region->pid);
	st->crowded |= st->lost > 0;
}

void usdt_mapped(struct probe_follow *w)
{
	struct usdt_state *st = usdt_state_of(w->set);
	struct usdt_find f = { .set = w->set, .state = st, .follow = w };
	const struct program_module *m;
	struct usdt_file new;
	struct arena scratch;

	if (!st->env || (w->known && has_inode(st, w->region->ino)))
		return;
	arena_init(&scratch, w->set->arena->oom, w->set->arena->oom_arg);
	f.arena = &scratch;
	f.code = w->set->programs->open(&scratch);
	m = w->set->programs->at(f.code, w->region->pid, w->region->start);
	new = (struct usdt_file){ .fd = m ? m->fd : -1 };
	if (!m || !file_identify(&new, m)) {
		w->forget(w->arg, w->region->ino);	/* the process has ended, but not the next one */
	} else if (!file_find(st, &new)) {
		if (is_crowded(st))
			sweep_files(st, w);
		st->lost = 0;
		remove_old(st, &new);
		finish_removed(st, &new);
		if (later_files(st) < MOST_FILES)
			examine_file(&f, m, &new);
		else
			st->lost++;
		report_lost(st, w);
	}
	w->set->programs->close(f.code);
	arena_free(&scratch);
}

int usdt_files_attach(struct usdt_state *st)
{
	int r = 0;

	for (size_t i = 0; i < st->files.n && !r; i++)
		if (st->files.v[i]->sites.n)
			r = file_attach(st, st->files.v[i], st->env->reason, sizeof st->env->reason);
	return r;
}

void usdt_files_detach(struct usdt_state *st)
{
	removed_wait(st);
	for (size_t i = 0; i < st->files.n; i++) {
		links_move(&st->uprobes, &st->files.v[i]->uprobes);
		if (!st->files.v[i]->first)
			file_free(st->files.v[i]);
	}
	st->files.n = 0;
}
