/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/reserved.h"

#include <string.h>

#include "lang/check/actions.h"
#include "lang/func/func.h"
#include "lang/syntax/decl.h"

const char *reserved_function(const char *name)
{
	if (func_find(name))
		return "function";
	if (call_is_name(name))
		return "tracing function";
	return agg_func_find(name) ? "aggregating function" : NULL;
}

const char *reserved_kind(const char *name)
{
	return builtin_named(name) ? "built-in variable" : reserved_function(name);
}
