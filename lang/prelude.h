/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The prelude: share/prelude.d, structures and translators written in D, read only when a script needs them.
 *
 * Ownership: definitions belong to the compiler's script and types.
 * Errors: diagnostics if it cannot be read or parsed.
 */
#ifndef LANG_PRELUDE_H
#define LANG_PRELUDE_H

#include "lang/compile.h"

/* Reads the prelude unless it was already read. Returns 0, or -1 if it is not available: c->prelude_lack has the
 * reason, or it was reported, once, in c->diags. */
int prelude_load(struct compiler *c);

/* A constant from constants.d, in the same directory as the prelude. NULL: it has no such name. */
struct inline_def *prelude_constant(struct compiler *c, const char *name);

/* Reads elsewhere.d, in the same directory as the prelude: members of other systems' structures. Returns 0, or -1 if it
 * is not available. */
int prelude_elsewhere(struct compiler *c);

/* A variable that elsewhere.d defines, or tcp_state_string of the prelude. NULL: it has no such name. */
struct inline_def *prelude_variable(struct compiler *c, const char *name);

/* Like type_lookup, then the types of the prelude and of elsewhere.d. NULL: the type is unknown, or c->types.error has
 * the reason. */
struct type *prelude_type(struct compiler *c, const char *name);

#endif
