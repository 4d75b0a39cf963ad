/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for names: built-in variables, variables of the script, the kernel's variables, declarations.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_NAMES_H
#define LANG_CHECK_NAMES_H

#include "lang/check/checker.h"

/* ---- check/name.c ---- */
struct builtin_info {
	const char *name, *type;
	bool yields;		/* variables of the script take precedence */
};
extern const struct builtin_info builtin_info[BI_COUNT];
/* The built-in variable with this name, or BI_NONE; the other one: one that yields to variables of the script. */
enum builtin builtin_find(const char *name);
enum builtin builtin_yielding(const char *name);
/* The index in uregs[] of R_RIP, R_SP ..., or -1. */
int reg_find(const char *name);
/* The class of the variable with this name. */
enum var_class check_class(const struct node *name);
/* The key of a variable in script.vars. */
const char *check_var_key(struct checker *ck, enum var_class cls, const char *name);
/* The variable of this name, or NULL; the other one creates it if it is missing, without a type. */
struct var *check_find_var(struct checker *ck, const struct node *n);
struct var *check_make_var(struct checker *ck, const struct node *n);
/* True if an unscoped name can be a variable. False after D_IDENT_BADREF: it is a function or action. */
bool check_is_variable(struct checker *ck, const struct node *n);
/* Reports D_UNSUPPORTED if DTrace has the variable or function and dtr does not have it yet. */
enum name_kind { NAME_VARIABLE, NAME_FUNCTION };
bool check_later(struct checker *ck, const char *name, enum name_kind kind, struct loc loc);
/* "self->x" */
const char *var_text(struct checker *ck, const struct node *n);

/* ---- check/var.c ---- */
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

/* ---- check/cgroup.c ---- */
/* The type of a variable that stands for the name of a control group (cgroup, container, pod, image); NULL: it does
 * not. */
struct type *check_cgroup_type(struct checker *ck, enum builtin bi);
/* Reports that such a variable was used where a value is needed. Returns NULL. */
void *check_cgroup_value(struct checker *ck, const struct node *n);
/* True if an expression is such a variable, before or after it was checked. */
bool check_names_cgroup(struct checker *ck, const struct node *n);
/* If *np compares such a variable with a constant string by == or !=, replaces it by a test. Returns true if it is such
 * a comparison; after a diagnostic the node has no type. */
bool check_cgroup_comparison(struct checker *ck, struct node **np);

/* ---- check/ksym.c ---- */
/* `x */
struct type *check_kernel(struct checker *ck, struct node **np);
/* Replaces the name of another system's kernel variable by that of the inline that substitutes it on Linux. */
bool check_kernel_inline(struct checker *ck, struct node *name);

/* ---- check/decl.c ---- */
/* Checks everything that the script declares, used or not: variables, inlines, translators. */
void check_declared(struct checker *ck);
/* A value of this type that stands for a parameter or a member while a declaration is checked. */
struct node *check_placeholder(struct checker *ck, const char *name, struct type *t, struct loc loc);

/* ---- check/pred.c ---- */
/* True if a clause's predicate must be checked before its actions, because it declares a variable that they use. */
bool check_predicate_first(struct checker *ck, const struct clause *c);
/* True if a clause's predicate uses an array that nothing has declared yet and only a later clause declares. */
bool check_waits(struct checker *ck, struct clause *c);

/* ---- check/widen.c ---- */
/* Looks ahead: determines the types of variables without a declaration from all their assignments. */
void check_widen(struct checker *ck);
/* While it looks ahead: notes a value that the checked place `to` gets by =, op=, ++ or --. value: the checked node
 * (NULL: ++ and --), type: its type in a variable. */
void check_note_value(struct checker *ck, const struct node *to, enum op op, const struct node *value,
		      struct type *type);
/* The type of a variable whose first assignment alone would give it the type `first`. */
struct type *check_first_type(struct checker *ck, const struct var *v, struct type *first);

#endif
