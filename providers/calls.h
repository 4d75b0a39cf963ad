/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the arguments and the result of a function are: offsets in struct pt_regs, by the calling conventions of the
 * System V ABI (x86-64) and AAPCS64, which processes and the kernel share; and by that of Go's functions, whose first
 * words of arguments and of results are in the same registers (Go's cmd/compile/abi-internal.md).
 *
 * Ownership: constants. Errors: none.
 */
#ifndef PROVIDERS_CALLS_H
#define PROVIDERS_CALLS_H

#include <stdint.h>

#include "base/arch/arch.h"

static const uint16_t call_reg[] = ARCH_ARGS;
static const uint16_t call_go_reg[] = ARCH_GO_ARGS;
enum { CALL_RESULT = ARCH_RESULT, CALL_STACK = ARCH_STACK, CALL_STACK_ARGS = ARCH_STACK_ARGS };

enum {
	CALL_REGS = sizeof call_reg / sizeof *call_reg,
	CALL_GO_REGS = sizeof call_go_reg / sizeof *call_go_reg,
};

#endif
