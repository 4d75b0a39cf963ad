/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that run a function several times for one firing (struct ir_func.turns). The program itself only reads how
 * often, and lets the kernel call the function that often (bpf_loop). The kernel verifies the function once.
 *
 * Ownership: as isel.h. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_TURNS_H
#define ENGINE_BPF_CODE_TURNS_H

#include "engine/bpf/code/isel.h"

enum { STACK_TURNS = 32 };	/* bytes of stack of the program itself; some kernels add to them what bpf_loop needs */

/* True if this kernel can run the function in turns; also if that cannot be tried. */
bool turns_possible(const struct ir_func *f);
/* Emits the program that calls the function at label `turn`. */
void turns_emit(struct bpf_gen *g, uint32_t turn);
/* Emits the beginning of the function: R1 = the context, R2 = the number of the turn. R3 is lost. */
void turns_enter(struct bpf_gen *g);

#endif
