/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys that somebody could choose to make row tables slow (engine/bpf/code/rows.h), and the hash of the tables in C,
 * for tests of where the generated code puts a key. Ownership: none. Errors: none.
 */
#ifndef TESTS_LIB_ROWKEYS_H
#define TESTS_LIB_ROWKEYS_H

#include <stdint.h>

enum { ROW_KEY_WORDS = 6 };

struct row_family {
	const char *name;
	void (*key)(uint64_t *w, unsigned i);	/* stores key i at w, ROW_KEY_WORDS zeros; some families repeat keys */
	unsigned words;				/* of 8 bytes */
};

/* The last one has no name. */
extern const struct row_family row_families[];

/* The number of the first row that a key of `size` bytes, a multiple of 8, may have in a table of `rows` rows. */
uint32_t row_first(uint64_t seed, const void *key, uint32_t size, uint32_t rows);

#endif
