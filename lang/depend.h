/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * #pragma D depends_on KIND NAME: what a program or a library of D cannot do without.
 *
 * Ownership: the arena that is given. Errors: none.
 */
#ifndef LANG_DEPEND_H
#define LANG_DEPEND_H

#include "lang/compile.h"

struct depend {
	const char *kind, *name;
};

/* The next dependency of a text, before it is parsed; *at moves behind it. False: there is none. */
bool depend_next(const char **at, struct arena *a, struct depend *out);
/* 1: it is there; 0: it is not; -1: there is no such kind. */
int depend_met(const struct compiler *c, const char *kind, const char *name);

#endif
