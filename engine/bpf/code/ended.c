/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/ended.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "engine/bpf/code/isel.h"

/* Offsets in the first cache line. */
enum { TURN = 0, ENDED = 8, FULL = 16 };
enum { TURN_MASK = (1 << ENDED_TURN_BITS) - 1 };

static bool has_notes(const struct bpf_image *im, uint32_t obj)
{
	return im->prog->objs.v[obj].threads && im->place[obj].used;
}

/* The offset of the array's count, or of the slots (obj: the number of objects). */
static uint32_t count_offset(const struct bpf_image *im, uint32_t obj)
{
	uint32_t off = CACHE_LINE;

	for (uint32_t i = 0; i < obj; i++)
		off += has_notes(im, i) ? CACHE_LINE : 0;
	return off;
}

/* How many new elements cause a sweep. */
static int32_t full_at(const struct bpf_image *im, uint32_t obj)
{
	return (int32_t)(im->maps.v[im->place[obj].map].entries / ENDED_SHARE) + 1;
}

bool ended_sweeps(const struct ir_func *f)
{
	for (size_t b = 0; b < f->blocks.n; b++)
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++)
			if (f->blocks.v[b].ins.v[i].op == IR_SWEEP)
				return true;
	return false;
}

bool ended_possible(const struct ir_func *f)
{
	if (!ended_sweeps(f))
		return true;
	/* its program gets the thread as a pointer with a type */
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0 &&
	       libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_for_each_map_elem, NULL) != 0;
}

/* reg = address of a word of the notes. */
static void notes_address(struct bpf_gen *g, int reg, uint32_t off)
{
	asm_mapval(g->a, reg, g->im->map_of[BPF_MAP_DATA], (uint32_t)g->im->off_ended + off);
}

void ended_created(struct bpf_gen *g, uint32_t obj)
{
	uint32_t more = asm_label(g->a);

	notes_address(g, R1, count_offset(g->im, obj));
	asm_movi(g->a, R2, 1);
	asm_atomic(g->a, R1, 0, R2, BPF_ADD | BPF_FETCH);
	asm_jcci(g->a, BPF_JNE, R2, full_at(g->im, obj), more);
	notes_address(g, R1, 0);
	asm_sti(g->a, BPF_DW, R1, FULL, 1);
	asm_bind(g->a, more);
}

/* R2 = address of slot i of the thread with number R3. R0 is lost. */
static void slot_address(struct bpf_gen *g, int i)
{
	asm_mov(g->a, R0, R3);
	asm_alui(g->a, BPF_ADD, R0, i);
	asm_alui(g->a, BPF_AND, R0, ENDED_SLOTS - 1);
	asm_alui(g->a, BPF_LSH, R0, 3);
	notes_address(g, R2, count_offset(g->im, (uint32_t)g->im->prog->objs.n));
	asm_alu(g->a, BPF_ADD, R2, R0);
}

/* Stores the number R3. R1 = the turn, R4 = what to store. */
static void store_number(struct bpf_gen *g)
{
	uint32_t stored = asm_label(g->a);

	for (int i = 0; i < ENDED_PROBES; i++) {
		uint32_t use = asm_label(g->a), next = asm_label(g->a);

		slot_address(g, i);
		asm_ld(g->a, BPF_DW, R0, R2, 0);
		asm_jcci(g->a, BPF_JEQ, R0, 0, use);
		asm_alui(g->a, BPF_AND, R0, TURN_MASK);
		asm_jcc(g->a, BPF_JEQ, R0, R1, next);
		asm_bind(g->a, use);
		asm_st(g->a, BPF_DW, R2, 0, R4);
		asm_jmp(g->a, stored);
		asm_bind(g->a, next);
	}
	asm_bind(g->a, stored);
}

/* A sweep that begins now removes the elements of all threads that were noted before. */
void emit_ended(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t all = asm_label(g->a), done = asm_label(g->a);

	asm_mov(g->a, R3, gen_val(g, &ins->arg[0], R3));
	notes_address(g, R5, 0);
	asm_ld(g->a, BPF_DW, R1, R5, TURN);
	asm_alui(g->a, BPF_AND, R1, TURN_MASK);
	asm_mov(g->a, R4, R3);
	asm_alui(g->a, BPF_LSH, R4, ENDED_TURN_BITS);
	asm_alu(g->a, BPF_OR, R4, R1);
	store_number(g);
	asm_movi(g->a, R1, 1);
	asm_atomic(g->a, R5, ENDED, R1, BPF_ADD);
	asm_ld(g->a, BPF_DW, R1, R5, ENDED);
	asm_jcci(g->a, BPF_JGE, R1, ENDED_SLOTS / 4, all);
	asm_ld(g->a, BPF_DW, R0, R5, FULL);	/* 0 or 1 = IR_SWEEP_FULL */
	asm_jcci(g->a, BPF_JEQ, R0, 0, done);
	asm_sti(g->a, BPF_DW, R5, FULL, 0);
	asm_jmp(g->a, done);
	asm_bind(g->a, all);
	asm_movi(g->a, R1, 1);
	asm_atomic(g->a, R5, TURN, R1, BPF_ADD);
	asm_sti(g->a, BPF_DW, R5, ENDED, 0);
	asm_movi(g->a, R0, IR_SWEEP_ALL);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

void emit_sweep(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t obj = ins->arg[0].obj, sweep = asm_label(g->a), not_full = asm_label(g->a);
	int which = gen_val(g, &ins->arg[1], R1);

	notes_address(g, R2, count_offset(g->im, obj));
	asm_ld(g->a, BPF_DW, R0, R2, 0);
	asm_jcci(g->a, BPF_JEQ, which, IR_SWEEP_ALL, sweep);
	asm_jcci(g->a, BPF_JLT, R0, full_at(g->im, obj), not_full);
	asm_bind(g->a, sweep);
	asm_sti(g->a, BPF_DW, R2, 0, 0);
	asm_map(g->a, R1, g->im->place[obj].map);
	asm_subaddr(g->a, R2, g->sweeper);
	asm_movi(g->a, R3, 0);
	asm_movi(g->a, R4, 0);
	asm_call(g->a, BPF_FUNC_for_each_map_elem);
	asm_bind(g->a, not_full);
}

/* The kernel calls it with the map, a key and its value. */
void ended_sweeper(struct bpf_gen *g)
{
	uint32_t dead = asm_label(g->a);

	asm_sub(g->a, "sweep");
	asm_bind(g->a, g->sweeper);
	asm_mov(g->a, R4, R2);
	asm_ld(g->a, BPF_DW, R3, R2, 0);
	for (int i = 0; i < ENDED_PROBES; i++) {
		slot_address(g, i);
		asm_ld(g->a, BPF_DW, R0, R2, 0);
		asm_alui(g->a, BPF_RSH, R0, ENDED_TURN_BITS);
		asm_jcc(g->a, BPF_JEQ, R0, R3, dead);
	}
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
	asm_bind(g->a, dead);
	asm_mov(g->a, R2, R4);
	asm_call(g->a, BPF_FUNC_map_delete_elem);
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
}
