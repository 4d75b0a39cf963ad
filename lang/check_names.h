/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for names: built-in variables, variables of the script, the kernel's variables, declarations.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_NAMES_H
#define LANG_CHECK_NAMES_H

#include "lang/checker.h"

/* ---- check_name.c ---- */
struct builtin_info {
	const char *name, *type;
};
extern const struct builtin_info builtin_info[BI_COUNT];
enum builtin builtin_find(const char *name);
/* R_RIP, R_SP ...: its index in uregs[], or -1. */
int reg_find(const char *name);
/* The variable of this name, or NULL. make: as yet without a type. */
struct var *check_find_var(struct checker *ck, const struct node *n, bool make);
/* Can an unscoped name be a variable? False after D_IDENT_BADREF: it is a function of some kind. */
bool check_is_variable(struct checker *ck, const struct node *n);
/* D_UNSUPPORTED if the name is one that DTrace has and dtr not yet. */
bool check_later(struct checker *ck, const char *name, bool call, struct loc loc);
/* "self->x" */
const char *var_text(struct checker *ck, const struct node *n);

/* ---- check_var.c ---- */
struct type *check_ident(struct checker *ck, struct node **np);
struct type *check_var(struct checker *ck, struct node **np);
struct type *check_index(struct checker *ck, struct node **np);
/* args[], uregs[] */
bool check_builtin_is_array(enum builtin bi);
struct node *check_builtin_node(struct checker *ck, enum builtin bi, struct loc loc);
/* Checks the expressions between the brackets. */
bool check_subscripts(struct checker *ck, struct node *n);
/* Makes n, its keys checked, an element of v. */
bool check_array(struct checker *ck, struct node *n, struct var *v);
/* self-> variables in probes of providers that have their own: records each use; at the end, warns. */
void check_note_tls(struct checker *ck, const struct var *v, struct loc loc);
void check_tls(struct checker *ck);

/* ---- check_ksym.c ---- */
/* `x */
struct type *check_kernel(struct checker *ck, struct node **np);
/* The name of a variable that only another system has becomes that of the inline that stands for it here. */
bool check_kernel_inline(struct checker *ck, struct node *name);

/* ---- check_decl.c ---- */
/* What the script declares, used or not: variables' types, inlines, translators. */
void check_declared(struct checker *ck);
/* Some value of a type: a parameter, the member of a translation. */
struct node *check_placeholder(struct checker *ck, const char *name, struct type *t, struct loc loc);

/* ---- check_pred.c ---- */
/* True if a clause's predicate must be checked before its actions, because it declares a variable that they use. */
bool check_predicate_first(struct checker *ck, const struct clause *c);

#endif
