/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds the syntax tree: one function per construct, called from the grammar's actions.
 * Ownership: the compile arena. Errors: a tree that is too deep is replaced by a placeholder after D_LIMIT.
 */
#ifndef LANG_SYNTAX_NODE_H
#define LANG_SYNTAX_NODE_H

#include "lang/syntax/parse.h"

struct node *node_new(struct parser *p, enum node_kind kind, struct loc loc);
struct node *node_int(struct parser *p, struct loc loc, uint64_t value, struct type *type);
struct node *node_str(struct parser *p, struct loc loc, const char *s, size_t n);
struct node *node_ident(struct parser *p, struct loc loc, const char *name, char scope);
struct node *node_agg(struct parser *p, struct loc loc, const char *name);
struct node *node_unary(struct parser *p, struct loc loc, enum op op, struct node *a);
struct node *node_binary(struct parser *p, struct loc loc, enum op op, struct node *a, struct node *b);
struct node *node_assign(struct parser *p, struct loc loc, enum op op, struct node *a, struct node *b);
struct node *node_cond(struct parser *p, struct loc loc, struct node *a, struct node *b, struct node *c);
struct node *node_comma(struct parser *p, struct loc loc, struct node *a, struct node *b);
/* Reports D_FUNC_IDENT if `name` is not an identifier. */
struct node *node_call(struct parser *p, struct loc loc, struct node *name, struct nodes *args);
/* a[args], or an aggregation with keys. loc: location of the bracket. */
struct node *node_index(struct parser *p, struct loc loc, struct node *a, struct nodes *args);
struct node *node_member(struct parser *p, struct loc loc, struct node *a, const char *name, bool arrow);
struct node *node_deref(struct parser *p, struct loc loc, struct node *a);
struct node *node_addr(struct parser *p, struct loc loc, struct node *a);
struct node *node_cast(struct parser *p, struct loc loc, struct type *t, struct node *a);
struct node *node_stringof(struct parser *p, struct loc loc, struct node *a);
struct node *node_sizeof(struct parser *p, struct loc loc, struct node *a);
struct node *node_type(struct parser *p, struct loc loc, struct type *t);
struct node *node_xlate(struct parser *p, struct loc loc, struct type *t, struct node *a);
/* The offset of `path` (N_IDENTs) in t, as a constant. */
struct node *node_offsetof(struct parser *p, struct loc loc, struct type *t, struct nodes *path);

struct nodes *nodes_add(struct parser *p, struct nodes *list, struct node *n);

struct stmt *stmt_expr(struct parser *p, struct loc loc, struct node *e);
struct stmt *stmt_if(struct parser *p, struct loc loc, struct node *cond, struct stmt *yes, struct stmt *no);
/* Appends s, unless it is NULL. */
struct stmts stmts_add(struct stmts list, struct stmt *s);

#endif
