/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"

#define SWEEP 100000000ull	/* ns between sweeps */
#define SECOND 1000000000ll

enum { MOST_FILES = 2048 };	/* that were found while the program runs */

/* ---- which descriptions ---- */
bool files_star(const char *pattern)
{
	size_t n = strlen(pattern);

	return n && pattern[n - 1] == '*' && (n == 1 || pattern[n - 2] != '\\');
}

bool files_means_all(const char *pattern, const char *provider)
{
	char name[256];

	if (!files_star(pattern))
		return false;
	for (int digit = 1; digit <= 9; digit++) {
		snprintf(name, sizeof name, "%s%d", provider, digit);
		if (!probe_glob(pattern, name))
			return false;
	}
	return true;
}

/* ---- places ---- */
bool file_has_site(const struct traced_file *f, unsigned group, uint64_t off, uint32_t number)
{
	for (size_t i = 0; i < f->sites[group].n; i++)
		if (f->sites[group].v[i].off == off && (uint32_t)f->sites[group].v[i].cookie == number)
			return true;
	return false;
}

void file_add_site(const struct traced_files *s, struct traced_file *f, unsigned group,
		   const struct uprobe_site *site)
{
	*VEC_ADD(f->first ? s->set->arena : &f->own, &f->sites[group]) = *site;
}

size_t file_remove_sites(struct traced_file *f, unsigned group, uint32_t number)
{
	size_t before = f->sites[group].n, n = 0;

	for (size_t i = 0; i < before; i++)
		if ((uint32_t)f->sites[group].v[i].cookie != number)
			f->sites[group].v[n++] = f->sites[group].v[i];
	f->sites[group].n = n;
	return before - n;
}

void file_keep(struct traced_file *f)
{
	int fd = f->kept ? -1 : fcntl(f->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return;
	f->fd = fd;
	f->kept = true;
}

size_t file_sites(const struct traced_file *f)
{
	size_t n = 0;

	for (unsigned i = 0; i < FILE_GROUPS; i++)
		n += f->sites[i].n;
	return n;
}

/* ---- files ---- */
static bool file_identify(struct traced_file *f, const struct program_module *m)
{
	struct stat st;

	if (fstat(m->fd, &st))
		return false;
	f->fd = m->fd;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = (uint64_t)st.st_size;
	f->changed = (int64_t)st.st_mtim.tv_sec * SECOND + st.st_mtim.tv_nsec;
	return true;
}

static struct traced_file *file_find(const struct traced_files *s, const struct traced_file *like)
{
	for (size_t i = 0; i < s->list.n; i++) {
		struct traced_file *f = s->list.v[i];

		if (f->ino == like->ino && f->dev == like->dev && f->size == like->size && f->changed == like->changed)
			return f;
	}
	return NULL;
}

struct traced_file *files_first(struct traced_files *s, const struct program_module *m)
{
	struct traced_file new = { .first = true }, *f;

	if (!file_identify(&new, m))
		return NULL;
	f = file_find(s, &new);
	if (!f) {
		f = arena_alloc(s->set->arena, sizeof *f);
		*f = new;
		*VEC_ADD(s->set->arena, &s->list) = f;
	}
	if (f->turn == s->turn)
		return NULL;
	f->turn = s->turn;
	return f;
}

static void file_free(struct traced_file *f)
{
	if (f->kept)
		close(f->fd);
	arena_free(&f->own);
	free(f);
}

size_t files_later(const struct traced_files *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->list.n; i++)
		n += !s->list.v[i]->first;
	return n;
}

/* ---- names ---- */
/* Copies strings to *to and returns the place of the copy. */
static const char *copy_text(char **to, const char *text)
{
	char *at = *to;

	*to = stpcpy(at, text) + 1;
	return at;
}

void file_names_set(struct file_names *to, struct arena *a, struct probe *p, const struct program_module *m,
		    const struct probe_names *names)
{
	size_t size = strlen(m->name) + strlen(m->path) + strlen(names->prov) + strlen(names->mod) +
		      strlen(names->func) + strlen(names->name) + 6, before = to->room;
	char *at;

	while (to->room < size)
		to->room = to->room ? 2 * to->room : 256;
	if (before < to->room)
		to->text = arena_alloc(a, to->room);
	at = to->text;
	p->provname = copy_text(&at, names->prov);
	p->mod = copy_text(&at, names->mod);
	p->func = copy_text(&at, names->func);
	p->name = copy_text(&at, names->name);
	p->func_hash = hash_bytes(p->func, strlen(p->func));
	to->module = (struct program_module){ .fd = -1 };
	to->module.name = copy_text(&at, m->name);
	to->module.path = copy_text(&at, m->path);
}

/* ---- files that come and go ---- */
/* Waits until the files of the last sweep are removed. */
static void removed_wait(struct traced_files *s)
{
	closer_wait(&s->closer);
	while (s->removed.n)
		file_free(s->removed.v[--s->removed.n]);
}

static void remove_unmapped(struct traced_files *s)
{
	struct links all = { 0 };
	size_t n = 0;

	removed_wait(s);
	for (size_t i = 0; i < s->list.n; i++) {
		struct traced_file *f = s->list.v[i];

		if (f->first || f->mapped) {
			s->list.v[n++] = f;
			continue;
		}
		s->release(s, f);
		links_move(&all, &f->uprobes);
		*VEC_ADD(s->set->arena, &s->removed) = f;
	}
	s->list.n = n;
	closer_start(&s->closer, &all);
}

static void mark_region(void *arg, const struct program_region *r)
{
	struct traced_files *s = arg;

	for (size_t i = 0; i < s->list.n; i++)
		if (s->list.v[i]->ino == r->ino)
			s->list.v[i]->mapped = true;
}

static void mark_process(void *arg, int64_t pid)
{
	struct traced_files *s = arg;

	s->set->programs->regions(pid, mark_region, s);
}

/* A process that maps one of the files from now on is reported. */
static void sweep_files(struct traced_files *s, struct probe_follow *w)
{
	uint64_t now = clock_now();

	if ((s->swept && now - s->swept < SWEEP) || closer_busy(&s->closer))
		return;
	s->swept = now;
	for (size_t i = 0; i < s->list.n; i++) {
		s->list.v[i]->mapped = false;
		if (!s->list.v[i]->first)
			w->forget(w->arg, s->list.v[i]->ino);
	}
	s->set->programs->processes(mark_process, s);
	remove_unmapped(s);
}

/* A file was overwritten in place: its old probes are at the wrong instructions. */
static void remove_old(struct traced_files *s, const struct traced_file *new)
{
	for (size_t i = 0; i < s->list.n; i++) {
		struct traced_file *f = s->list.v[i];

		if (f->ino != new->ino || f->dev != new->dev || !file_sites(f))
			continue;
		links_close(&f->uprobes);
		if (f->first)
			continue;
		s->release(s, f);
		file_free(f);
		s->list.v[i--] = s->list.v[--s->list.n];
	}
}

/* A file that is being removed is mapped again: it must not have two links. */
static void finish_removed(struct traced_files *s, const struct traced_file *new)
{
	for (size_t i = 0; i < s->removed.n; i++)
		if (s->removed.v[i]->ino == new->ino && s->removed.v[i]->dev == new->dev) {
			removed_wait(s);
			return;
		}
}

/* The file that a process has mapped, if it was not examined before and can be. *m: the module. */
static struct traced_file *new_file(struct traced_files *s, struct probe_follow *w, struct programs *code,
				    const struct program_module **m)
{
	struct traced_file new = { 0 }, *f;

	for (size_t i = 0; w->known && i < s->list.n; i++)
		if (s->list.v[i]->ino == w->region->ino)
			return NULL;
	*m = s->set->programs->at(code, w->region->pid, w->region->start);
	if (!*m || !file_identify(&new, *m)) {
		w->forget(w->arg, w->region->ino);	/* the process has ended, but not the next one */
		return NULL;
	}
	if (file_find(s, &new))
		return NULL;
	if (s->crowded(s))
		sweep_files(s, w);
	remove_old(s, &new);
	finish_removed(s, &new);
	f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	*f = new;
	arena_init(&f->own, s->set->arena->oom, s->set->arena->oom_arg);
	return f;
}

static void report_lost(struct traced_files *s, struct probe_follow *w)
{
	if (s->lost && !s->reported)
		snprintf(w->warning, sizeof w->warning, "too many files with probes are in use at the same time: %zu "
			 "probes of process %lld are not traced, and perhaps others later", s->lost,
			 (long long)w->region->pid);
	s->reported |= s->lost > 0;
}

static void file_take(struct traced_files *s, struct file_visit *v, bool (*examine)(struct file_visit *v))
{
	s->lost = 0;
	if (files_later(s) >= MOST_FILES) {
		file_free(v->file);
		s->lost++;
	} else if (examine(v)) {
		if (!v->file->kept)
			v->file->fd = -1;
		*VEC_ADD(s->set->arena, &s->list) = v->file;
	} else {
		s->release(s, v->file);
		file_free(v->file);
	}
	report_lost(s, v->follow);
}

void files_follow(struct traced_files *s, struct probe_follow *w, bool (*examine)(struct file_visit *v))
{
	struct arena scratch;
	struct file_visit v = { .follow = w, .arena = &scratch };

	arena_init(&scratch, s->set->arena->oom, s->set->arena->oom_arg);
	v.code = s->set->programs->open(&scratch);
	v.file = new_file(s, w, v.code, &v.module);
	if (v.file)
		file_take(s, &v, examine);
	s->set->programs->close(v.code);
	arena_free(&scratch);
}

void files_detach(struct traced_files *s, struct links *to)
{
	removed_wait(s);
	for (size_t i = 0; i < s->list.n; i++) {
		links_move(to, &s->list.v[i]->uprobes);
		if (!s->list.v[i]->first)
			file_free(s->list.v[i]);
	}
	s->list.n = 0;
}
