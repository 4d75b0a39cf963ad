/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Structures, unions and enums that a script defines.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_COMPOSITE_H
#define LANG_SYNTAX_COMPOSITE_H

#include "lang/syntax/decl.h"

struct composite;
struct composite *composite_open(struct parser *p, enum type_kind kind, const char *tag, struct loc loc);
/* d is NULL for an anonymous structure. */
void composite_member(struct parser *p, struct composite *s, struct decl_specs *sp, const struct declr *d);
void composite_members(struct parser *p, struct composite *s, struct decl_specs *sp, const struct declrs *l);
struct type *composite_close(struct parser *p, struct composite *s);
/* "struct foo" without a body. forward: the whole declaration is "struct foo;", which declares the tag. */
struct type *composite_ref(struct parser *p, enum type_kind kind, const char *tag, bool forward, struct loc loc);
struct enums;
struct enums *enum_open(struct parser *p, const char *tag, struct loc loc);
struct enums *enum_add(struct parser *p, struct enums *e, const char *name, struct node *value, struct loc loc);
struct type *enum_close(struct parser *p, struct enums *e);

#endif
