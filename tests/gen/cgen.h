/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Equivalent random programs in D and in C: declarations of enumerations, bit-fields, unions, arrays and inlines,
 * assignments, and integer expressions, whose values, sizes and signs are printed. The same seed gives the same
 * program. Nothing in them is undefined in C with gcc -fwrapv.
 *
 * Printed lines have the number of the program: "7 value size unsigned", "7 m value" (an element of an associative
 * array), "k 7 key count" (a row). C prints "b 7" if keys have 64 bits both signed and unsigned, which is not valid in
 * D.
 *
 * Who owns what: the caller owns the texts. What can fail: nothing.
 */
#ifndef TESTS_GEN_CGEN_H
#define TESTS_GEN_CGEN_H

#include <stdint.h>

#include "base/buf.h"

/* Appends one program: in D a clause BEGIN and its declarations, in C a function pNUMBER. */
void cgen_program(struct buf *d, struct buf *c, uint64_t seed, unsigned number);
/* The text before all programs, and main() after `n` of them, in C. */
void cgen_head(struct buf *c);
void cgen_main(struct buf *c, unsigned n);

#endif
