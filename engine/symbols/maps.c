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
#include <time.h>

#include "base/clock.h"

enum { KEPT_OPEN = 256 };	/* files kept open in case they are removed */

/* True if the address has the same symbol in both files. */
static bool objects_alike(void *arg, const struct mapping *a, const struct mapping *b, uint64_t addr)
{
	struct object *x = a->file, *y = b->file;
	char name[2][512] = { "", "" };
	uint64_t distance[2] = { 0, 0 };

	(void)arg;
	return !strcmp(x->name, y->name) &&
	       object_find(x, addr - a->start + a->off, &distance[0], name[0], sizeof name[0]) ==
	       object_find(y, addr - b->start + b->off, &distance[1], name[1], sizeof name[1]) &&
	       distance[0] == distance[1] && !strcmp(name[0], name[1]);
}

void maps_init(struct maps *m)
{
	memset(m, 0, sizeof *m);
	spaces_init(&m->spaces);
	m->spaces.alike = objects_alike;
	m->turn = 1;
}

void maps_close(struct maps *m)
{
	spaces_close(&m->spaces);
	jits_close(&m->jits);
	for (unsigned i = 0; i < SPACES_HASH; i++) {
		while (m->object[i]) {
			struct object *o = m->object[i];

			m->object[i] = o->next;
			object_free(o);
		}
	}
}

bool maps_failed(const struct maps *m)
{
	return m->nomem || m->spaces.nomem || m->jits.nomem;
}

/* ---- processes ---- */
void maps_fork(struct maps *m, int64_t pid, int64_t parent, uint64_t time)
{
	spaces_fork(&m->spaces, pid, parent, time);
	jits_begun(&m->jits, pid, time);
}

void maps_exec(struct maps *m, int64_t pid, uint64_t time)
{
	spaces_exec(&m->spaces, pid, time);
	jits_begun(&m->jits, pid, time);
}

void maps_exit(struct maps *m, int64_t pid, uint64_t time)
{
	spaces_exit(&m->spaces, pid);
	jits_ended(&m->jits, pid, time);
}

/* Executable memory that may contain code which the process has generated. Returns the same as jits_seen. */
static bool generated(struct maps *m, int64_t pid, uint64_t time, const char *path, const struct mapping *x)
{
	const struct object *o = x->file;

	if (o && jit_is_dump(path))
		jits_dump(&m->jits, pid, o, x->start, x->end);
	else if (o ? strncmp(path, "/memfd:", 7) : !strcmp(path, "[vsyscall]") || !strcmp(path, "[uprobes]"))
		return false;
	return jits_seen(&m->jits, pid, time);
}

/* ---- objects ---- */

struct object *maps_object(struct maps *m, const char *path, uint64_t dev, uint64_t ino, int64_t pid, uint64_t start,
			   uint64_t end)
{
	struct object **slot = &m->object[(ino * 31 + dev) % SPACES_HASH], *o;

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
/* Parses "start-end perms offset major:minor inode path". A mapping that differs from the recorded one appeared at an
 * unknown time. Anonymous memory is recorded too, because it may have replaced a file. */
static void line_read(struct maps *m, struct symbol_space *p, char *line, bool code_only)
{
	unsigned major, minor;
	struct mapping x = { 0 };
	char perms[8], *path;
	uint64_t ino;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &x.start, &x.end, perms,
		   &x.off,
		   &major, &minor, &ino, &at) < 7 || !at || (code_only && perms[2] != 'x'))
		return;
	path = line + at;
	if (*path == '/' || !strcmp(path, "[vdso]"))
		x.file = maps_object(m, path, makedev(major, minor), ino, p->pid, x.start, x.end);
	if (perms[2] == 'x')
		generated(m, p->pid, 0, path, &x);
	if (!x.file && !code_only)
		return;
	if (spaces_overlaps(p, x.start, x.end))
		x.since = clock_now();
	spaces_add(&m->spaces, p, &x);
}

void maps_read(struct maps *m, struct symbol_space *p, bool code_only)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	p->read_turn = m->turn;
	snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", p->pid);
	f = fopen(path, "re");
	m->nomem |= !f && errno == ENOMEM;
	p->err = f ? 0 : errno;
	if (!f)
		return;
	spaces_enter(&m->spaces, p, 0);
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
		struct symbol_space *p;

		if (!isdigit((unsigned char)*e->d_name))
			continue;
		p = spaces_get(&m->spaces, atoll(e->d_name), true);
		if (p)
			maps_read(m, p, true);
	}
	if (d)
		closedir(d);
}

bool maps_add(struct maps *m, int64_t pid, uint64_t time, const char *path, uint64_t dev, uint64_t ino,
	       const struct mapping *where)
{
	struct symbol_space *p = spaces_get(&m->spaces, pid, true);
	struct mapping x = *where;
	bool changes;

	if (!p)
		return false;
	x.since = time;
	if ((*path == '/' && path[1] != '/') || !strcmp(path, "[vdso]"))
		x.file = maps_object(m, path, dev, ino, pid, x.start, x.end);
	changes = generated(m, pid, time, path, &x);
	return spaces_add(&m->spaces, p, &x) || changes;
}

/* ---- queries ---- */
const struct mapping *maps_find(struct maps *m, int64_t pid, uint64_t addr, uint64_t at)
{
	struct symbol_space *p = pid > 0 ? spaces_get(&m->spaces, pid, true) : NULL;
	bool may_read = p && p->read_turn != m->turn && !p->ended;
	const struct mapping *x;

	if (may_read && !at && p->executed)
		maps_read(m, p, false);
	x = spaces_find(p, addr, at);
	if (!x && may_read && p->read_turn != m->turn) {
		maps_read(m, p, false);
		x = spaces_find(p, addr, at);
	}
	if (!x && p && (p->err == EACCES || p->err == EPERM)) {
		m->unread = p->err;
		m->unread_pid = pid;
	}
	return x && x->file ? x : NULL;
}
