/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The C preprocessor of the machine, run on a script's text (-C): what -x cpppath names, or the first of cpp, gcc -E,
 * clang -E, cc -E and /lib/cpp that there is.
 *
 * Ownership: the session's arena owns the new text; the old one stays behind it, so that messages show the lines as
 * they were written.
 * Errors: no preprocessor, or it refuses the text (it has said why on standard error): a message, -1.
 */
#ifndef ENGINE_SESSION_CPP_H
#define ENGINE_SESSION_CPP_H

#include "engine/session/session.h"

int cpp_run(struct dtr *t, struct text *x);

#endif
