/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/rows.h"

enum { TABLE_MAX = 256 << 10, ALL_TABLES = 4 << 20 };	/* default bytes of a table, and of all tables together */

/* A longer key costs more to compare than the kernel's hash function. */
static bool rows_wanted(const struct ir_obj *o)
{
	return o->kind == IR_O_AGG && o->keysize && !o->cells && o->keysize <= ROW_KEY_MAX;
}

uint32_t rows_size(const struct ir_obj *o)
{
	uint32_t size = ROW_TAG + o->keysize + o->size;

	return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Every aggregation with rows in tables gets the same share of the memory. */
static uint64_t table_bytes(const struct bpf_image *im)
{
	uint64_t tables = 0, share;

	for (uint32_t i = 0; i < im->prog->objs.n; i++)
		tables += rows_wanted(&im->prog->objs.v[i]) && im->place[i].used ?
			(uint64_t)im->cpuslots << im->prog->objs.v[i].generations : 0;
	share = ALL_TABLES / (tables ? tables : 1);
	return im->par.table ? im->par.table : share < TABLE_MAX ? share : TABLE_MAX;
}

uint32_t rows_count(const struct bpf_image *im, const struct ir_obj *o, uint64_t most)
{
	uint64_t bytes = table_bytes(im);
	uint32_t n = 1;

	if (!rows_wanted(o))
		return 0;
	while (2 * n <= most && 2ull * n * rows_size(o) <= bytes)
		n *= 2;
	return n > 1 ? n : 0;
}

/* SplitMix64 (Steele, Lea, Flood, 2014). */
uint64_t rows_factor(uint64_t seed, unsigned i)
{
	uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) | 1;
}
