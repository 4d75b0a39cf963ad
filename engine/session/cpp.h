/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs the machine's C preprocessor on a script's text (-C): the program of -x cpppath, or the first of cpp, gcc -E,
 * clang -E, cc -E and /lib/cpp that exists.
 *
 * Ownership: the session's arena owns the new text. The old one is kept (source.shown), so that messages show the lines
 * as written.
 * Errors: cpp_run returns -1 after a message if there is no preprocessor or it fails (it reports on standard error).
 */
#ifndef ENGINE_SESSION_CPP_H
#define ENGINE_SESSION_CPP_H

#include "engine/session/session.h"

int cpp_run(struct dtr *t, struct text *x);

#endif
