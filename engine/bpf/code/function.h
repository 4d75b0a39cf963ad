/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Emits one function after its registers and objects have been placed. Errors: none. */
#ifndef ENGINE_BPF_CODE_FUNCTION_H
#define ENGINE_BPF_CODE_FUNCTION_H

#include "engine/bpf/code/isel.h"

void function_emit(struct bpf_gen *g);
/* Emits the subprogram fault(frame of the caller, epid, action and kind, value, time of the firing), which sends the
 * error record to the consumer and then calls the error function at label `error`. */
void function_emit_reporter(struct bpf_gen *g, uint32_t error);

#endif
