/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64: see arch.h. Plain data. Errors: none. */
#ifndef BASE_ARCH_X86_64_H
#define BASE_ARCH_X86_64_H

/* ---- registers ---- */
enum {
	ARCH_PC = 128,
	ARCH_STACK = 152,
	ARCH_RESULT = 80,		/* of a function */
	ARCH_NUMBER = 120,		/* of a system call */
	ARCH_MODE = 136,		/* cs: user or kernel mode, 64 or 32 bits */
	ARCH_MODE_MASK = 3, ARCH_MODE_USER = 3,
	ARCH_MODE32_MASK = 0xffff, ARCH_MODE32 = 0x23,
	ARCH_SAMPLE_KERNEL = 0x10, ARCH_SAMPLE_USER = 0x33,	/* values of ARCH_MODE */
	ARCH_STACK_ARGS = 8,		/* at a function's entry: after the return address */
};
#define ARCH_ARGS { 112, 104, 96, 88, 72, 64 }		/* of a function: rdi rsi rdx rcx r8 r9 */
#define ARCH_GO_ARGS { 80, 40, 88, 112, 104, 72, 64, 56, 48 }	/* of Go: rax rbx rcx rdi rsi r8 r9 r10 r11 */
#define ARCH_CALL_ARGS { 112, 104, 96, 56, 72, 64 }	/* of a system call: rdi rsi rdx r10 r8 r9 */
/* Of mmap, mprotect and pkey_mprotect: where the number and four arguments are, the numbers. For 64 and 32 bits:
 * orig_rax, rdi, rsi, rdx, r10; orig_eax, ebx, ecx, edx, esi. */
#define ARCH_MAPS { 120, 112, 104, 96, 56, 9, 10, 329 }
#define ARCH_MAPS32 { 120, 40, 88, 96, 104, 192, 125, 380 }
/* By word of struct pt_regs: perf's number of the register (asm/perf_regs.h), or -1. */
#define ARCH_PERF_REGS { \
	PERF_REG_X86_R15, PERF_REG_X86_R14, PERF_REG_X86_R13, PERF_REG_X86_R12, PERF_REG_X86_BP, PERF_REG_X86_BX, \
	PERF_REG_X86_R11, PERF_REG_X86_R10, PERF_REG_X86_R9, PERF_REG_X86_R8, PERF_REG_X86_AX, PERF_REG_X86_CX, \
	PERF_REG_X86_DX, PERF_REG_X86_SI, PERF_REG_X86_DI, -1, PERF_REG_X86_IP, PERF_REG_X86_CS, PERF_REG_X86_FLAGS, \
	PERF_REG_X86_SP, PERF_REG_X86_SS }
/* Where the kernel runs copies of probed instructions if this page is free (xol_add_vma() in kernel/events/uprobes.c):
 * the last page. */
#define ARCH_UPROBES 0x7fffffffe000ull
#define ARCH_PERF_PC PERF_REG_X86_IP
#define ARCH_PERF_SP PERF_REG_X86_SP

/* ---- a thread in a 32-bit system call ---- */
/* struct thread_info, the beginning of the task: TS_COMPAT in `status`. */
enum { ARCH_COMPAT = 16, ARCH_COMPAT_BYTES = 4, ARCH_COMPAT_BIT = 2 };

/* ---- a traced thread: struct user_regs_struct ---- */
#define ARCH_REGS_PC(r) ((r)->rip)
#define ARCH_REGS_FIRST(r) ((r)->rdi)
/* After one step: the instruction was a jump. */
#define ARCH_REGS_JUMPED(r, before) ((r)->rip - (before)->rip > 15)
/* At the end of a system call: its number (-1: the thread is elsewhere), its result, and what makes it again. */
#define ARCH_REGS_CALL(r) ((int64_t)(r)->orig_rax)
#define ARCH_REGS_RESULT(r) ((int64_t)(r)->rax)
#define ARCH_REGS_REPEAT(r) ((r)->rax = (r)->orig_rax, (r)->rip -= 2)
/* Of a 32-bit thread, NT_PRSTATUS has words of 4 bytes: perf's number of each, or -1. */
#define ARCH_COMPAT_REGS { \
	PERF_REG_X86_BX, PERF_REG_X86_CX, PERF_REG_X86_DX, PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP, \
	PERF_REG_X86_AX, -1, -1, -1, -1, -1, PERF_REG_X86_IP, PERF_REG_X86_CS, PERF_REG_X86_FLAGS, PERF_REG_X86_SP, \
	PERF_REG_X86_SS }
/* An instruction that traps and that the kernel does not take for its own: ud2. */
#define ARCH_UNDEFINED 0x0b0ful
#define ARCH_UNDEFINED_MASK 0xfffful
/* May a thread be stepped when a breakpoint of perf has stopped it? */
enum { ARCH_STEPS_AT_BREAKPOINT = 1 };

/* ---- D ---- */
#define ARCH_CALL_TABLE "providers/syscall/x86_64.def"
#define ARCH_UREGS "base/arch/x86_64_uregs.def"
#define ARCH_USDT "base/arch/x86_64_usdt.def"
#define ARCH_SYSCALLS "base/arch/x86_64_syscalls.h"
#define ARCH_D_ARG0 "uregs[R_RDI]"
#define ARCH_D_ARG1 "uregs[R_RSI]"
#define ARCH_D_ARG2 "uregs[R_RDX]"
#define ARCH_D_STACK "uregs[R_RSP]"
#define ARCH_D_RESULT "(int)uregs[R_RAX]"
/* At the first instruction of a function. */
#define ARCH_D_CALLER "*(userland uint64_t *)uregs[R_RSP]"
#define ARCH_D_CALL_ARG0 "((struct pt_regs *)_raw0)->di"
#define ARCH_D_CALL_ARG1 "((struct pt_regs *)_raw0)->si"
#define ARCH_D_COMPAT "(curthread->thread_info.status & 2)"
#define ARCH_D_FUTEX "202"
#define ARCH_D_YIELD "24"

/* ---- files ---- */
enum { ARCH_ELF = 62 /* EM_X86_64 */, ARCH_ELF32 = 3 /* EM_386 */ };

/* ---- the kernel ---- */
enum {
	ARCH_LOADS_REFUSED = 1,		/* its JIT compiler refuses loads from a process's addresses */
	ARCH_DECODER_REQUIRED = 1,	/* not all instructions that cannot be probed are refused */
};
#define ARCH_HAS_FAULT_TRACEPOINTS 1	/* page_fault_user, page_fault_kernel */
#define ARCH_HAS_IPI_TRACEPOINTS 1	/* call_function_entry */

#endif
