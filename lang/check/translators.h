/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for translators, inlines, and the arguments and sites that providers describe in D.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_TRANSLATORS_H
#define LANG_CHECK_TRANSLATORS_H

#include "lang/check/checker.h"

/* ---- check/xlate.c ---- */
/* True for fds[...] if the script has no variable of that name. */
bool check_is_fds(struct checker *ck, const struct node *n);
/* Parameters and what replaces them. */
struct bindings {
	unsigned n;
	const char *const *params;
	struct node *const *values;
};
/* Copies an unchecked tree, with parameters replaced (NULL: none). NULL after D_LIMIT. */
struct node *check_clone(struct checker *ck, const struct node *n, const struct bindings *b);
/* The type of an unchecked expression that is a translation: xlate, curpsinfo and the like, fds[], or an inline with
 * such a value. NULL: it is something else. */
struct type *check_translation_type(struct checker *ck, const struct node *n);
/* True if evaluating an unchecked tree has side effects. */
bool node_has_effect(const struct node *n);
/* True if an unchecked tree may be evaluated several times: then it has the same value and no other effect. */
bool node_is_repeatable(const struct node *n);
/* Marks the variables that hold a pointer after this expression, unless it is dereferenced at once. */
void check_escape(const struct node *n);
/* "x = xlate <struct t> (y)": one assignment per member. */
struct type *check_xlate_assign(struct checker *ck, struct node **np);
struct type *check_xlate(struct checker *ck, struct node **np);
/* Replaces a checked translation of which the script has a pointer (args[4], curpsinfo) by what it is translated from,
 * as a void *, for comparisons and conditions. Returns false for anything else. */
bool check_untranslate(struct checker *ck, struct node **np);
/* Checks the members of a translator, once for all its uses. */
void check_translator(struct checker *ck, struct translator *x);
/* Checks that the translation n exists. */
bool check_translation(struct checker *ck, struct node *n);
/* If the member belongs to a translator, replaces it by its expression, checks that and returns true. */
bool check_translated(struct checker *ck, struct node **np, struct type **type);
struct type *check_inline(struct checker *ck, struct node **np, const struct inline_def *def);
/* Checks a definition once for all its uses. Returns false after a diagnostic. */
bool check_inline_def(struct checker *ck, const struct inline_def *def);
/* The inline that a name, or a name with arguments, refers to; NULL: none. */
const struct inline_def *check_inline_named(struct checker *ck, const struct node *n);
/* Its expression, unchecked, with the arguments substituted. */
struct node *check_inline_copy(struct checker *ck, const struct node *n, const struct inline_def *def);
struct type *check_inline_index(struct checker *ck, struct node **np, const struct inline_def *def);

/* ---- check/elsewhere.c ---- */
/* The system of whose kernel structures this is a member; NULL: of none that dtr knows. */
const char *elsewhere_system(const char *name);
/* If the member belongs to another system's structure and is translated, replaces it by its expression, checks that and
 * returns true. a: the unchecked tree of n->a; NULL: no translation is wanted. */
bool check_elsewhere(struct checker *ck, struct node **np, struct node *a, const struct type *composite,
		     struct type **type);

/* ---- check/args.c ---- */
/* True for args[n]. */
bool check_is_args(const struct node *n);
/* Makes the node the name of an inline with the argument's value. Returns false after a diagnostic. */
bool check_probe_args(struct checker *ck, struct node *n);
/* False after a diagnostic: argN of a probe of the clause cannot be read. */
bool check_probe_arg(struct checker *ck, unsigned n, struct loc loc);
/* Checks the D text of the sites of the script's probes. */
void check_sites(struct checker *ck);

#endif
