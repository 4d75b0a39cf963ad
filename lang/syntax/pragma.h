/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines that begin with '#'; #pragma D attributes and binding.
 *
 * Ownership: keeps nothing. Errors: diagnostics.
 */
#ifndef LANG_SYNTAX_PRAGMA_H
#define LANG_SYNTAX_PRAGMA_H

#include "lang/syntax/parse.h"

/* Reports names in #pragma D attributes and binding that are not defined anywhere. */
void pragma_check_named(struct compiler *c);

/* A line that begins with '#'. */
void pragma_line(struct parser *p, const char *text, size_t n);

#endif
