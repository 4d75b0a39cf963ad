/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The scanner (flex).
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_LEX_H
#define LANG_SYNTAX_LEX_H

#include "lang/syntax/parse.h"

int scan_open(struct parser *p, const char *text, size_t n);
void scan_close(struct parser *p);

#endif
