/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IR that programs of perf events (IR_C_PERF) share: profile and cpc.
 * Ownership: objects belong to the program. Errors: none.
 */
#ifndef PROVIDERS_PERF_EMIT_H
#define PROVIDERS_PERF_EMIT_H

#include "ir/ir.h"
#include "providers/provider.h"

/* Emits the interrupted program counter: the kernel's, or the user's. 0 if the CPU was in the other mode. */
ir_reg perf_emit_pc(struct ir_builder *b, bool kernel);
/* Emits code that adds 1 to a word (FIRED_SELF...) of the probe's object NAME.fired, in the cell of this CPU. */
void perf_emit_count(struct ir_builder *b, const struct probe *p, unsigned word);

#endif
