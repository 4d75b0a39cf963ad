/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for the order of actions in clauses that speculate.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_SPEC_H
#define LANG_CHECK_SPEC_H

#include "lang/check/checker.h"

/* Checks that this kind of action may follow the previous ones of its clause. Returns false after a diagnostic. */
enum spec_kind { SPEC_K_RECORD, SPEC_K_AGG, SPEC_K_DESTRUCTIVE, SPEC_K_EXIT, SPEC_K_SPECULATE, SPEC_K_COMMIT,
	SPEC_K_DISCARD };

bool check_order(struct checker *ck, struct loc loc, enum spec_kind kind);

#endif
