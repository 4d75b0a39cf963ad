/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How stable a script is, by DTrace's attributes (the guide's chapter on stability): the names of its probes and the built-in
 * variables that it uses.
 *
 * Ownership: nothing is kept. Errors: stability_check, with diagnostics.
 */
#ifndef LANG_STABILITY_H
#define LANG_STABILITY_H

#include "lang/compile.h"
#include "lang/ast.h"
#include "providers/provider.h"

extern const struct attr stability_most;

/* The lower of each word. */
struct attr stability_min(struct attr a, struct attr b);
/* The least stable of the parts that the probe's name has; its provider has attributes. */
struct attr stability_probe(const struct probe *p);
/* What a checked clause uses, at one of its probes. */
struct attr stability_clause(const struct compiler *c, const struct clause *cl, const struct probe *p);
/* D_ATTR_MIN for each probe and variable of the checked script that is less stable than opts.amin. */
void stability_check(struct compiler *c);

#endif
