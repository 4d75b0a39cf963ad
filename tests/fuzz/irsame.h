/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The printed text of a verified program must parse to the same program, and the optimiser must not change its results.
 * Who owns what: the caller's arena. What can fail: a check of fuzz.h.
 */
#ifndef TESTS_FUZZ_IRSAME_H
#define TESTS_FUZZ_IRSAME_H

#include "ir/ir.h"

/* Prints, parses and prints again. */
void ir_check_text(const struct ir_prog *p, struct arena *a);
/* Optimises a copy, verifies it, runs every function of both (unless they are too large) and compares the results. */
void ir_check_optimiser(const struct ir_prog *p, struct arena *a);

#endif
