/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum {
	KEPT_MAPPINGS = 1 << 18,	/* beyond, those of processes that ended first are forgotten */
	KEPT_OPEN = 256,		/* files kept open for the case that they are removed */
	MAPPED_MAX = 4096,		/* in a list: who maps and unmaps without end is not followed for ever */
	FIRST_ROOM = 8,			/* mappings of a new list */
	CHAIN_MAX = 16,			/* programs before exec, parents: as many lists stand behind one another */
};

void maps_init(struct maps *m)
{
	memset(m, 0, sizeof *m);
	m->turn = 1;
}

/* ---- lists ---- */
static void list_drop(struct maps *m, struct maplist *l)
{
	while (l && --l->users == 0) {
		struct maplist *before = l->before;

		m->mappings -= l->n;
		free(l);
		l = before;
	}
}

/* A new list before which `before` was valid; takes the caller's share of that over. */
static struct maplist *list_new(struct maplist *before, uint32_t room)
{
	struct maplist *l = malloc(sizeof *l + room * sizeof l->v[0]);

	if (l)
		*l = (struct maplist){ .users = 1, .cap = room, .before = before, .depth = before ? before->depth + 1 : 0 };
	return l;
}

/* All of a chain in one list. */
static struct maplist *list_flat(struct maps *m, struct maplist *chain)
{
	uint32_t n = 0, at;
	struct maplist *l;

	for (l = chain; l; l = l->before)
		n += l->n;
	l = list_new(NULL, n + FIRST_ROOM);
	if (!l)
		return NULL;
	l->n = at = n;
	for (const struct maplist *x = chain; x; x = x->before) {
		at -= x->n;
		memcpy(l->v + at, x->v, x->n * sizeof l->v[0]);
	}
	m->mappings += n;
	list_drop(m, chain);
	return l;
}

/* A list of the process's own with room for one more. */
static struct maplist *list_room(struct maps *m, struct process *p)
{
	struct maplist *l = p->list, *bigger;

	if (!l || l->users > 1) {
		l = l && l->depth + 1 >= CHAIN_MAX ? list_flat(m, l) : list_new(l, FIRST_ROOM);
		if (l)
			p->list = l;
		return l;
	}
	if (l->n < l->cap)
		return l;
	bigger = realloc(l, sizeof *l + 2 * (size_t)l->cap * sizeof l->v[0]);
	if (!bigger)
		return NULL;
	bigger->cap *= 2;
	return p->list = bigger;
}

static bool overlaps(const struct mapping *a, const struct mapping *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Is it noted already, and nothing else there since? Memory without a file is worth a note only where a file was. */
static bool is_noted(const struct maplist *l, const struct mapping *x)
{
	for (; l; l = l->before) {
		for (uint32_t i = l->n; i-- > 0;) {
			const struct mapping *y = &l->v[i];

			if (overlaps(x, y))
				return y->object == x->object && y->start - y->off == x->start - x->off &&
				       y->start <= x->start && y->end >= x->end;
		}
	}
	return !x->object;
}

void maps_add(struct maps *m, struct process *p, const struct mapping *x)
{
	struct maplist *l;

	if (is_noted(p->list, x))
		return;
	l = list_room(m, p);
	m->nomem |= !l;
	if (!l || l->n == MAPPED_MAX)
		return;
	l->v[l->n++] = *x;
	m->mappings++;
}

/* ---- processes ---- */
static struct process **process_slot(struct maps *m, int64_t pid)
{
	struct process **p = &m->process[(uint64_t)pid % MAPS_HASH];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

struct process *maps_process(struct maps *m, int64_t pid, bool make)
{
	struct process **slot = process_slot(m, pid), *p = *slot;

	if (p || !make)
		return p;
	p = calloc(1, sizeof *p);
	m->nomem |= !p;
	if (!p)
		return NULL;
	p->pid = pid;
	return *slot = p;
}

static void ended_remove(struct maps *m, struct process *p)
{
	if (!p->ended)
		return;
	*(p->older ? &p->older->newer : &m->oldest) = p->newer;
	*(p->newer ? &p->newer->older : &m->newest) = p->older;
	p->older = p->newer = NULL;
	p->ended = false;
}

static void process_free(struct maps *m, struct process *p)
{
	struct process **slot = process_slot(m, p->pid);

	*slot = p->next;
	ended_remove(m, p);
	list_drop(m, p->list);
	free(p);
}

void maps_exit(struct maps *m, int64_t pid)
{
	struct process *p = maps_process(m, pid, false);

	if (!p || p->ended)
		return;
	p->ended = true;
	p->older = m->newest;
	*(m->newest ? &m->newest->newer : &m->oldest) = p;
	m->newest = p;
	while (m->mappings > KEPT_MAPPINGS && m->oldest)
		process_free(m, m->oldest);
}

/* A process ID that is used again: what the former process had stays behind the new one's. */
void maps_fork(struct maps *m, int64_t pid, int64_t parent)
{
	struct process *from = maps_process(m, parent, false), *p = maps_process(m, pid, true);

	if (!p)
		return;
	ended_remove(m, p);
	p->looked = 0;
	if (!from || !from->list || from == p)
		return;
	list_drop(m, p->list);
	p->list = from->list;
	p->list->users++;
}

void maps_exec(struct maps *m, int64_t pid)
{
	struct process *p = maps_process(m, pid, true);
	bool deep = p && p->list && p->list->depth + 1 >= CHAIN_MAX;
	struct maplist *l = p ? list_new(deep ? NULL : p->list, FIRST_ROOM) : NULL;

	m->nomem |= !l;
	if (!l)
		return;
	if (deep)
		list_drop(m, p->list);
	ended_remove(m, p);
	p->looked = 0;
	p->list = l;
}

void maps_close(struct maps *m)
{
	for (unsigned i = 0; i < MAPS_HASH; i++) {
		while (m->process[i])
			process_free(m, m->process[i]);
		while (m->object[i]) {
			struct object *o = m->object[i];

			m->object[i] = o->next;
			object_free(o);
		}
	}
}

/* ---- objects ---- */

struct object *maps_object(struct maps *m, const char *path, uint64_t dev, uint64_t ino, int64_t pid, uint64_t start,
			   uint64_t end)
{
	struct object **slot = &m->object[(ino * 31 + dev) % MAPS_HASH], *o;

	for (o = *slot; o; o = o->next)
		if (o->ino == ino && o->dev == dev && (ino || !strcmp(o->path, path)))
			return o;
	o = object_new(path, dev, ino);
	m->nomem |= !o;
	if (!o)
		return NULL;
	if (!strcmp(path, "[vdso]"))
		object_vdso(o);
	else if (m->open < KEPT_OPEN && (o->fd = object_open(o, pid, start, end)) >= 0)
		m->open++;
	o->next = *slot;
	return *slot = o;
}

/* ---- /proc ---- */

/* "start-end perms offset major:minor inode path". Memory without a name is noted, too: it may lie where a file was. */
static void line_read(struct maps *m, struct process *p, char *line, bool code_only)
{
	unsigned major, minor;
	struct mapping x = { 0 };
	char perms[8], *path;
	uint64_t ino;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &x.start, &x.end, perms, &x.off,
		   &major, &minor, &ino, &at) < 7 || !at || (code_only && perms[2] != 'x'))
		return;
	path = line + at;
	if (*path == '/' || !strcmp(path, "[vdso]"))
		x.object = maps_object(m, path, makedev(major, minor), ino, p->pid, x.start, x.end);
	else if (!code_only)
		return;
	maps_add(m, p, &x);
}

void maps_read(struct maps *m, struct process *p, bool code_only)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	p->looked = m->turn;
	snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", p->pid);
	f = fopen(path, "re");
	m->nomem |= !f && errno == ENOMEM;
	p->err = f ? 0 : errno;
	if (!f)
		return;
	while (getline(&line, &room, f) > 0)
		line_read(m, p, line, code_only);
	m->nomem |= !line;
	free(line);
	fclose(f);
}

void maps_read_all(struct maps *m)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	m->nomem |= !d && errno == ENOMEM;
	while (d && (e = readdir(d))) {
		struct process *p;

		if (!isdigit((unsigned char)*e->d_name))
			continue;
		p = maps_process(m, atoll(e->d_name), true);
		if (p)
			maps_read(m, p, true);
	}
	if (d)
		closedir(d);
}

void maps_note(struct maps *m, int64_t pid, uint64_t time, const char *path, uint64_t dev, uint64_t ino,
	       const struct mapping *where)
{
	struct process *p = maps_process(m, pid, true);
	struct mapping x = *where;

	if (!p)
		return;
	x.since = time;
	if ((*path == '/' && path[1] != '/') || !strcmp(path, "[vdso]"))
		x.object = maps_object(m, path, dev, ino, pid, x.start, x.end);
	maps_add(m, p, &x);
}

/* ---- looking up ---- */
static const struct mapping *list_find(const struct maplist *l, uint64_t addr, uint64_t at)
{
	const struct mapping *soonest = NULL;

	for (; l; l = l->before) {
		for (uint32_t i = l->n; i-- > 0;) {
			const struct mapping *x = &l->v[i];

			if (addr < x->start || addr >= x->end)
				continue;
			if (!at || x->since <= at)
				return x;
			soonest = x;
		}
	}
	return soonest;
}

const struct mapping *maps_find(struct maps *m, int64_t pid, uint64_t addr, uint64_t at)
{
	struct process *p = pid > 0 ? maps_process(m, pid, true) : NULL;
	const struct mapping *x;

	if (!p)
		return NULL;
	x = list_find(p->list, addr, at);
	if (!x && p->looked != m->turn && !p->ended) {
		maps_read(m, p, false);
		x = list_find(p->list, addr, at);
	}
	if (!x && (p->err == EACCES || p->err == EPERM)) {
		m->unread = p->err;
		m->unread_pid = pid;
	}
	return x && x->object ? x : NULL;
}

uint64_t maps_base(struct maps *m, int64_t pid, const struct mapping *x)
{
	const struct process *p = maps_process(m, pid, false);
	uint64_t base = x->start;

	for (const struct maplist *l = p ? p->list : NULL; l; l = l->before)
		for (uint32_t i = 0; i < l->n; i++)
			if (l->v[i].object == x->object && l->v[i].start < base)
				base = l->v[i].start;
	return base;
}
