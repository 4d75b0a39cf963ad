/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The results of declarations: variables, typedefs, inlines, translators.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_DECLARE_H
#define LANG_SYNTAX_DECLARE_H

#include "lang/syntax/decl.h"

/* True if a built-in variable has this name. */
bool builtin_named(const char *name);
/* Declares a variable or typedef, by s->storage. Ignores functions and externs. */
void declare(struct parser *p, struct decl_specs *s, const struct declr *d);
/* Reports "int x = 1;". */
void declare_init(struct parser *p, struct loc loc);
void declare_inline(struct parser *p, struct decl_specs *s, const struct declr *d, struct node *expr);
/* Reports "inline int = 1;". */
void declare_nameless(struct parser *p, struct decl_specs *s);
/* A declaration without a declarator: "struct foo;". */
void declare_nothing(struct parser *p, struct decl_specs *s);
void translator_open(struct parser *p, struct type *to, struct decl_specs *s, const struct declr *d, struct loc loc);
void translator_member(struct parser *p, const char *name, struct node *expr, struct loc loc);
void translator_close(struct parser *p);
/* Defines `name` as an inline. Returns 0, or -1 if the name is taken. */
int inline_define(struct parser *p, const char *name, struct type *t, struct node *expr, struct loc loc);

#endif
