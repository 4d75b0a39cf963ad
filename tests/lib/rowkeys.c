/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/rowkeys.h"

#include <stdio.h>
#include <string.h>

#include "engine/bpf/code/rows.h"

static void sequence(uint64_t *w, unsigned i) { w[0] = i; }
static void negative(uint64_t *w, unsigned i) { w[0] = -(uint64_t)i; }
static void pages(uint64_t *w, unsigned i) { w[0] = (uint64_t)i << 12; }
static void rows(uint64_t *w, unsigned i) { w[0] = (uint64_t)i << 32; }
static void pointers(uint64_t *w, unsigned i) { w[0] = 0xffff888000000000 + i * 64ull; }
static void top(uint64_t *w, unsigned i) { w[0] = (uint64_t)i << 54; }
static void one_bit(uint64_t *w, unsigned i) { w[0] = i < 64 ? 1ull << i : 1ull << i % 64 ^ 1ull << i / 64; }
static void process(uint64_t *w, unsigned i) { w[0] = 1000 + i; memcpy(&w[1], "kworker", 8); }
static void pairs(uint64_t *w, unsigned i) { w[0] = i % 32; w[1] = i / 32; }
static void names(uint64_t *w, unsigned i) { snprintf((char *)w, 16, "worker/%u:0", i); }

/* Only the top bit of each word differs. */
static void top_bits(uint64_t *w, unsigned i)
{
	for (unsigned k = 0; k < ROW_KEY_WORDS; k++)
		w[k] = (uint64_t)(i >> k) << 63;
	w[0] |= i / 64;
}

/* The top five bits of two words. */
static void two_tops(uint64_t *w, unsigned i)
{
	w[0] = (uint64_t)i << 59;
	w[1] = (uint64_t)(i / 32) << 59;
}

const struct row_family row_families[] = {
	{ "a sequence", sequence, 1 }, { "negative numbers", negative, 1 }, { "multiples of 4096", pages, 1 },
	{ "multiples of 2^32", rows, 1 }, { "pointers", pointers, 1 }, { "multiples of 2^54", top, 1 },
	{ "one or two bits", one_bit, 1 }, { "IDs with the same name", process, 3 }, { "pairs", pairs, 2 },
	{ "names", names, 2 }, { "top bits of six words", top_bits, ROW_KEY_WORDS },
	{ "top bits of two words", two_tops, 2 },
	{ 0 },
};

uint32_t row_first(uint64_t seed, const void *key, uint32_t size, uint32_t rows)
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
