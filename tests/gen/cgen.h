/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random programs in D and in C that say the same: declarations of enumerations, bit-fields, unions, arrays and
 * inlines, assignments, and expressions of integers, whose values, sizes and signs are printed. The same seed gives the
 * same program. Nothing in them is undefined in C as gcc -fwrapv has it.
 *
 * Lines that are printed begin with the program's number: "7 value size unsigned", "7 m value" (an element of an array
 * that has keys), "k 7 key count" (a row); C says "b 7" where keys have 64 bits with and without a sign, which is no
 * program of D.
 *
 * Who owns what: the caller owns the texts. What can fail: nothing.
 */
#ifndef TESTS_GEN_CGEN_H
#define TESTS_GEN_CGEN_H

#include <stdint.h>

#include "base/buf.h"

/* Appends one program: a clause BEGIN, and what it needs; a function pNUMBER. */
void cgen_program(struct buf *d, struct buf *c, uint64_t seed, unsigned number);
/* What stands in front of all programs, and main() behind `n` of them, in C. */
void cgen_head(struct buf *c);
void cgen_main(struct buf *c, unsigned n);

#endif
