/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for names: built-in variables, variables of the script, names that dtr does not have yet.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_NAME_H
#define LANG_CHECK_NAME_H

#include "lang/check/checker.h"

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

#endif
