/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for variables: identifiers, elements of arrays, args[] and uregs[].
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_VAR_H
#define LANG_CHECK_VAR_H

#include "lang/check/checker.h"

struct type *check_ident(struct checker *ck, struct node **np);
struct type *check_var(struct checker *ck, struct node **np);
struct type *check_index(struct checker *ck, struct node **np);
/* args[], uregs[] */
bool check_builtin_is_array(enum builtin bi);
struct node *check_builtin_node(struct checker *ck, enum builtin bi, struct loc loc);
/* Checks the expressions in the brackets. */
bool check_subscripts(struct checker *ck, struct node *n);
/* Makes n, whose keys were checked, an element of v. */
bool check_array(struct checker *ck, struct node *n, struct var *v);
/* self-> variables in probes of providers with separate ones: the first records a use, the second warns at the end. */
void check_note_tls(struct checker *ck, const struct var *v, struct loc loc);
void check_tls(struct checker *ck);
/* True for fds[...] if the script has no variable of that name. */
bool check_is_fds(struct checker *ck, const struct node *n);
/* A built-in variable of which only members can be read. */
bool check_is_dynamic(const char *name);

#endif
