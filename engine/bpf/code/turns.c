/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/turns.h"

#include <bpf/libbpf.h>

enum {
	CONTEXT = -8,				/* in the program's frame: the context, for the function */
	COUNT_SHIFT = 32,			/* of the number of turns in the cookie */
};

bool turns_possible(const struct ir_func *f)
{
	return f->turns && libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL) != 0;
}

void turns_emit(struct bpf_gen *g, uint32_t turn)
{
	asm_st(g->a, BPF_DW, FP, CONTEXT, R1);
	asm_call(g->a, BPF_FUNC_get_attach_cookie);
	asm_mov(g->a, R1, R0);
	asm_alui(g->a, BPF_RSH, R1, COUNT_SHIFT);
	asm_subaddr(g->a, R2, turn);
	asm_mov(g->a, R3, FP);
	asm_alui(g->a, BPF_ADD, R3, CONTEXT);
	asm_movi(g->a, R4, 0);
	asm_call(g->a, BPF_FUNC_loop);
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
}

/* The kernel calls it with the number of the turn and the address of CONTEXT. */
void turns_enter(struct bpf_gen *g)
{
	asm_mov(g->a, R3, R1);
	asm_ld(g->a, BPF_DW, R1, R2, 0);
	asm_mov(g->a, R2, R3);
}
