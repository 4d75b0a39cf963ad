/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs the machine's C preprocessor on a script's text (-C): the program of -x cpppath, or the first of cpp, gcc -E,
 * clang -E, cc -E and /lib/cpp that exists.
 *
 * Ownership: the arena owns the new text. source.shown keeps the old one, so that messages show the lines as written.
 * Errors: see cpp_run. The preprocessor reports its errors on standard error.
 */
#ifndef ENGINE_SESSION_CPP_H
#define ENGINE_SESSION_CPP_H

#include "base/diag.h"
#include "engine/run/options.h"

/* Replaces the text of `src`. Returns 0, -errno (-ENOENT: no preprocessor), or 1 if the preprocessor failed. */
int cpp_run(struct arena *a, const struct options *o, struct source *src);

#endif
