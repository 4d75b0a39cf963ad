/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Libraries of D (-L, -x libdir): the files *.d of a directory, read before the script. A file says with
 * #pragma D depends_on which libraries must come first, and which providers and modules it is about: without these it
 * is left out, as in DTrace.
 *
 * Ownership: the session's arena.
 * Errors: reading, and what the files say: messages and diagnostics, -1.
 */
#ifndef ENGINE_SESSION_LIBRARY_H
#define ENGINE_SESSION_LIBRARY_H

#include "engine/session/session.h"

/* The compiler has been opened, nothing was parsed yet. */
int library_load(struct dtr *t);

#endif
