/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the machine code around a return address says: x86-64, with 32-bit processes. Bytes are read as words, so the
 * byte at the lowest address is the least significant one.
 *
 * Ownership: none. Errors: none.
 */
#ifndef RT_CALLSITE_H
#define RT_CALLSITE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CALLSITE_BYTES = 8,		/* before a return address that are looked at */
	CALLSITE_SIGRETURN = 9,		/* after it */
	CALLSITE_SYSCALL = 7,		/* of these, those before the system call */
	CALLSITE_INSN = 2,		/* bytes of a system call's instruction */
	CALLSITE_DIRECT = 0xe8,		/* call rel32 */
	CALLSITE_INDIRECT = 0xff,	/* with /2 in its ModRM byte: call r/m */
	CALLSITE_BREAKPOINT = 0xcc,	/* which replaces an opcode */
	CALLSITE_NOP = 0x90,
};

/* The byte n bytes before the end of the word. */
static inline uint32_t callsite_byte(uint64_t before, uint32_t n)
{
	return (uint32_t)(before >> (64 - 8 * n)) & 0xff;
}

/* The size of an instruction with one byte of opcode and these ModRM and SIB bytes (if it has one). */
static inline uint32_t callsite_size(uint32_t modrm, uint32_t sib)
{
	uint32_t mod = modrm >> 6, rm = modrm & 7, base = rm == 4 ? sib & 7 : rm;
	uint32_t size = 2 + (mod != 3 && rm == 4);

	if (mod == 1)
		return size + 1;
	return mod == 2 || (mod == 0 && base == 5) ? size + 4 : size;
}

static inline bool callsite_indirect(uint64_t before, uint32_t size)
{
	uint32_t opcode = callsite_byte(before, size), modrm = callsite_byte(before, size - 1);

	return (opcode == CALLSITE_INDIRECT || opcode == CALLSITE_BREAKPOINT) && (modrm >> 3 & 7) == 2 &&
	       callsite_size(modrm, size > 2 ? callsite_byte(before, size - 2) : 0) == size;
}

/* Do the 8 bytes before an address end with a call? A run of breakpoints is padding. */
static inline bool callsite_call(uint64_t before)
{
	uint32_t direct = callsite_byte(before, 5);

	return direct == CALLSITE_DIRECT ||
	       (direct == CALLSITE_BREAKPOINT && before >> 32 != 0xccccccccu) ||
	       callsite_indirect(before, 2) || callsite_indirect(before, 3) || callsite_indirect(before, 4) ||
	       callsite_indirect(before, 6) || callsite_indirect(before, 7);
}

/* Go's runtime.goexit, in which goroutines begin: a nop before the address, a call at it. */
static inline bool callsite_goexit(uint64_t before, uint64_t first)
{
	return callsite_byte(before, 1) == CALLSITE_NOP && (first & 0xff) == CALLSITE_DIRECT;
}

static inline bool callsite_syscall(uint64_t before)
{
	return before >> 48 == 0x050f;
}

/* Do the 8 bytes before an address end with a system call that makes threads? A thread begins at the address, on the
 * stack in the second argument of clone(2): then new_stack is true. glibc's clone3() is recognised by the number. */
static inline bool callsite_thread(uint64_t before, bool new_stack)
{
	return callsite_syscall(before) && (new_stack || (before >> 8 & 0xffffffffffu) == 0x01b3b8);
}

#define CALLSITE_SIGRETURN_FIRST 0x0f0000000fc0c748u

/* The 9 bytes at an address: mov $15, %rax; syscall. That is rt_sigreturn(2), to which a signal handler returns. */
static inline bool callsite_sigreturn(uint64_t first, uint8_t last)
{
	return first == CALLSITE_SIGRETURN_FIRST && last == 0x05;
}

#endif
