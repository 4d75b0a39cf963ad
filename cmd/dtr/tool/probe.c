/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/tool/probe.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 4 };

struct probe_parts {
	const char *v[PARTS];
	unsigned n;			/* PARTS + 1: more */
};

static struct probe_parts split_parts(struct arena *a, const char *text)
{
	struct probe_parts p = { .n = 0 };

	for (;; text++) {
		size_t len = strcspn(text, ":");

		if (p.n == PARTS)
			return (struct probe_parts){ .n = PARTS + 1 };
		p.v[p.n++] = arena_strndup(a, text, len);
		text += len;
		if (!*text)
			return p;
	}
}

/* True if a folder of libraries has libNAME.so. */
static bool is_library(struct arena *a, const char *name)
{
	static const char *const folders[] = { "/usr/lib/*", "/usr/lib", "/usr/lib64", "/lib", "/lib64" };
	bool found = false;

	for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
		glob_t files = { 0 };

		found = !glob(arena_printf(a, "%s/lib%s.so*", folders[i], name), GLOB_NOSORT, NULL, &files);
		globfree(&files);
	}
	return found;
}

/* The last part of the path of the file that the shell would execute, without symbolic links; NULL: none. */
static const char *program_file(struct arena *a, const char *name)
{
	const char *path = getenv("PATH");
	char real[PATH_MAX];

	for (const char *s = path ? path : ""; *s; s += strcspn(s, ":"), s += *s == ':') {
		const char *file = arena_printf(a, "%.*s/%s", (int)strcspn(s, ":"), s, name);

		if (!access(file, X_OK) && realpath(file, real))
			return arena_strdup(a, strrchr(real, '/') + 1);
	}
	return NULL;
}

/* "c" is libc, "python3" may be the program python3.11; an absolute path, or a name that can only be that of
 * a file, stays. */
static const char *module_named(struct arena *a, const char *name)
{
	const char *program;
	char real[PATH_MAX];

	if (*name != '/' && strchr(name, '/') && realpath(name, real))
		return arena_strdup(a, real);
	if (strpbrk(name, "/.*?[") || !strncmp(name, "lib", 3) || !*name)
		return name;
	if (is_library(a, name))
		return arena_printf(a, "lib%s", name);
	program = program_file(a, name);
	return program ? program : name;
}

static const char *function_at(struct arena *a, const char *module, const char *function)
{
	return *module ? arena_printf(a, "pid*:%s:%s", module_named(a, module), function) :
	       arena_printf(a, "fbt::%s", function);
}

/* Tracepoints: the category is at most the beginning of their names; those of system calls are probes of their own. */
static const char *tracepoint_named(struct arena *a, const char *category, const char *name)
{
	static const char enter[] = "sys_enter_", leave[] = "sys_exit_";

	if (!strcmp(category, "syscalls") && !strncmp(name, enter, strlen(enter)))
		return arena_printf(a, "syscall::%s:entry", name + strlen(enter));
	if (!strcmp(category, "syscalls") && !strncmp(name, leave, strlen(leave)))
		return arena_printf(a, "syscall::%s:return", name + strlen(leave));
	return *name == '*' ? arena_printf(a, "sdt:::%s_%s", category, name) : arena_printf(a, "sdt:::%s", name);
}

const char *probe_function(struct arena *a, const char *text)
{
	const struct probe_parts p = split_parts(a, text);
	const char *const *v = p.v;

	if (!*text || text[strlen(text) - 1] == ':')
		return NULL;
	if (p.n == 1)
		return function_at(a, "", v[0]);
	if (p.n == 2)
		return function_at(a, v[0], v[1]);
	if (p.n == 3 && !strcmp(v[0], "p"))
		return function_at(a, v[1], v[2]);
	return p.n == 3 && v[0][0] && v[0][1] ? text : NULL;
}

const char *probe_described(struct arena *a, const char *text)
{
	const struct probe_parts p = split_parts(a, text);
	const char *const *v = p.v, *function;

	if (p.n == 3 && !strcmp(v[0], "t") && *v[2])
		return tracepoint_named(a, v[1], v[2]);
	if (p.n == 4 && !strcmp(v[0], "u") && *v[2])
		return arena_printf(a, "%s*:%s::%s", v[2], module_named(a, v[1]), v[3]);
	if (p.n == 3 && !strcmp(v[0], "r") && *v[2])
		return arena_printf(a, "%s:return", function_at(a, v[1], v[2]));
	if (p.n == 4 && v[0][0] && v[0][1])
		return text;
	function = probe_function(a, text);
	return function ? arena_printf(a, "%s:entry", function) : NULL;
}
