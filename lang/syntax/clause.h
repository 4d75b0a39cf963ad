/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clauses and the probe descriptions before them.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_CLAUSE_H
#define LANG_SYNTAX_CLAUSE_H

#include "lang/syntax/parse.h"

/* Between descriptions that are written as one: $target can be several processes. */
enum { SPEC_AND = '\n' };

struct clause *clause_new(struct parser *p, struct loc loc);

/* How many of the four parts of a probe description a text of this kind may have (-P: 1, -m: 2, -f: 3, -i: 0, else 4).
 * The last given part is the rightmost one. */
enum { SPEC_PARTS = 4 };

unsigned spec_parts(const struct source *src);
void clause_spec(struct parser *p, struct clause *c, const char *text, struct loc loc);
void clause_spec_id(struct parser *p, struct clause *c, const struct node *id, struct loc loc);
void clause_add(struct parser *p, struct clause *c, struct stmt *body, bool has_body);

#endif
