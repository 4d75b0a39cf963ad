/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of files and functions in descriptions. */
#include <ctype.h>
#include <string.h>

#include "providers/pid/pid.h"
#include "providers/registry.h"

static const char *base_name(const char *path)
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

bool pid_module_matches(const char *pattern, const struct program_module *m)
{
	const char *file = base_name(m->path);

	if (!*pattern || probe_glob(pattern, m->name) || probe_glob(pattern, file))
		return true;
	return !probe_is_glob(pattern) && (!strcmp(pattern, m->path) || is_short_for(pattern, file));
}

/* As in DTrace, patterns do not match _init and _fini. */
static bool is_hidden(const struct program_function *f)
{
	return f->alias || f->part || f->resolver || !strcmp(f->name, "_init") || !strcmp(f->name, "_fini");
}

bool pid_function_matches(const char *pattern, const struct program_function *f, const char *plain)
{
	if (*pattern && !probe_is_glob(pattern))
		return !strcmp(pattern, f->name) || (plain && !strcmp(pattern, plain));
	return !is_hidden(f) && (probe_glob(pattern, f->name) || (plain && probe_glob(pattern, plain)));
}
