/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * #pragma D depends_on KIND NAME: dependencies of a D program or library.
 *
 * Ownership: the caller's arena. Errors: none.
 */
#ifndef LANG_SYNTAX_DEPEND_H
#define LANG_SYNTAX_DEPEND_H

#include "lang/compile.h"

struct depend {
	const char *kind, *name;
};

/* Stores the next dependency of an unparsed text and moves *at past it. Returns false after the last one. */
bool depend_next(const char **at, struct arena *a, struct depend *out);
/* Returns 1 if the dependency is met, 0 if not, -1 if the kind is unknown. */
int depend_met(const struct compiler *c, const char *kind, const char *name);

#endif
