/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The language's own files, written in D. Each is read only when a script needs one of its names: structures and
 * translators (share/prelude.d, net.d), constants (constants.d), members of other systems' structures (elsewhere.d).
 *
 * Ownership: definitions belong to the compiler's script and types.
 * Errors: diagnostics if a file cannot be parsed, or if prelude.d cannot be read.
 */
#ifndef LANG_PRELUDE_H
#define LANG_PRELUDE_H

#include "lang/compile.h"

/* Reads prelude.d unless it was already read. Returns 0, or -1 if it is not available: c->prelude_lack has the reason,
 * or it was reported, once, in c->diags. */
int prelude_load(struct compiler *c);

/* An inline of the script or of the files that were read. NULL: there is none. */
struct inline_def *inline_find(struct compiler *c, const char *name);
/* Parses the translators to this type in the files that were read: they are in c->script->translators then. */
void prelude_translators(struct compiler *c, const struct type *to);
/* Parses all inlines and translators of the files that were read. */
void prelude_all(struct compiler *c);

/* A constant from constants.d. NULL: it has no such name. */
struct inline_def *prelude_constant(struct compiler *c, const char *name);

/* Reads elsewhere.d. Returns 0, or -1 if it is not available. */
int prelude_elsewhere(struct compiler *c);

/* A variable that elsewhere.d defines, or tcp_state_string of net.d. NULL: they have no such name. */
struct inline_def *prelude_variable(struct compiler *c, const char *name);

/* Like type_lookup, then the types of prelude.d, net.d and elsewhere.d. NULL: the type is unknown, or c->types.error
 * has the reason. */
struct type *prelude_type(struct compiler *c, const char *name);

#endif
