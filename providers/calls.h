/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the arguments and the result of a function are: offsets in struct pt_regs, by the calling conventions of the
 * System V ABI (x86-64) and AAPCS64, which processes and the kernel share.
 *
 * Ownership: constants. Errors: none.
 */
#ifndef PROVIDERS_CALLS_H
#define PROVIDERS_CALLS_H

#include <stdint.h>

#if defined(__x86_64__)
static const uint16_t call_reg[] = { 112, 104, 96, 88, 72, 64 };	/* rdi rsi rdx rcx r8 r9 */
enum { CALL_RESULT = 80, CALL_STACK = 152, CALL_STACK_ARGS = 8 /* after the return address */ };
#elif defined(__aarch64__)
static const uint16_t call_reg[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
enum { CALL_RESULT = 0, CALL_STACK = 248, CALL_STACK_ARGS = 0 };
#else
#error "which registers hold the arguments of a function?"
#endif

enum { CALL_REGS = sizeof call_reg / sizeof *call_reg };

#endif
