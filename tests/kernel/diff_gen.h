/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random IR programs: valid, terminating, and rich in cases that engines get wrong. The same seed gives the same
 * program.
 * Who owns what: the program's arena owns everything. What can fail: nothing.
 */
#ifndef TESTS_KERNEL_DIFF_GEN_H
#define TESTS_KERNEL_DIFF_GEN_H

#include "ir/interp.h"

/* Fills in an empty program: an IR_C_RUN (or other) function "main", and for some seeds an error function. */
void diff_generate(struct ir_prog *p, uint64_t seed, enum ir_ctx ctx);
/* The input of that program. */
void diff_seed(struct ir_seed *s, uint64_t seed);

#endif
