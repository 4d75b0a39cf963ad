/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reserved names: built-in variables, functions, actions.
 * Ownership: nothing is allocated. Errors: none.
 */
#ifndef LANG_SYNTAX_RESERVED_H
#define LANG_SYNTAX_RESERVED_H

#include "lang/syntax/ast.h"

/* The action with this name; ACT_NONE: it is none. */
enum action reserved_action(const char *name);
/* The kind of a name: "function", "tracing function", "aggregating function". NULL: none of these. */
const char *reserved_function(const char *name);
/* Like reserved_function, but also "built-in variable". */
const char *reserved_kind(const char *name);

#endif
