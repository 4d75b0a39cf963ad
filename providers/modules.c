/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/modules.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "providers/registry.h"

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libc" means libc.so.6 and libc-2.31.so. */
static bool is_short_for(const char *name, const char *file)
{
	size_t n = strlen(name);

	return !strncmp(name, file, n) && (file[n] == '.' || (file[n] == '-' && isdigit((unsigned char)file[n + 1])));
}

/* Files of other systems that Linux has under another name. */
static const struct {
	const char *there, *here;
} elsewhere[] = {
	{ "libc.so.1", "libc.so.6" }, { "libc.so.7", "libc.so.6" }, { "libsystem_c.dylib", "libc.so.6" },
	{ "libsystem_kernel.dylib", "libc.so.6" }, { "libsystem_malloc.dylib", "libc.so.6" },
	{ "libm.so.2", "libm.so.6" }, { "libm.so.5", "libm.so.6" },
};

static const char *name_here(const char *pattern)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (!strcmp(pattern, elsewhere[i].there))
			return elsewhere[i].here;
	return pattern;
}

bool module_matches(const struct probe_spec *spec, const struct program_module *m)
{
	const char *file = path_base(m->path), *pattern = name_here(spec->mod);

	if (*pattern == '/')
		return probe_glob(pattern, m->path) || (spec->path && !strcmp(spec->path, m->path));
	if (!*pattern || probe_glob(pattern, m->name) || probe_glob(pattern, file))
		return true;
	return !probe_is_glob(pattern) && is_short_for(pattern, file);
}

const char *module_real_path(struct arena *a, const char *module)
{
	char path[PATH_MAX];

	return *module == '/' && realpath(module, path) && strcmp(path, module) ? arena_strdup(a, path) : NULL;
}

const struct program_module *module_program(const struct program_module *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].program)
			return &m[i];
	return NULL;
}

/* ---- lists ---- */
static bool same_spec(const struct probe_spec *a, const struct probe_spec *b)
{
	return !strcmp(a->prov, b->prov) && !strcmp(a->mod, b->mod) && !strcmp(a->func, b->func) &&
	       !strcmp(a->name, b->name);
}

bool spec_list_has(const struct spec_list *s, const struct probe_spec *spec)
{
	for (size_t i = 0; i < s->list.n; i++)
		if (same_spec(&s->list.v[i], spec))
			return true;
	return false;
}

void spec_list_add(struct arena *a, struct spec_list *s, const struct probe_spec *spec)
{
	if (!spec_list_has(s, spec))
		*VEC_ADD(a, &s->list) = *spec;
}

bool module_list_has(const struct module_list *s, int64_t pid, const struct program_module *m)
{
	for (size_t i = 0; i < s->list.n; i++)
		if (s->list.v[i].pid == pid && s->list.v[i].file == m->file)
			return true;
	return false;
}

void module_list_add(struct arena *a, struct module_list *s, int64_t pid, const struct program_module *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (module_list_has(s, pid, &m[i]))
			continue;
		VEC_ADD(a, &s->list)->pid = pid;
		s->list.v[s->list.n - 1].file = m[i].file;
	}
}
