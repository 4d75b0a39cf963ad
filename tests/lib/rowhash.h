/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hash of row tables (engine/bpf/rows.h) in C, for tests of where the generated code puts a key.
 * Ownership: none. Errors: none.
 */
#ifndef TESTS_LIB_ROWHASH_H
#define TESTS_LIB_ROWHASH_H

#include <stdint.h>
#include <string.h>

#include "engine/bpf/rows.h"

/* The number of the first row that a key of `size` bytes, a multiple of 8, may have in a table of `rows` rows. */
static inline uint32_t row_first(uint64_t seed, const void *key, uint32_t size, uint32_t rows)
{
	uint64_t hash = 0;
	uint32_t x;

	for (uint32_t i = 0; i < size / 4; i++) {
		memcpy(&x, (const char *)key + 4 * i, 4);
		hash += x * rows_factor(seed, i);
	}
	x = (uint32_t)(hash >> 32);
	x = (x ^ x >> 16) * ROW_MIX;
	return (uint32_t)((uint64_t)x * rows >> 32);
}

#endif
