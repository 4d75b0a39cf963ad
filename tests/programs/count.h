/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that know how often each of their functions is entered and returns. They print a line for each:
 * "FUNCTION NAME N", where NAME is entry or return.
 *
 * Ownership: nothing is owned. Errors: none.
 */
#ifndef TESTS_PROGRAMS_COUNT_H
#define TESTS_PROGRAMS_COUNT_H

#include <stdio.h>

/* The compiler neither copies such a function nor removes a call of it. */
#ifdef __clang__
#define KNOWN __attribute__((noinline))
#else
#define KNOWN __attribute__((noipa))
#endif

/* Declares the counts of a function. */
#define COUNTS(f) static volatile long entries_##f, returns_##f
/* The kernel cannot probe the instruction that counts, so it is not the first one. */
#define ENTER(f) __asm__ volatile("nop"); __atomic_add_fetch(&entries_##f, 1, __ATOMIC_RELAXED)
#define LEAVE(f) __atomic_add_fetch(&returns_##f, 1, __ATOMIC_RELAXED)

static inline void count_print(const char *name, long entries, long returns)
{
	if (entries)
		printf("%s entry %ld\n", name, entries);
	if (returns)
		printf("%s return %ld\n", name, returns);
}

#define PRINT(f) count_print(#f, entries_##f, returns_##f)

#endif
