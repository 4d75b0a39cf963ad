/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Integer, character and string constants.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_LITERAL_H
#define LANG_SYNTAX_LITERAL_H

#include "lang/syntax/parse.h"

struct node *literal_int(struct parser *p, const char *text, size_t n);
struct node *literal_char(struct parser *p, const char *text, size_t n);
struct node *literal_str(struct parser *p, const char *text, size_t n);
struct type *literal_type(struct types *t, uint64_t v, bool decimal, bool uns, unsigned longs);

#endif
