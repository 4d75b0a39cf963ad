/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The search of a key in a row table (rows.h). */
#include <linux/bpf.h>
#include <stddef.h>

#include "engine/bpf/code/isel.h"
#include "engine/bpf/code/rows.h"

/* R3 = hash of the key, with a factor for each piece of 4 or 8 bytes. Clobbers R0, R1. */
static void key_hash(struct bpf_gen *g, uint32_t keysize, struct addr key, uint32_t piece)
{
	for (uint32_t i = 0; i < keysize / piece; i++) {
		asm_ld(g->a, piece == 4 ? BPF_W : BPF_DW, R0, key.base, (int16_t)(key.off + (int)(piece * i)));
		asm_movi(g->a, R1, (int64_t)(rows_factor(g->im->par.seed, i) | (piece == 8)));
		asm_alu(g->a, BPF_MUL, R0, R1);
		if (i)
			asm_alu(g->a, BPF_ADD, R3, R0);
		else
			asm_mov(g->a, R3, R0);
	}
}

/* Searches ROW_PROBES rows from row R1 for the tag R3 or an empty row; R2 = that row. Clobbers R0, R1. */
static void row_probe(struct bpf_gen *g, uint32_t obj, uint32_t empty, uint32_t found)
{
	uint32_t size = rows_size(&g->im->prog->objs.v[obj]);

	for (int i = 0; i < ROW_PROBES; i++) {
		rows_at(g->a, i, g->im->place[obj].rows, size);
		asm_ld(g->a, BPF_DW, R0, R2, 0);
		asm_jcc(g->a, BPF_JEQ, R0, R3, found);
		asm_jcci(g->a, BPF_JEQ, R0, 0, empty);
	}
}

/* Increases a word of the head of the table at R5. Clobbers R0. */
static void row_count(struct bpf_gen *g, size_t word)
{
	asm_movi(g->a, R0, 1);
	asm_atomic(g->a, R5, (int16_t)((int)word - ROW_HEAD), R0, BPF_ADD);
}

/* Fills the empty row R2, unless a firing that interrupted this one has claimed it. Clobbers R0, R1. */
static void row_claim(struct bpf_gen *g, uint32_t keysize, struct addr key, uint32_t missed)
{
	asm_movi(g->a, R0, 0);
	asm_movi(g->a, R1, ROW_BUSY);
	asm_atomic(g->a, R2, 0, R1, BPF_CMPXCHG);
	asm_jcci(g->a, BPF_JNE, R0, 0, missed);
	row_count(g, offsetof(struct row_head, used));
	for (uint32_t i = 0; i < keysize; i += 8) {
		asm_ld(g->a, BPF_DW, R0, key.base, (int16_t)(key.off + (int)i));
		asm_st(g->a, BPF_DW, R2, (int16_t)(ROW_TAG + i), R0);
	}
	asm_atomic(g->a, R2, 0, R3, BPF_XCHG);
}

/* Two keys can have the same hash. Clobbers R0, R1. */
static void row_compare(struct bpf_gen *g, uint32_t keysize, struct addr key, uint32_t missed)
{
	for (uint32_t i = 0; i < keysize; i += 8) {
		asm_ld(g->a, BPF_DW, R0, key.base, (int16_t)(key.off + (int)i));
		asm_ld(g->a, BPF_DW, R1, R2, (int16_t)(ROW_TAG + i));
		asm_jcc(g->a, BPF_JNE, R0, R1, missed);
	}
}

/* Jumps to `done` with R0 = the value in the key's row of the table at R5, or to `missed`. R3 = hash of the key. */
static void row_find(struct bpf_gen *g, uint32_t obj, struct addr key, uint32_t missed, uint32_t done)
{
	uint32_t empty = asm_label(g->a), found = asm_label(g->a), have = asm_label(g->a);
	uint32_t keysize = g->im->prog->objs.v[obj].keysize;

	asm_mov(g->a, R1, R3);
	rows_first(g->a, g->im->place[obj].rows);
	asm_alui(g->a, BPF_OR, R3, 1);	/* the tag */
	row_probe(g, obj, empty, found);
	asm_jmp(g->a, missed);
	asm_bind(g->a, empty);
	row_claim(g, keysize, key, missed);
	asm_jmp(g->a, have);
	asm_bind(g->a, found);
	row_compare(g, keysize, key, missed);
	asm_bind(g->a, have);
	asm_mov(g->a, R0, R2);
	asm_alui(g->a, BPF_ADD, R0, (int32_t)(ROW_TAG + keysize));
	asm_jmp(g->a, done);
}

void gen_row(struct bpf_gen *g, const struct ir_ins *ins, uint32_t done)
{
	uint32_t obj = ins->arg[0].obj, keysize = g->im->prog->objs.v[obj].keysize, missed = asm_label(g->a);
	struct addr key;

	gen_cells(g, obj);
	asm_mapval(g->a, R5, g->im->map_of[BPF_MAP_DATA], g->im->off_cells + g->im->place[obj].off);
	asm_alu(g->a, BPF_ADD, R5, R0);
	key = gen_addr(g, &ins->arg[1], R4, keysize);
	key_hash(g, keysize, key, 4);
	row_find(g, obj, key, missed, done);
	asm_bind(g->a, missed);
	row_count(g, offsetof(struct row_head, missed));
}

void gen_stack_row(struct bpf_gen *g, const struct ir_ins *ins, uint32_t done)
{
	int16_t missed_at = (int16_t)(offsetof(struct row_head, missed) - ROW_HEAD);
	uint32_t obj = ins->arg[0].obj, missed = asm_label(g->a), known = asm_label(g->a);
	const struct ir_obj *o = &g->im->prog->objs.v[obj];
	const struct bpf_place *pl = &g->im->place[obj];
	struct addr key;

	asm_mapval(g->a, R5, g->im->map_of[BPF_MAP_DATA], pl->table + ROW_HEAD);
	if (o->generations) {
		gen_generation(g, pl, R1);
		gen_times(g, R1, rows_table(o, pl->rows));
		asm_alu(g->a, BPF_ADD, R5, R1);
	}
	key = gen_addr(g, &ins->arg[1], R4, o->keysize);
	/* Addresses differ in their low bits, so one factor for each frame is enough. Made-up return addresses that
	 * differ only in the top bits have the same hash: of such stacks all but one use the hash map. */
	key_hash(g, o->keysize, key, 8);
	row_find(g, obj, key, missed, done);
	asm_bind(g->a, missed);
	asm_ld(g->a, BPF_DW, R0, R5, missed_at);
	asm_jcci(g->a, BPF_JNE, R0, 0, known);
	asm_sti(g->a, BPF_DW, R5, missed_at, 1);
	asm_bind(g->a, known);
}
