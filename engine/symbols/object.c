/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/object.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "engine/symbols/debugfile.h"
#include "engine/symbols/gotab.h"

static const char deleted[] = " (deleted)";

bool object_rename(struct object *o, const char *path)
{
	size_t len = strlen(path), tail = sizeof deleted - 1;
	const char *slash;
	char *copy;

	if (len > tail && !strcmp(path + len - tail, deleted))
		len -= tail;
	copy = strndup(path, len);
	if (!copy)
		return false;
	free(o->path);
	o->path = copy;
	slash = strrchr(copy, '/');
	o->name = slash && slash[1] ? slash + 1 : copy;
	return true;
}

struct object *object_new(const char *path, uint64_t dev, uint64_t ino)
{
	struct object *o = calloc(1, sizeof *o);

	if (!o || !object_rename(o, path)) {
		free(o);
		return NULL;
	}
	o->dev = dev;
	o->ino = ino;
	o->fd = o->elf.fd = o->debug.fd = o->mini.fd = -1;
	return o;
}

bool object_is_program(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strstr(slash, ".so");
}

void object_release(struct object *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

void object_free(struct object *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < o->ntables; i++)
		symtab_close(&o->table[i]);
	seen_free(&o->seen);
	elf_close(&o->elf);
	elf_close(&o->debug);
	elf_close(&o->mini);
	object_release(o);
	free(o->path);
	free(o);
}

/* Layered file systems report device numbers other than those in /proc/PID/maps. */
static bool is_layered(int fd)
{
	struct statfs f;

	return !fstatfs(fd, &f) && (f.f_type == OVERLAYFS_SUPER_MAGIC || f.f_type == BTRFS_SUPER_MAGIC ||
				    f.f_type == V9FS_MAGIC);
}

bool object_layered(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool layered = fd >= 0 && is_layered(fd);

	if (fd >= 0)
		close(fd);
	return layered;
}

/* Opens the file only if it is still the same one; ENOENT if the name belongs to another file now. */
static int open_same(const struct object *o, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st)) {
		if (S_ISREG(st.st_mode) && (st.st_ino == o->ino || is_layered(fd)))
			return fd;
		errno = ENOENT;
	}
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

int object_open(const struct object *o, int64_t pid, uint64_t start, uint64_t end)
{
	char path[4200];
	int fd = -1;

	if (*o->path != '/') {
		errno = ENOENT;
		return -1;
	}
	if (pid > 0) {
		snprintf(path, sizeof path, "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
		fd = open_same(o, path);
	}
	if (fd < 0 && pid > 0) {
		snprintf(path, sizeof path, "/proc/%" PRId64 "/root%s", pid, o->path);
		fd = open_same(o, path);
	}
	return fd < 0 ? open_same(o, o->path) : fd;
}

unsigned object_build_id(struct object *o, int64_t pid, uint64_t start, uint64_t end, const uint8_t **id)
{
	struct elf e;
	int fd;

	*id = o->id;
	if (o->id_read)
		return o->idlen;
	o->id_read = true;
	if (o->read) {
		o->idlen = o->usable ? elf_build_id(&o->elf, o->id) : 0;
		return o->idlen;
	}
	fd = o->fd >= 0 ? fcntl(o->fd, F_DUPFD_CLOEXEC, 0) : object_open(o, pid, start, end);
	if (fd >= 0 && elf_open_fd(&e, fd, &o->err)) {
		o->idlen = elf_build_id(&e, o->id);
		elf_close(&e);
	}
	return o->idlen;
}

void object_memory(struct object *o, const void *mem, size_t size)
{
	o->read = o->named = o->debug_tried = true;
	o->usable = elf_open_mem(&o->elf, mem, size);
	if (o->usable && symtab_open(&o->table[0], &o->elf, SHT_DYNSYM))
		o->ntables = 1;
}

/* The vdso is the same in all processes of this machine's word size. */
void object_vdso(struct object *o)
{
	const void *at = (const void *)getauxval(AT_SYSINFO_EHDR);
	FILE *f = at ? fopen("/proc/self/maps", "re") : NULL;
	char line[512];
	uint64_t start, end;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && start == (uintptr_t)at)
			object_memory(o, at, (size_t)(end - start));
	if (f)
		fclose(f);
}

static bool table_add(struct object *o, const struct elf *e, uint32_t type)
{
	bool opened = symtab_open(&o->table[o->ntables], e, type);

	o->nomem |= o->table[o->ntables].nomem;
	if (!opened)
		return false;
	o->ntables++;
	return true;
}

const struct elf *object_image(struct object *o)
{
	int fd;

	if (o->read)
		return o->usable ? &o->elf : NULL;
	fd = o->fd >= 0 ? o->fd : object_open(o, 0, 0, 0);
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ESRCH)	/* a removed file is no error */
		o->err = errno;
	o->read = true;
	o->fd = -1;
	o->usable = elf_open_fd(&o->elf, fd, &o->err);
	return o->usable ? &o->elf : NULL;
}

const struct elf *object_debug(struct object *o)
{
	if (!o->debug_tried && object_image(o))
		debugfile_find(&o->debug, &o->elf, o->path);
	o->debug_tried = true;
	return o->debug.fd >= 0 ? &o->debug : NULL;
}

static void names_read(struct object *o)
{
	o->named = true;
	if (!object_image(o) || table_add(o, &o->elf, SHT_SYMTAB))
		return;
	if (object_debug(o) && table_add(o, &o->debug, SHT_SYMTAB))
		return;
	table_add(o, &o->elf, SHT_DYNSYM);
	if (debugfile_embedded(&o->mini, &o->elf) || gotab_symbols(&o->mini, &o->elf))
		table_add(o, &o->mini, SHT_SYMTAB);
}

unsigned object_tables(struct object *o)
{
	if (!o->named) {
		names_read(o);
		o->nomem |= o->elf.nomem || o->debug.nomem || o->mini.nomem;
	}
	return o->ntables;
}

void object_use_debug(struct object *o, int fd)
{
	int copy, err;

	if (object_debug(o) || object_tables(o) == OBJECT_TABLES)
		return;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 && elf_open_fd(&o->debug, copy, &err))
		table_add(o, &o->debug, SHT_SYMTAB);
	o->nomem |= o->debug.nomem;
}

static bool tables_search(struct object *o, uint64_t vaddr, uint64_t *distance, char *name, size_t n)
{
	uint64_t start;

	for (unsigned i = 0; i < o->ntables; i++) {
		if (!symtab_find(&o->table[i], vaddr, &start, name, n))
			continue;
		*distance = vaddr - start;
		return true;
	}
	return false;
}

/* A name that fills name[n] may be cut: it is not kept. */
bool object_find(struct object *o, uint64_t off, uint64_t *distance, char *name, size_t n)
{
	const struct seen_symbol *e;
	uint64_t vaddr;
	bool found;

	object_tables(o);
	if (!o->usable || !elf_vaddr(&o->elf, off, &vaddr))
		return false;
	e = seen_get(&o->seen, vaddr);
	if (e && (!e->name || strlen(e->name) < n)) {
		*distance = e->distance;
		snprintf(name, n, "%s", e->name ? e->name : "");
		return e->name;
	}
	found = tables_search(o, vaddr, distance, name, n);
	if (!found || strlen(name) + 1 < n)
		seen_put(&o->seen, vaddr, found ? *distance : 0, found ? name : NULL);
	return found;
}
