/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to the tables of associative arrays and thread-local variables (vars.h). */
#include <errno.h>
#include <linux/bpf.h>

#include "engine/bpf/code/isel.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/code/vars.h"

/* R5 = the first row. */
static void table_rows(struct bpf_gen *g, uint32_t obj)
{
	asm_mapval(g->a, R5, g->im->map_of[BPF_MAP_DATA], g->im->place[obj].table + CACHE_LINE);
}

/* Jumps to `found` with R2 = a row that has the tag now. If no row is free, marks the table as full and jumps to
 * `slow`. clear: a firing may have written to the free row after another one had removed its element. */
static void claim_row(struct bpf_gen *g, const struct var_search *s, bool clear, uint32_t found, uint32_t slow)
{
	uint32_t claimed = asm_label(g->a);

	var_first(g->a, s);
	for (int i = 0; i < VAR_PROBES; i++) {
		rows_at(g->a, i, s->rows, s->row);
		asm_movi(g->a, R0, 0);
		asm_atomic(g->a, R2, 0, R3, BPF_CMPXCHG);
		asm_jcci(g->a, BPF_JEQ, R0, 0, claimed);
		asm_jcc(g->a, BPF_JEQ, R0, R3, found);
	}
	asm_sti(g->a, BPF_DW, R5, -CACHE_LINE, 1);
	asm_jmp(g->a, slow);
	asm_bind(g->a, claimed);
	for (uint32_t at = 8; clear && at < s->end; at += 8)
		asm_sti(g->a, BPF_DW, R2, (int16_t)at, 0);
	asm_jmp(g->a, found);
}

/* R3 = the tag of the element; jumps to `never` if it has none. R5 = the first row. */
static void array_tag(struct bpf_gen *g, const struct ir_ins *ins, uint32_t never)
{
	struct addr key = gen_addr(g, &ins->arg[1], R4, 8);

	asm_ld(g->a, BPF_DW, R3, key.base, (int16_t)key.off);
	asm_alui(g->a, BPF_ADD, R3, 1);
	asm_jcci(g->a, BPF_JEQ, R3, 0, never);
	table_rows(g, ins->arg[0].obj);
}

/* R3 = the tag of the thread: the distance of its task from the table, because only a difference of two addresses is a
 * number for the verifier. R4 = the thread's start time, R5 = the first row. */
static void thread_tag(struct bpf_gen *g, const struct ir_ins *ins)
{
	gen_task(g, ins->arg[0].obj);
	table_rows(g, ins->arg[0].obj);
	asm_ld(g->a, BPF_DW, R4, R0, (int16_t)g->im->par.task.start);
	asm_mov(g->a, R3, R0);
	asm_alu(g->a, BPF_SUB, R3, R5);
}

static void tag_of(struct bpf_gen *g, const struct ir_ins *ins, uint32_t never)
{
	if (ins->op == IR_TLS)
		thread_tag(g, ins);
	else
		array_tag(g, ins, never);
}

/* Clears the value of row R2 if a thread that no longer exists left it. Clobbers R0. */
static void clear_stale(struct bpf_gen *g, const struct var_search *s)
{
	uint32_t own = asm_label(g->a), fresh = asm_label(g->a);

	asm_ld(g->a, BPF_DW, R0, R2, VAR_START);
	asm_jcc(g->a, BPF_JEQ, R0, R4, own);
	asm_jcci(g->a, BPF_JEQ, R0, 0, fresh);
	for (uint32_t at = VAR_START + 8; at < s->end; at += 8)
		asm_sti(g->a, BPF_DW, R2, (int16_t)at, 0);
	asm_bind(g->a, fresh);
	asm_st(g->a, BPF_DW, R2, VAR_START, R4);
	asm_bind(g->a, own);
}

void gen_var_find(struct bpf_gen *g, const struct ir_ins *ins, gen_find_fn *find_in_map, uint32_t slow, uint32_t done)
{
	struct var_search s = var_search(g->im, &g->im->place[ins->arg[0].obj]);
	uint32_t found = asm_label(g->a), absent = asm_label(g->a);

	tag_of(g, ins, slow);
	var_find(g->a, &s, found);
	asm_ld(g->a, BPF_DW, R0, R5, -CACHE_LINE);
	if (find_in_map) {
		asm_jcci(g->a, BPF_JEQ, R0, 0, absent);
		find_in_map(g, ins);
		asm_jcci(g->a, BPF_JNE, R0, 0, done);
		asm_bind(g->a, absent);
		tag_of(g, ins, slow);
		claim_row(g, &s, g->im->place[ins->arg[0].obj].removed, found, slow);
	} else {
		asm_jcci(g->a, BPF_JEQ, R0, 0, done);
		asm_jmp(g->a, slow);
	}
	asm_bind(g->a, found);
	if (ins->op == IR_TLS)
		clear_stale(g, &s);
	asm_mov(g->a, R0, R2);
	asm_alui(g->a, BPF_ADD, R0, (int32_t)vars_value(g->im, &g->im->place[ins->arg[0].obj]));
	asm_jmp(g->a, done);
}

void gen_var_remove(struct bpf_gen *g, const struct ir_ins *ins, uint32_t slow, uint32_t done)
{
	struct var_search s = var_search(g->im, &g->im->place[ins->arg[0].obj]);

	array_tag(g, ins, slow);
	var_remove(g->a, &s);
	asm_ld(g->a, BPF_DW, R0, R5, -CACHE_LINE);
	asm_jcci(g->a, BPF_JEQ, R0, 0, done);
}
