/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/perf_emit.h"

#include <linux/bpf_perf_event.h>
#include <stddef.h>

#include "base/arch/arch.h"

/* The highest bit distinguishes the kernel's addresses without a branch. */
ir_reg perf_emit_pc(struct ir_builder *b, bool kernel)
{
	ir_reg pc = ir_emit(b, IR_CTX, ir_i(ARCH_PC));
	ir_reg mask = ir_emit(b, IR_ASHR, ir_r(pc), ir_i(63));

	if (!kernel)
		mask = ir_emit(b, IR_NOT, ir_r(mask));
	return ir_emit(b, IR_AND, ir_r(pc), ir_r(mask));
}

void perf_emit_count(struct ir_builder *b, const struct probe *p, unsigned word)
{
	const char *name = arena_printf(b->prog->arena, "%s" PROBE_FIRED, p->name);
	int64_t found = ir_obj_find(b->prog, name);
	/* a cell like that of an aggregation: on a cache line of its CPU, and without atomics if only the event's
	 * program counts */
	uint32_t obj = found >= 0 ? (uint32_t)found : ir_obj_add(b->prog, &(struct ir_obj){
		.name = name, .kind = IR_O_AGG, .size = FIRED_WORDS * sizeof(uint64_t), .tag = UINT32_MAX,
	});
	ir_reg cell = ir_emit(b, IR_CELL0, ir_o(obj));

	ir_emit_to(b, IR_XADD, 0, ir_mc(cell, obj, word * sizeof(uint64_t)), ir_i(1));
}
