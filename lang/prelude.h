/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The prelude: share/prelude.d, structures and translators written in D, read only when a script needs them.
 *
 * Ownership: what it defines goes into the compiler's script and types.
 * Errors: reading and parsing it, with diagnostics.
 */
#ifndef LANG_PRELUDE_H
#define LANG_PRELUDE_H

#include "lang/compile.h"

/* Reads the prelude unless that was done. -1: it cannot be had (said once in c->diags). */
int prelude_load(struct compiler *c);

/* A constant that only constants.d explains, beside the prelude. NULL: there is none of that name. */
struct inline_def *prelude_constant(struct compiler *c, const char *name);

/* type_lookup, then the prelude, then type_lookup again. NULL: c->types.error says why, or there is no such type. */
struct type *prelude_type(struct compiler *c, const char *name);

#endif
