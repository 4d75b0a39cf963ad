/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/reserved.h"

#include <string.h>

#include "lang/func.h"
#include "lang/syntax/declare.h"

enum action reserved_action(const char *name)
{
	static const char *const names[] = {
#define ACTION(NAME, text, min, max, destructive) [ACT_##NAME] = text,
#include "lang/syntax/action.def"
#undef ACTION
	};

	for (int i = ACT_NONE + 1; i < ACT_COUNT; i++)
		if (!strcmp(names[i], name))
			return (enum action)i;
	return ACT_NONE;
}

const char *reserved_function(const char *name)
{
	if (func_find(name))
		return "function";
	if (reserved_action(name))
		return "tracing function";
	return agg_func_find(name) ? "aggregating function" : NULL;
}

const char *reserved_kind(const char *name)
{
	return builtin_named(name) ? "built-in variable" : reserved_function(name);
}
