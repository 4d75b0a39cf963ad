/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stability of a script in DTrace's attributes (DTrace guide, chapter "Stability"), from its probes and the
 * built-in variables that it uses.
 *
 * Ownership: keeps nothing. Errors: stability_check, with diagnostics.
 */
#ifndef LANG_CHECK_STABILITY_H
#define LANG_CHECK_STABILITY_H

#include "lang/compile.h"
#include "lang/syntax/ast.h"
#include "providers/provider.h"

extern const struct attr stability_most;

/* The minimum of each attribute. */
struct attr stability_min(struct attr a, struct attr b);
/* The least stable part of the probe's name. The provider must have attributes. */
struct attr stability_probe(const struct probe *p);
/* The stability of a checked clause at one of its probes. */
struct attr stability_clause(const struct clause *cl, const struct probe *p);
/* Reports D_ATTR_MIN for each probe and variable of the checked script that is less stable than opts.amin. */
void stability_check(struct compiler *c);

#endif
