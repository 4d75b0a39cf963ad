/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reserved names: built-in variables, functions, actions.
 * Ownership: nothing is allocated. Errors: none.
 */
#ifndef LANG_RESERVED_H
#define LANG_RESERVED_H

/* What the name is: "function", "tracing function", "aggregating function". NULL: none of them. */
const char *reserved_function(const char *name);
/* The same, and "built-in variable". */
const char *reserved_kind(const char *name);

#endif
