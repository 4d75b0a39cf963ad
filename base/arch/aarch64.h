/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* arm64: see arch.h. Plain data. Errors: none. */
#ifndef BASE_ARCH_AARCH64_H
#define BASE_ARCH_AARCH64_H

/* ---- registers ---- */
enum {
	ARCH_PC = 256,
	ARCH_STACK = 248,
	ARCH_RESULT = 0,		/* of a function */
	ARCH_NUMBER = 280,		/* of a system call */
	ARCH_MODE = 264,		/* pstate: user or kernel mode, 64 or 32 bits */
	ARCH_MODE_MASK = 0xf, ARCH_MODE_USER = 0,
	ARCH_MODE32_MASK = 0x10, ARCH_MODE32 = 0x10,
	ARCH_SAMPLE_KERNEL = 5, ARCH_SAMPLE_USER = 0,	/* values of ARCH_MODE */
	ARCH_STACK_ARGS = 0,		/* at a function's entry */
};
#define ARCH_ARGS { 0, 8, 16, 24, 32, 40, 48, 56 }	/* of a function: x0 to x7 */
#define ARCH_GO_ARGS { 0, 8, 16, 24, 32, 40, 48, 56, 64 }	/* of Go: x0 to x8, the first of its 16 */
#define ARCH_CALL_ARGS { 272, 8, 16, 24, 32, 40 }	/* of a system call: orig_x0 x1 to x5 */
/* Of mmap, mprotect and pkey_mprotect: where the number and four arguments are, the numbers. For 64 and 32 bits: x8, x0
 * to x3; r7, r0 to r3. */
#define ARCH_MAPS { 64, 0, 8, 16, 24, 222, 226, 288 }
#define ARCH_MAPS32 { 56, 0, 8, 16, 24, 192, 125, 394 }
/* By word of struct pt_regs: perf's number of the register (asm/perf_regs.h), or -1. */
#define ARCH_PERF_REGS { \
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, \
	PERF_REG_ARM64_LR, PERF_REG_ARM64_SP, PERF_REG_ARM64_PC, -1 }
/* Where the kernel runs copies of probed instructions if this page is free (xol_add_vma() in kernel/events/uprobes.c):
 * the last page, with 48 address bits. */
#define ARCH_UPROBES 0xfffffffff000ull
#define ARCH_PERF_PC PERF_REG_ARM64_PC
#define ARCH_PERF_SP PERF_REG_ARM64_SP

/* ---- a thread in a 32-bit system call ---- */
/* struct thread_info, the beginning of the task: TIF_32BIT in `flags`. */
enum { ARCH_COMPAT = 0, ARCH_COMPAT_BYTES = 8, ARCH_COMPAT_BIT = 1 << 22 };

/* ---- a traced thread: struct user_regs_struct ---- */
#define ARCH_REGS_PC(r) ((r)->pc)
#define ARCH_REGS_FIRST(r) ((r)->regs[0])
/* After one step: the instruction was a jump. */
#define ARCH_REGS_JUMPED(r, before) ((r)->pc != (before)->pc + 4)
/* At the end of a system call: the first argument, which would be needed to make it again, is lost. */
#define ARCH_REGS_CALL(r) (-1)
#define ARCH_REGS_RESULT(r) ((int64_t)(r)->regs[0])
#define ARCH_REGS_REPEAT(r) ((void)(r))
/* Of a 32-bit thread, NT_PRSTATUS has words of 4 bytes: perf's number of each, or -1. */
#define ARCH_COMPAT_REGS { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, PERF_REG_ARM64_SP, PERF_REG_ARM64_LR, \
	PERF_REG_ARM64_PC, -1, -1 }
/* An instruction that traps and that the kernel does not take for its own: udf #0. */
#define ARCH_UNDEFINED 0ul
#define ARCH_UNDEFINED_MASK 0xfffffffful
/* May a thread be stepped when a breakpoint of perf has stopped it? The kernel steps over the breakpoint itself, and
 * does not stop for the tracer's step. */
enum { ARCH_STEPS_AT_BREAKPOINT = 0 };

/* ---- D ---- */
#define ARCH_CALL_TABLE "providers/syscall/aarch64.def"
#define ARCH_UREGS "base/arch/aarch64_uregs.def"
#define ARCH_USDT "base/arch/aarch64_usdt.def"
#define ARCH_SYSCALLS "base/arch/aarch64_syscalls.h"
#define ARCH_D_ARG0 "uregs[R_X0]"
#define ARCH_D_ARG1 "uregs[R_X1]"
#define ARCH_D_ARG2 "uregs[R_X2]"
#define ARCH_D_STACK "uregs[R_SP]"
#define ARCH_D_RESULT "(int)uregs[R_X0]"
/* At the first instruction of a function. */
#define ARCH_D_CALLER "uregs[R_X30]"
#define ARCH_D_CALL_ARG0 "((struct pt_regs *)_raw0)->orig_x0"
#define ARCH_D_CALL_ARG1 "((struct pt_regs *)_raw0)->regs[1]"
#define ARCH_D_COMPAT "(curthread->thread_info.flags & 0x400000)"
#define ARCH_D_FUTEX "98"
#define ARCH_D_YIELD "124"

/* ---- files ---- */
enum { ARCH_ELF = 183 /* EM_AARCH64 */, ARCH_ELF32 = 40 /* EM_ARM */ };

/* ---- the kernel ---- */
enum {
	ARCH_LOADS_REFUSED = 0,		/* not known of its JIT compiler */
	ARCH_DECODER_REQUIRED = 0,	/* the kernel refuses the instructions that cannot be probed */
};
#define ARCH_HAS_FAULT_TRACEPOINTS 0
#define ARCH_HAS_IPI_TRACEPOINTS 0

#endif
