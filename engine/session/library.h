/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D libraries (-L, -x libdir): the files *.d of a directory, read before the script. With #pragma D depends_on a file
 * names libraries that must be read first, and providers and modules that it needs; if these are missing, it is
 * skipped, as in DTrace.
 *
 * Ownership: the session's arena.
 * Errors: files that cannot be read or compiled: messages and diagnostics, -1.
 */
#ifndef ENGINE_SESSION_LIBRARY_H
#define ENGINE_SESSION_LIBRARY_H

#include "engine/session/session.h"

/* Loads the libraries, after the compiler was opened and before anything is parsed. Returns 0 or -1. */
int library_load(struct dtr *t);

#endif
