/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function that inlined.c inlines from another file. Plain data. Errors: none. */
#ifndef TESTS_SYMBOLS_INLINED_H
#define TESTS_SYMBOLS_INLINED_H

static inline __attribute__((always_inline)) unsigned long innermost(unsigned long n)
{
	for (unsigned long i = 0; i < 1000; i++) __asm__ volatile("" : "+r"(n), "+r"(i));	/* line innermost */
	return n;
}

#endif
