/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/rows.h"

#include <linux/bpf.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "ir/ir.h"

/* STACK_KEY_MAX: a longer stack needs too much code; STACKS_BYTES: of the rows of a table. */
enum { STACK_KEY_MAX = 8 * 49, STACKS_BYTES = 256 << 10 };

_Static_assert(ROW_HEAD == (int)CACHE_LINE && sizeof(struct row_head) <= ROW_HEAD, "a head is a cache line");

/* A longer key costs more to compare than the kernel's hash map. */
static bool rows_wanted(const struct ir_obj *o)
{
	return o->kind == IR_O_AGG && o->keysize && !o->cells && o->keysize <= ROW_KEY_MAX;
}

uint32_t rows_size(const struct ir_obj *o)
{
	uint32_t size = ROW_TAG + o->keysize + o->size;

	return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

uint32_t rows_table(const struct ir_obj *o, uint32_t rows)
{
	return rows ? ROW_HEAD + rows * rows_size(o) : 0;
}

/* Code that searches a table takes the verifier some 0.1 ms. With more sites than this, start-up would be slow. */
enum { SITES_MAX = 512 };

static uint64_t count_sites(const struct ir_prog *p)
{
	uint64_t n = 0;

	for (size_t f = 0; f < p->funcs.n; f++) {
		for (size_t b = 0; b < p->funcs.v[f]->blocks.n; b++) {
			const struct ir_block *k = &p->funcs.v[f]->blocks.v[b];

			for (size_t i = 0; i < k->ins.n; i++)
				n += k->ins.v[i].op == IR_CELL;
		}
	}
	return n;
}

/* Every aggregation gets the same share. If one has two generations, there is memory for two of each. */
uint32_t rows_share(const struct bpf_image *im)
{
	uint64_t tables = 0, share;
	bool generations = false;

	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		const struct ir_obj *o = &im->prog->objs.v[i];

		tables += im->place[i].used && rows_wanted(o);
		generations |= im->place[i].used && o->kind == IR_O_AGG && o->generations;
	}
	tables *= (uint64_t)im->cpuslots << generations;
	if (count_sites(im->prog) > SITES_MAX)
		return 0;
	share = im->par.tables / (tables ? tables : 1);
	return share < im->par.table ? (uint32_t)share : im->par.table;
}

/* The largest power of two that fits. */
static uint32_t rows_fit(const struct ir_obj *o, uint64_t most, uint64_t bytes)
{
	uint32_t n = 1;

	while (2ull * n <= most && 2ull * n * rows_size(o) <= bytes)
		n *= 2;
	return n > 1 ? n : 0;
}

uint32_t rows_count(const struct bpf_image *im, const struct ir_obj *o, uint64_t most)
{
	return rows_wanted(o) ? rows_fit(o, most, im->table) : 0;
}

uint32_t rows_stacks(const struct bpf_image *im, const struct ir_obj *o, uint64_t most)
{
	uint32_t bytes = im->par.table < STACKS_BYTES ? im->par.table : STACKS_BYTES;

	return o->stacks && o->keysize <= STACK_KEY_MAX ? rows_fit(o, most, bytes) : 0;
}

/* SplitMix64 (Steele, Lea, Flood, 2014). */
uint64_t rows_factor(uint64_t seed, unsigned i)
{
	uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* ---- the generated code ---- */
void rows_first(struct asm_buf *a, uint32_t rows)
{
	asm_alui(a, BPF_RSH, R1, 32);
	asm_mov(a, R0, R1);
	asm_alui(a, BPF_RSH, R0, 16);
	asm_alu(a, BPF_XOR, R1, R0);
	asm_alui(a, BPF_MUL, R1, (int32_t)ROW_MIX);
	asm_alui(a, BPF_LSH, R1, 32);
	asm_alui(a, BPF_RSH, R1, 64 - __builtin_ctz(rows));
}

void rows_at(struct asm_buf *a, int probe, uint32_t rows, uint32_t size)
{
	if (probe) {
		asm_alui(a, BPF_ADD, R1, 1);
		asm_alui(a, BPF_AND, R1, (int32_t)rows - 1);
	}
	asm_mov(a, R2, R1);
	if (size & (size - 1))
		asm_alui(a, BPF_MUL, R2, (int32_t)size);
	else
		asm_alui(a, BPF_LSH, R2, __builtin_ctz(size));
	asm_alu(a, BPF_ADD, R2, R5);
}
