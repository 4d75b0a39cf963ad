/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Emits one function whose places are settled. Nothing can fail here. */
#ifndef ENGINE_BPF_FUNCTION_H
#define ENGINE_BPF_FUNCTION_H

#include "engine/bpf/isel.h"

void function_emit(struct gen *g);
/* fault(frame of the caller, epid, action and kind, value, time of the firing): the consumer's record, then the error function, which is
 * at label `error`. */
void function_emit_reporter(struct gen *g, uint32_t error);

#endif
