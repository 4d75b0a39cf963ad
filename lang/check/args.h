/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for args[], and the sites that providers describe in D.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_ARGS_H
#define LANG_CHECK_ARGS_H

#include "lang/check/checker.h"

/* True for args[n]. */
bool check_is_args(const struct node *n);
/* Makes the node the name of an inline with the argument's value. Returns false after a diagnostic. */
bool check_probe_args(struct checker *ck, struct node *n);
/* If *np is a part of an argument (args[n].NAME), replaces it by its value and returns true; *type: NULL after an
 * error. */
bool check_arg_part(struct checker *ck, struct node **np, struct type **type);
/* False after a diagnostic: argN of a probe of the clause cannot be read. */
bool check_probe_arg(struct checker *ck, unsigned n, struct loc loc);
/* Checks the D text of the sites of the script's probes. */
void check_sites(struct checker *ck);

#endif
