/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/symbols/codes.h"
#include "engine/symbols/demangle.h"
#include "engine/symbols/jit.h"
#include "engine/symbols/kallsyms.h"
#include "engine/symbols/object.h"
#include "engine/symbols/spaces.h"

enum { NAME_BYTES = 4096 };

struct file {
	struct record_object o;
	uint32_t number;
	struct object *object;		/* opened when a symbol is needed */
	bool tried;
	int err;			/* why it exists but could not be read */
};

struct record_names {
	struct arena arena;
	VEC(struct file *) files;
	struct spaces spaces;		/* the files of mappings are struct file */
	VEC(struct record_symbol) symbols;
	bool sorted;
	bool kernel, kernel_tried;
	bool kernel_named;		/* the recording contains kernel symbols */
	int kernel_err;
	const struct file *unread;	/* a file that could not be read */
	struct kallsyms *kallsyms;
	struct jits jits;		/* code of processes of the current boot */
	struct demangler demangler;
	struct codes *codes;		/* interpreted functions; NULL: none */
	uint32_t ncodes;
	bool nomem;			/* for `codes` */
	char name[NAME_BYTES];
};

static bool files_alike(void *arg, const struct mapping *a, const struct mapping *b, uint64_t addr);

struct record_names *record_names_open(void (*oom)(void *arg), void *oom_arg)
{
	struct record_names *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	arena_init(&n->arena, oom, oom_arg);
	spaces_init(&n->spaces);
	n->spaces.alike = files_alike;
	n->spaces.arg = n;
	return n;
}

void record_names_close(struct record_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->files.n; i++)
		object_free(n->files.v[i]->object);
	spaces_close(&n->spaces);
	kallsyms_close(n->kallsyms);
	jits_close(&n->jits);
	demangler_close(&n->demangler);
	codes_close(n->codes);
	arena_free(&n->arena);
	free(n);
}

/* ---- entries of the recording ---- */
void record_names_object(struct record_names *n, const struct record_object *o)
{
	struct file *f = arena_alloc(&n->arena, sizeof *f);

	*f = (struct file){ .o = *o, .number = (uint32_t)n->files.n };
	f->o.path = arena_strdup(&n->arena, o->path);
	*VEC_ADD(&n->arena, &n->files) = f;
}

/* Stops if memory has run out. */
static void check_memory(const struct record_names *n)
{
	if ((n->spaces.nomem || n->nomem) && n->arena.oom)
		n->arena.oom(n->arena.oom_arg);
}

void record_names_function(struct record_names *n, const struct record_function *f)
{
	const struct code code = { .name = f->name, .file = f->file, .lines = (const uint8_t *)"" };

	if (!n->codes)
		n->codes = codes_open();
	n->nomem |= !n->codes || !codes_put(n->codes, ++n->ncodes, &code);
	check_memory(n);
}

bool record_names_map(struct record_names *n, const struct record_map *m)
{
	struct mapping x = { .start = m->start, .end = m->end, .off = m->off, .since = m->since };
	struct symbol_space *p = m->pid <= INT32_MAX ? spaces_get(&n->spaces, m->pid) : NULL;
	bool changed;

	if (!p || (m->object != RECORD_NO_OBJECT && m->object >= n->files.n))
		return false;
	x.file = m->object == RECORD_NO_OBJECT ? NULL : n->files.v[m->object];
	changed = spaces_add(&n->spaces, p, &x);
	check_memory(n);
	return changed;
}

void record_names_fork(struct record_names *n, uint32_t pid, uint32_t parent, uint64_t time)
{
	spaces_fork(&n->spaces, pid, parent, time);
	check_memory(n);
}

void record_names_exec(struct record_names *n, uint32_t pid, uint64_t time, bool mapped)
{
	struct symbol_space *p = spaces_get(&n->spaces, pid);

	if (p && mapped && time && spaces_begun(p, 0) == time)
		return;			/* reported twice */
	spaces_exec(&n->spaces, pid, time);
	if (p && mapped)
		spaces_enter(&n->spaces, p, time);
	check_memory(n);
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
	enum { BACK = 16 };		/* symbols may be nested */
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

static void symbol_found(struct record_names *n, const struct record_symbol *s, uint64_t start, struct symbol *out)
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
		symbol_found(n, s, s->start, out);
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

/* Opens the file if it is the mapped one: by build ID or, if none was recorded, by inode number. */
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

/* The kernel's vdso: this machine's, if the recording has its build ID. */
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

/* Opens the copy that perf record caches by build ID in the home directory: the original may have been replaced
 * since. */
static int open_cached(const struct record_object *o, const char *name)
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
		fd = open_cached(&f->o, "elf");
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

static const struct symbol_space *space_of(struct record_names *n, int64_t pid)
{
	return pid > 0 ? spaces_process(&n->spaces, pid) : NULL;
}

/* The symbol at an offset in a file, from the recording or else from the file itself (then in `room`). *distance: bytes
 * from the start of the symbol. NULL: none. */
static const char *file_symbol(struct record_names *n, struct file *f, uint64_t off, uint64_t *distance, char *room,
			       size_t size)
{
	const struct record_symbol *s = symbol_find(n, f->number + 1, off);
	struct object *o;
	bool found;

	if (s) {
		*distance = off - s->start;
		return *s->name ? s->name : NULL;
	}
	o = file_object(f);
	found = o && object_find(o, off, distance, room, size);
	if (o && o->err)
		f->err = o->err;
	return found ? room : NULL;
}

static const char *file_name(const struct file *f)
{
	const char *slash = strrchr(f->o.path, '/');

	return slash && slash[1] ? slash + 1 : f->o.path;
}

static bool files_alike(void *arg, const struct mapping *a, const struct mapping *b, uint64_t addr)
{
	struct record_names *n = arg;
	uint64_t distance[2] = { 0, 0 };
	const char *x, *y;
	char room[512];

	if (strcmp(file_name(a->file), file_name(b->file)))
		return false;
	x = file_symbol(n, a->file, addr - a->start + a->off, &distance[0], room, sizeof room);
	y = file_symbol(n, b->file, addr - b->start + b->off, &distance[1], n->name, sizeof room);
	return !x || !y ? x == y : distance[0] == distance[1] && !strcmp(x, y);
}

/* Code in no file that the recording does not name. perf-PID.map remains when its process ends, until the ID is
 * reused. */
static void find_generated(struct record_names *n, int64_t pid, uint64_t addr, struct symbol *out)
{
	struct jit_found code;

	if (!n->kernel || !jits_find(&n->jits, pid, addr, 0, &code))
		return;
	out->object = JIT_OBJECT;
	out->name = demangler_name(&n->demangler, code.name);
	out->start = out->base = code.start;
}

static void names_user(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	struct record_names *n = arg;
	const struct symbol_space *p = space_of(n, pid);
	const struct mapping *m = spaces_find(p, addr, at);
	const char *name;
	uint64_t distance;
	struct file *f;
	bool generated;

	*out = (struct symbol){ 0 };
	if (codes_is_word(addr)) {
		codes_find(n->codes, addr, out);
		return;
	}
	if (!m || !m->file) {
		find_generated(n, pid, addr, out);
		return;
	}
	f = m->file;
	out->object = file_name(f);
	out->base = spaces_base(p, m, at);
	name = file_symbol(n, f, addr - m->start + m->off, &distance, n->name, sizeof n->name);
	if (f->err)
		n->unread = f;
	generated = !strcmp(f->o.path, JIT_OBJECT);
	if (!name && generated)
		out->object = NULL;	/* as in a live session: it is not known to be code */
	if (!name)
		return;
	out->name = demangler_name(&n->demangler, name);
	out->start = addr - distance;
	if (generated)
		out->base = out->start;	/* not all of its lower addresses are code with names */
}

static void names_lack(void *arg, struct symbol_lacks *out)
{
	const struct record_names *n = arg;

	out->nomem = n->kernel_err == ENOMEM || n->jits.nomem;
	out->kernel = out->nomem ? 0 : n->kernel_err;
	out->notes = n->spaces.forgotten;
	if (n->unread) {
		out->file = n->unread->err;
		out->path = n->unread->o.path;
	}
}

static bool file_executes(const void *file)
{
	const struct file *f = file;

	return object_is_program(f->o.path);
}

static const char *names_program(void *arg, int64_t pid, uint64_t at)
{
	const struct file *f = spaces_program(space_of(arg, pid), at, file_executes);

	return f ? f->o.path : NULL;
}

static bool names_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	struct record_names *n = arg;
	const struct mapping *m = spaces_find(space_of(n, pid), addr, at);
	struct file *f = m ? m->file : NULL;

	if (!f)
		return false;
	*out = (struct symbol_code){ .object = file_object(f), .path = f->o.path, .start = m->start, .off = m->off };
	return true;
}

static uint64_t names_settle(void *arg, int64_t pid, const struct symbol_addresses *addr, uint64_t from, uint64_t at)
{
	struct record_names *n = arg;

	return spaces_settle(&n->spaces, space_of(n, pid), addr, from, at);
}

static uint64_t names_next(void *arg, int64_t pid, uint64_t at)
{
	return spaces_next(space_of(arg, pid), at);
}

static uint64_t names_changed(void *arg, int64_t pid, uint64_t at)
{
	return spaces_changed(space_of(arg, pid), at);
}

const struct symbol_ops record_symbol_ops = {
	.kernel = names_kernel, .user = names_user, .code = names_code, .lacks = names_lack,
	.settle = names_settle, .next = names_next, .changed = names_changed, .program = names_program,
};
