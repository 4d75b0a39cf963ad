/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/needed.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/elf.h"

enum { MOST = 512, NAME = 256, CACHE_MOST = 64 << 20 };

struct needed {
	const struct needed_place *place;
	uint16_t machine;
	bool is64;
	char *cache;			/* contents of ld.so.cache, NUL-terminated; NULL: none */
	size_t cache_size;
	char *name[MOST];		/* that were found or searched for */
	char *path[MOST];		/* NULL: not found */
	unsigned n;
};

/* ---- ld.so.cache ---- */
struct cache_head {
	char magic[20];
	uint32_t entries, strings;
	uint8_t flags, padding[3];
	uint32_t extension, unused[3];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path, version;
	uint64_t hwcap;
};

static void cache_read(struct needed *w)
{
	char path[PATH_MAX];
	long size;
	FILE *f;

	snprintf(path, sizeof path, "%s/etc/ld.so.cache", w->place->root);
	f = fopen(path, "re");
	size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;

	if (size > 0 && size <= CACHE_MOST && !fseek(f, 0, SEEK_SET) && (w->cache = calloc(1, (size_t)size + 1)))
		w->cache_size = fread(w->cache, 1, (size_t)size, f);
	if (f)
		fclose(f);
}

/* NULL: there is none. Libraries for certain processors are left out. */
static const char *cache_find(const struct needed *w, const char *name, unsigned *i)
{
	struct cache_head h;
	struct cache_entry e;

	if (w->cache_size < sizeof h)
		return NULL;
	memcpy(&h, w->cache, sizeof h);
	if (memcmp(h.magic, "glibc-ld.so.cache1.1", sizeof h.magic) ||
	    h.entries > (w->cache_size - sizeof h) / sizeof e)
		return NULL;
	while (*i < h.entries) {
		memcpy(&e, w->cache + sizeof h + (*i)++ * sizeof e, sizeof e);
		if (e.name < w->cache_size && e.path < w->cache_size && !e.hwcap &&
		    !strcmp(w->cache + e.name, name))
			return w->cache + e.path;
	}
	return NULL;
}

/* ---- search ---- */
/* path: absolute. */
static bool image_open(const struct needed *w, struct elf *e, const char *path)
{
	char full[2 * PATH_MAX];
	int ignored = 0;

	snprintf(full, sizeof full, "%s%s", w->place->root, path);
	return elf_open_fd(e, open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), &ignored);
}

/* A path as an absolute one. NULL: no memory. */
static char *path_absolute(const struct needed *w, const char *path)
{
	char *full;

	if (*path == '/')
		return strdup(path);
	return asprintf(&full, "%s/%s", w->place->directory, path) < 0 ? NULL : full;
}

/* True if the file is a library for the program. Stores its absolute path in *out. */
static bool library_usable(const struct needed *w, const char *path, char **out)
{
	char *full = path_absolute(w, path);
	struct elf e = { .is64 = false };
	bool opened = full && image_open(w, &e, full), same = opened && e.machine == w->machine && e.is64 == w->is64;

	if (opened)
		elf_close(&e);
	if (same)
		*out = full;
	else
		free(full);
	return same;
}

/* Copies a directory of a search path; $ORIGIN and ${ORIGIN} at its beginning are the directory of the file that has
 * this path. */
static void directory_copy(char *out, size_t n, const char *dir, size_t len, const char *file)
{
	static const char *const names[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(file, '/');

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t m = strlen(names[i]);

		if (len >= m && !strncmp(dir, names[i], m)) {
			snprintf(out, n, "%.*s%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".",
				 (int)(len - m), dir + m);
			return;
		}
	}
	snprintf(out, n, "%.*s", (int)len, dir);
}

/* Searches a list of directories, separated by colons; an empty one is the working directory. */
static bool path_search(const struct needed *w, const char *list, const char *file, const char *name, char **out)
{
	char dir[PATH_MAX], path[PATH_MAX + NAME];
	size_t n;

	for (const char *p = list && *list ? list : NULL; p; p = p[n] ? p + n + 1 : NULL) {
		n = strcspn(p, ":");
		directory_copy(dir, sizeof dir, p, n, file);
		snprintf(path, sizeof path, "%s/%s", *dir ? dir : ".", name);
		if (library_usable(w, path, out))
			return true;
	}
	return false;
}

static bool library_search(const struct needed *w, const char *file, const char *runpath, const char *name, char **out)
{
	const char *path;
	unsigned i = 0;

	if (strchr(name, '/'))
		return library_usable(w, name, out);
	if (path_search(w, w->place->library_path, file, name, out) || path_search(w, runpath, file, name, out))
		return true;
	while ((path = cache_find(w, name, &i)))
		if (library_usable(w, path, out))
			return true;
	return path_search(w, "/lib64:/usr/lib64:/lib:/usr/lib", file, name, out);
}

static void library_add(struct needed *w, const char *file, const char *runpath, const char *name)
{
	for (unsigned i = 0; i < w->n; i++)
		if (!strcmp(w->name[i], name))
			return;
	if (w->n == MOST || !(w->name[w->n] = strdup(name)))
		return;
	w->path[w->n] = NULL;
	library_search(w, file, runpath, name, &w->path[w->n]);
	w->n++;
}

/* ---- the dynamic section ---- */
static void libraries_of(struct needed *w, const char *file)
{
	const struct elf_section *d, *strings;
	char runpath[PATH_MAX] = "", name[NAME];
	struct elf e;
	uint64_t value;
	int64_t tag;

	if (!image_open(w, &e, file))
		return;
	d = elf_section_typed(&e, SHT_DYNAMIC);
	strings = d && d->link < e.nsections ? &e.sections[d->link] : NULL;
	for (unsigned i = 0; strings && elf_dynamic(&e, d, i, &tag, &value); i++)
		if (tag == DT_RUNPATH || (tag == DT_RPATH && !*runpath))
			elf_string(&e, strings->off + value, runpath, sizeof runpath);
	for (unsigned i = 0; strings && elf_dynamic(&e, d, i, &tag, &value); i++)
		if (tag == DT_NEEDED && elf_string(&e, strings->off + value, name, sizeof name))
			library_add(w, file, runpath, name);
	elf_close(&e);
}

void needed_each(const struct needed_place *place, const char *program, void (*fn)(void *arg, const char *path),
		 void *arg)
{
	struct needed w = { .place = place };
	char *path = path_absolute(&w, program);
	struct elf e;

	if (!path || !image_open(&w, &e, path)) {
		free(path);
		return;
	}
	w.machine = e.machine;
	w.is64 = e.is64;
	elf_close(&e);
	cache_read(&w);
	libraries_of(&w, path);
	for (unsigned i = 0; i < w.n; i++) {
		if (!w.path[i])
			continue;
		fn(arg, w.path[i]);
		libraries_of(&w, w.path[i]);
	}
	for (unsigned i = 0; i < w.n; i++) {
		free(w.path[i]);
		free(w.name[i]);
	}
	free(w.cache);
	free(path);
}
