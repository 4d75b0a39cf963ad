/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/record/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/map.h"
#include "engine/symbols/demangle.h"
#include "engine/symbols/kallsyms.h"
#include "engine/symbols/object.h"

enum { NAME_BYTES = 4096, FORKS_MAX = 64 };

struct file {
	struct record_object o;
	struct object *object;		/* opened when a name is wanted */
	bool tried;
	int err;			/* why it could not be read, though it is there */
};

/* What a process has mapped, the newest last; before that its parent's. */
struct space {
	VEC(struct record_map) maps;
	struct space *parent;
	size_t nparent;			/* so many of its maps were there then */
	unsigned depth;
};

struct record_names {
	struct arena arena;
	VEC(struct file) files;
	struct map spaces;		/* by process ID */
	VEC(struct record_symbol) symbols;
	bool sorted;
	bool kernel, kernel_tried;
	bool kernel_named;		/* the recording names addresses of the kernel */
	int kernel_err;
	const struct file *unread;	/* one that could not be read */
	struct kallsyms *kallsyms;
	struct demangler demangler;
	char name[NAME_BYTES];
};

struct record_names *record_names_open(void (*oom)(void *arg), void *oom_arg)
{
	struct record_names *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	arena_init(&n->arena, oom, oom_arg);
	map_init(&n->spaces, &n->arena);
	return n;
}

void record_names_close(struct record_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->files.n; i++)
		object_free(n->files.v[i].object);
	kallsyms_close(n->kallsyms);
	demangler_close(&n->demangler);
	arena_free(&n->arena);
	free(n);
}

/* ---- what is told ---- */
void record_names_object(struct record_names *n, const struct record_object *o)
{
	struct file *f = VEC_ADD(&n->arena, &n->files);

	*f = (struct file){ .o = *o };
	f->o.path = arena_strdup(&n->arena, o->path);
}

static struct space *space_of(struct record_names *n, uint32_t pid, bool make)
{
	void **p = make ? map_put(&n->spaces, &pid, sizeof pid) : map_find(&n->spaces, &pid, sizeof pid);

	if (p && !*p && make)
		*p = arena_alloc(&n->arena, sizeof(struct space));
	return p ? *p : NULL;
}

void record_names_map(struct record_names *n, const struct record_map *m)
{
	if (m->object < n->files.n)
		*VEC_ADD(&n->arena, &space_of(n, m->pid, true)->maps) = *m;
}

void record_names_fork(struct record_names *n, uint32_t pid, uint32_t parent)
{
	struct space *from = space_of(n, parent, false), *s;

	if (pid == parent || !from || from->depth >= FORKS_MAX)
		return;
	/* A process ID that is used again: what the former process had is forgotten. */
	s = arena_alloc(&n->arena, sizeof *s);
	*s = (struct space){ .parent = from, .nparent = from->maps.n, .depth = from->depth + 1 };
	*map_put(&n->spaces, &pid, sizeof pid) = s;
}

void record_names_symbol(void *arg, const struct record_symbol *s)
{
	struct record_names *n = arg;

	*VEC_ADD(&n->arena, &n->symbols) = *s;
	n->kernel_named |= !s->object;
	n->sorted = false;
}

void record_names_kernel(struct record_names *n)
{
	n->kernel = true;
}

/* ---- symbols of the recording ---- */
static int symbol_order(const void *x, const void *y)
{
	const struct record_symbol *a = x, *b = y;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->last < b->last ? -1 : a->last > b->last;
}

static const struct record_symbol *symbol_find(struct record_names *n, uint32_t object, uint64_t addr)
{
	enum { BACK = 16 };		/* symbols may lie within others */
	size_t lo = 0, hi = n->symbols.n;

	if (!n->sorted && n->symbols.n)
		qsort(n->symbols.v, n->symbols.n, sizeof *n->symbols.v, symbol_order);
	n->sorted = true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct record_symbol *s = &n->symbols.v[mid];

		if (s->object < object || (s->object == object && s->start <= addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0 && lo - i <= BACK && n->symbols.v[i].object == object;)
		if (addr <= n->symbols.v[i].last)
			return &n->symbols.v[i];
	return NULL;
}

static void found(struct record_names *n, const struct record_symbol *s, uint64_t start, struct symbol *out)
{
	out->name = *s->name ? demangler_name(&n->demangler, s->name) : NULL;
	out->start = start;
}

/* ---- the kernel ---- */
static void names_kernel(void *arg, uint64_t addr, struct symbol *out)
{
	struct record_names *n = arg;
	const struct record_symbol *s = symbol_find(n, 0, addr);

	*out = (struct symbol){ 0 };
	if (s) {
		out->object = *s->module ? s->module : NULL;
		out->base = s->base;
		found(n, s, s->start, out);
		return;
	}
	if (!n->kernel) {
		n->kernel_err = n->kernel_named ? 0 : ESTALE;
		return;
	}
	if (!n->kernel_tried)
		n->kallsyms = kallsyms_open("/proc/kallsyms", &n->kernel_err);
	n->kernel_tried = true;
	if (n->kallsyms)
		kallsyms_find(n->kallsyms, addr, out);
}

/* ---- files ---- */

/* Is this the file that was mapped? By its build ID; where none was recorded by its number. */
static int open_same(const struct record_object *o, const char *path)
{
	uint8_t id[ELF_BUILDID];
	struct stat st;
	struct elf e;
	int fd = -1, copy;
	bool same;

	errno = ENOENT;
	if (*path == '/')
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	copy = dup(fd);
	same = copy >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && elf_open_fd(&e, copy, NULL);
	if (same) {
		unsigned len = elf_build_id(&e, id);

		same = o->idlen ? len == o->idlen && !memcmp(id, o->id, len) : st.st_ino == o->ino;
		elf_close(&e);
	}
	if (same)
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* The kernel's image in processes: ours, if the recording has its build ID. */
static struct object *vdso_object(const struct record_object *r)
{
	struct object *o = object_new(r->path, r->dev, r->ino);
	const uint8_t *id;

	if (!o)
		return NULL;
	object_vdso(o);
	if (r->idlen && object_build_id(o, 0, 0, 0, &id) == r->idlen && !memcmp(id, r->id, r->idlen))
		return o;
	object_free(o);
	return NULL;
}

/* perf record keeps what it has seen, by build ID, in the user's home: the file may have been replaced since. */
static int open_kept(const struct record_object *o, const char *name)
{
	const char *home = getenv("HOME");
	char path[4096], id[2 * RECORD_BUILD_ID + 1];

	if (!home || o->idlen < 2)
		return -1;
	for (uint32_t i = 0; i < o->idlen; i++)
		snprintf(id + 2 * i, 3, "%02x", o->id[i]);
	if (snprintf(path, sizeof path, "%s/.debug/.build-id/%.2s/%s/%s", home, id, id + 2, name) >= (int)sizeof path)
		return -1;
	return open_same(o, path);
}

static struct object *file_object(struct file *f)
{
	int fd, err;

	if (f->tried)
		return f->object;
	f->tried = true;
	if (!strcmp(f->o.path, "[vdso]"))
		return f->object = vdso_object(&f->o);
	fd = open_same(&f->o, f->o.path);
	err = errno;
	if (fd < 0)
		fd = open_kept(&f->o, "elf");
	if (fd < 0) {
		f->err = err == EACCES || err == EPERM ? err : 0;
		return NULL;
	}
	f->object = object_new(f->o.path, f->o.dev, f->o.ino);
	if (f->object)
		f->object->fd = fd;
	else
		close(fd);
	return f->object;
}

/* The newest one that is not younger than `at`, or the one that comes soonest behind it. */
static const struct record_map *map_at(const struct space *s, uint64_t addr, uint64_t at)
{
	const struct record_map *soonest = NULL;
	size_t n = s ? s->maps.n : 0;

	for (; s; n = s->nparent, s = s->parent) {
		for (size_t i = n; i-- > 0;) {
			const struct record_map *m = &s->maps.v[i];

			if (addr < m->start || addr >= m->end)
				continue;
			if (!at || m->since <= at)
				return m;
			soonest = m;
		}
	}
	return soonest;
}

static uint64_t lowest(const struct space *s, uint32_t object, uint64_t base)
{
	for (; s; s = s->parent)
		for (size_t i = 0; i < s->maps.n; i++)
			if (s->maps.v[i].object == object && s->maps.v[i].start < base)
				base = s->maps.v[i].start;
	return base;
}

static void file_name(struct record_names *n, struct file *f, uint64_t addr, uint64_t off, struct symbol *out)
{
	struct object *o = file_object(f);
	uint64_t behind;

	if (o && object_find(o, off, &behind, n->name, sizeof n->name)) {
		out->name = demangler_name(&n->demangler, n->name);
		out->start = addr - behind;
	}
	if (o && o->err)
		f->err = o->err;
	if (f->err)
		n->unread = f;
}

static void names_user(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	struct record_names *n = arg;
	const struct space *space = pid > 0 && pid <= INT32_MAX ? space_of(n, (uint32_t)pid, false) : NULL;
	const struct record_map *m = map_at(space, addr, at);
	const struct record_symbol *s;
	const char *slash;
	struct file *f;
	uint64_t off;

	*out = (struct symbol){ 0 };
	if (!m)
		return;
	f = &n->files.v[m->object];
	slash = strrchr(f->o.path, '/');
	out->object = slash && slash[1] ? slash + 1 : f->o.path;
	out->base = lowest(space, m->object, m->start);
	off = addr - m->start + m->off;
	s = symbol_find(n, m->object + 1, off);
	if (s) {
		found(n, s, addr - (off - s->start), out);
		return;
	}
	file_name(n, f, addr, off, out);
}

static void names_lack(void *arg, struct symbol_lacks *out)
{
	const struct record_names *n = arg;

	out->nomem = n->kernel_err == ENOMEM;
	out->kernel = out->nomem ? 0 : n->kernel_err;
	if (n->unread) {
		out->file = n->unread->err;
		out->path = n->unread->o.path;
	}
}

static bool names_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	struct record_names *n = arg;
	const struct space *space = pid > 0 && pid <= INT32_MAX ? space_of(n, (uint32_t)pid, false) : NULL;
	const struct record_map *m = map_at(space, addr, at);

	if (!m)
		return false;
	*out = (struct symbol_code){ .object = file_object(&n->files.v[m->object]), .path = n->files.v[m->object].o.path,
				      .start = m->start, .off = m->off };
	return true;
}

const struct symbol_ops record_symbol_ops = { .kernel = names_kernel, .user = names_user, .code = names_code,
					     .lacks = names_lack };
