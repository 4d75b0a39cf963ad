/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of functions in descriptions. */
#include <string.h>

#include "providers/pid/pid.h"
#include "providers/registry.h"

bool pid_is_pattern(const char *s)
{
	return !*s || probe_is_glob(s);
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
