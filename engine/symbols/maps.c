/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/symbols/needed.h"

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
	m->turn = m->jits.turn = 1;
}

void maps_close(struct maps *m)
{
	spaces_close(&m->spaces);
	jits_close(&m->jits);
	for (unsigned i = 0; m->object && i < SPACES_HASH; i++) {
		while (m->object[i]) {
			struct object *o = m->object[i];

			m->object[i] = o->next;
			object_free(o);
		}
	}
	free(m->object);
	m->object = NULL;
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
	jits_forked(&m->jits, pid, parent);
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
static bool note_generated(struct maps *m, int64_t pid, uint64_t time, const char *path, const struct mapping *x)
{
	const struct object *o = x->file;

	if (o && jit_is_dump(path))
		jits_dump(&m->jits, pid, o, x->start, x->end);
	else if (o ? strncmp(path, "/memfd:", 7) : !strcmp(path, "[vsyscall]") || !strcmp(path, "[uprobes]"))
		return false;
	return jits_seen(&m->jits, pid, x->start, x->end, time);
}

/* ---- objects ---- */

/* Opens the file in case it is removed; closes the one that has waited longest to be read. */
static void object_hold(struct maps *m, struct object *o, int64_t pid, uint64_t start, uint64_t end)
{
	struct object **slot = &m->open[m->nopened % MAPS_OPEN];

	o->fd = object_open(o, pid, start, end);
	if (o->fd < 0)
		return;
	if (*slot)
		object_release(*slot);
	*slot = o;
	m->nopened++;
}

struct object *maps_object(struct maps *m, const struct maps_file *f, int64_t pid, uint64_t start, uint64_t end)
{
	struct object **slot, *o;

	if (!m->object)
		m->object = calloc(SPACES_HASH, sizeof *m->object);
	m->nomem |= !m->object;
	if (!m->object)
		return NULL;
	slot = &m->object[(f->ino * 31 + f->dev) % SPACES_HASH];
	for (o = *slot; o; o = o->next) {
		bool same = f->ino && (o->expected || object_is_open(o));

		if (o->ino != f->ino || o->dev != f->dev || (!same && strcmp(o->path, f->path)))
			continue;
		if (o->expected && end)
			m->nomem |= !object_rename(o, f->path);
		o->expected &= !end;
		return o;
	}
	o = object_new(f->path, f->dev, f->ino);
	m->nomem |= !o;
	if (!o)
		return NULL;
	o->expected = !end;
	if (!strcmp(f->path, "[vdso]"))
		object_vdso(o);
	else
		object_hold(m, o, pid, start, end);
	o->next = *slot;
	return *slot = o;
}

/* ---- /proc ---- */
/* "start-end perms offset major:minor inode path" */
static bool line_parse(char *line, struct maps_line *out)
{
	unsigned major, minor;
	char perms[8];
	int at = 0;

	*out = (struct maps_line){ .code = false };
	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &out->at.start, &out->at.end,
		   perms, &out->at.off, &major, &minor, &out->file.ino, &at) < 7 || !at)
		return false;
	out->file.path = line + at;
	out->file.dev = makedev(major, minor);
	out->code = perms[2] == 'x';
	out->in_file = line[at] == '/' || !strcmp(line + at, "[vdso]");
	return true;
}

typedef void line_fn(struct maps *m, int64_t pid, struct maps_line *l, void *arg);

/* Calls fn for each line. Returns 0 or the errno of opening the file. */
static int lines_read(struct maps *m, int64_t pid, line_fn *fn, void *arg)
{
	char path[64], *line = NULL;
	struct maps_line l;
	size_t room = 0;
	FILE *f;
	int err;

	snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", pid);
	f = fopen(path, "re");
	err = errno;
	m->nomem |= !f && err == ENOMEM;
	if (!f)
		return err;
	while (getline(&line, &room, f) > 0)
		if (line_parse(line, &l))
			fn(m, pid, &l, arg);
	m->nomem |= !line;
	free(line);
	fclose(f);
	return 0;
}

/* Which mappings are read. */
enum maps_wanted { WANT_ALL, WANT_CODE };

struct lines_wanted {
	struct symbol_space *space;
	enum maps_wanted which;
	bool entered;
};

/* A mapping that differs from the recorded one appeared at an unknown time. Anonymous memory is recorded too, because
 * it may have replaced a file. */
static void line_record(struct maps *m, int64_t pid, struct maps_line *l, void *arg)
{
	struct lines_wanted *w = arg;
	struct mapping x = l->at;

	x.data = !l->code;
	if (!w->entered)
		spaces_enter(&m->spaces, w->space, 0);
	w->entered = true;
	if (w->which == WANT_CODE && !l->code)
		return;
	if (l->in_file)
		x.file = maps_object(m, &l->file, pid, x.start, x.end);
	if (l->code)
		note_generated(m, pid, 0, l->file.path, &x);
	if (!x.file && w->which == WANT_ALL)
		return;
	if (spaces_overlaps(w->space, x.start, x.end))
		x.since = clock_now();
	spaces_add(&m->spaces, w->space, &x);
}

static void maps_read(struct maps *m, struct symbol_space *p, enum maps_wanted which)
{
	struct lines_wanted w = { .space = p, .which = which };

	p->read_turn = m->turn;
	p->err = lines_read(m, p->pid, line_record, &w);
	if (!p->err && !w.entered)
		spaces_enter(&m->spaces, p, 0);
}

struct lines_given {
	void (*fn)(void *arg, const struct mapping *x);
	void *arg;
};

static void line_give(struct maps *m, int64_t pid, struct maps_line *l, void *arg)
{
	const struct lines_given *g = arg;
	struct mapping x = l->at;

	if (!l->code)
		return;
	if (l->in_file)
		x.file = maps_object(m, &l->file, pid, x.start, x.end);
	else
		note_generated(m, pid, 0, l->file.path, &x);
	if (x.file)
		g->fn(g->arg, &x);
}

int maps_code(struct maps *m, int64_t pid, void (*fn)(void *arg, const struct mapping *x), void *arg)
{
	struct lines_given g = { fn, arg };

	return -lines_read(m, pid, line_give, &g);
}

struct line_wanted {
	uint64_t addr;
	struct mapping *out;
	bool found;
};

static void line_pick(struct maps *m, int64_t pid, struct maps_line *l, void *arg)
{
	struct line_wanted *w = arg;

	if (!l->code || *l->file.path != '/' || w->addr < l->at.start || w->addr >= l->at.end)
		return;
	*w->out = l->at;
	w->out->file = maps_object(m, &l->file, pid, l->at.start, l->at.end);
	w->found = w->out->file != NULL;
}

bool maps_at(struct maps *m, int64_t pid, uint64_t addr, struct mapping *x)
{
	struct line_wanted w = { addr, x, false };

	lines_read(m, pid, line_pick, &w);
	return w.found;
}

struct regions_read {
	void (*fn)(void *arg, uint64_t start, uint64_t end, uint64_t ino);
	void *arg;
};

static void line_region(struct maps *m, int64_t pid, struct maps_line *l, void *arg)
{
	const struct regions_read *g = arg;

	(void)m, (void)pid;
	if (l->code && *l->file.path == '/')
		g->fn(g->arg, l->at.start, l->at.end, l->file.ino);
}

int maps_regions(int64_t pid, void (*fn)(void *arg, uint64_t start, uint64_t end, uint64_t ino), void *arg)
{
	struct regions_read g = { fn, arg };
	struct maps none = { .nomem = false };

	return -lines_read(&none, pid, line_region, &g);
}

struct lines_each {
	void (*fn)(void *arg, const struct maps_line *l);
	void *arg;
};

static void line_pass(struct maps *m, int64_t pid, struct maps_line *l, void *arg)
{
	const struct lines_each *e = arg;

	(void)m, (void)pid;
	e->fn(e->arg, l);
}

int maps_lines(int64_t pid, void (*fn)(void *arg, const struct maps_line *l), void *arg)
{
	struct lines_each e = { fn, arg };
	struct maps none = { .nomem = false };

	return -lines_read(&none, pid, line_pass, &e);
}

/* ---- libraries of a program that has not run yet ---- */
enum { EXECUTED = 3 };			/* mapped by the kernel: the program, its loader, the vdso */

static void mapping_count(void *arg, const struct mapping *x)
{
	(void)x;
	++*(unsigned *)arg;
}

struct libraries_wanted {
	struct maps *maps;
	int64_t pid;
	const struct needed_place *place;
	void (*fn)(void *arg, struct object *o);
	void *arg;
};

/* On layered file systems, a file cannot be found by its device number. */
static void library_give(void *arg, const char *path)
{
	const struct libraries_wanted *w = arg;
	char full[2 * PATH_MAX];
	struct object *o;
	struct stat st;

	snprintf(full, sizeof full, "%s%s", w->place->root, path);
	if (stat(full, &st) || object_layered(full))
		return;
	o = maps_object(w->maps, &(struct maps_file){ path, st.st_dev, st.st_ino }, w->pid, 0, 0);
	if (o)
		w->fn(w->arg, o);
}

/* Reads a link in /proc/PID. Returns false if it cannot be read. */
static bool proc_link(int64_t pid, const char *name, char out[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%" PRId64 "/%s", pid, name);
	n = readlink(link, out, PATH_MAX - 1);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The value of a variable in a process's environment. NULL: it has none. */
static char *proc_variable(int64_t pid, const char *name)
{
	char path[64], *entry = NULL, *value = NULL;
	size_t room = 0, n = strlen(name);
	FILE *f;

	snprintf(path, sizeof path, "/proc/%" PRId64 "/environ", pid);
	f = fopen(path, "re");
	while (f && !value && getdelim(&entry, &room, '\0', f) > 0)
		if (!strncmp(entry, name, n) && entry[n] == '=')
			value = strdup(entry + n + 1);
	free(entry);
	if (f)
		fclose(f);
	return value;
}

void maps_needed(struct maps *m, int64_t pid, void (*fn)(void *arg, struct object *o), void *arg)
{
	char root[64], directory[PATH_MAX], program[PATH_MAX], *library_path;
	struct needed_place place = { .root = root, .directory = directory };
	struct libraries_wanted w = { m, pid, &place, fn, arg };
	unsigned mapped = 0;

	snprintf(root, sizeof root, "/proc/%" PRId64 "/root", pid);
	if (!proc_link(pid, "exe", program) || !proc_link(pid, "cwd", directory) ||
	    maps_code(m, pid, mapping_count, &mapped) || mapped > EXECUTED)
		return;
	place.library_path = library_path = proc_variable(pid, "LD_LIBRARY_PATH");
	needed_each(&place, program, library_give, &w);
	free(library_path);
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
		p = spaces_get(&m->spaces, atoll(e->d_name));
		if (p)
			maps_read(m, p, WANT_CODE);
	}
	if (d)
		closedir(d);
}

bool maps_add(struct maps *m, int64_t pid, uint64_t time, const struct maps_file *f, const struct mapping *where)
{
	struct symbol_space *p = spaces_get(&m->spaces, pid);
	struct mapping x = *where;
	bool changes;

	if (!p)
		return false;
	x.since = time;
	if ((f->path[0] == '/' && f->path[1] != '/') || !strcmp(f->path, "[vdso]"))
		x.file = maps_object(m, f, pid, x.start, x.end);
	changes = note_generated(m, pid, time, f->path, &x);
	return spaces_add(&m->spaces, p, &x) || changes;
}

/* ---- queries ---- */
const struct mapping *maps_find(struct maps *m, int64_t pid, uint64_t addr, uint64_t at)
{
	struct symbol_space *p = pid > 0 ? spaces_get(&m->spaces, pid) : NULL;
	bool may_read = p && p->read_turn != m->turn && !p->ended;
	const struct mapping *x;

	if (may_read && !at && p->executed)
		maps_read(m, p, WANT_ALL);
	x = spaces_find(p, addr, at);
	if (!x && may_read && p->read_turn != m->turn) {
		maps_read(m, p, WANT_ALL);
		x = spaces_find(p, addr, at);
	}
	if (!x && p && (p->err == EACCES || p->err == EPERM)) {
		m->unread = p->err;
		m->unread_pid = pid;
	}
	return x && x->file ? x : NULL;
}
