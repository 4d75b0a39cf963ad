/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go's run-time system on x86-64, Go 1.18 and later: its structures, and the functions in assembler that change between
 * the stack of a goroutine and that of the thread (g0). `runtime/runtime2.go` and `runtime/asm_amd64.s` of Go's source
 * define both.
 *
 * Each thread has a word before its own data: the address of its current g. It is the last word, unless the linker has
 * put variables of C there (static programs, libraries); then it is the first one that is a g. g.m is the thread, m.g0
 * its own g, m.curg the goroutine that it runs. g.sched has the registers of a goroutine while the thread is on its own
 * stack.
 *
 * The layout has changed once: struct gobuf lost a word before `bp`, which moved m.curg, too. Which layout a process
 * has shows in the pointers back: curg.m must be m, curg.sched.g must be curg.
 *
 * Ownership: none. Errors: none.
 */
#ifndef RT_GO_H
#define RT_GO_H

/* How a function has changed the stack. In rules of UNWIND_GO (rt/unwind.h), in `reg`. */
enum go_change {
	/* g.sched.sp is the stack pointer with which the function made the change. */
	GO_SYSTEMSTACK,
	/* g.sched is the caller; the g is at the stack pointer. */
	GO_MCALL,
	/* g.sched is the caller; r15 is lost if the thread has left the goroutine since. */
	GO_MORESTACK,
	/* The g is at the stack pointer + `add`, and before it g.stack.hi - stack pointer. g 0: it is the stack
	 * pointer. */
	GO_ASMCGOCALL,
	/* m.g0.sched.sp is the stack pointer in the thread's stack, and at it is the next one. */
	GO_CGOCALLBACK,
	GO_NCHANGES
};

enum go_offset {
	GO_TLS = -8,			/* of the address of g from the thread's own data, as a rule */
	GO_TLS_WORDS = 32,		/* words that are searched for it, if it is elsewhere */
	GO_G_HI = 8,			/* g.stack.hi */
	GO_G_M = 48, GO_G_SCHED = 56,
	GO_BUF_SP = 0, GO_BUF_PC = 8, GO_BUF_G = 16, GO_BUF_BP = 48, GO_BUF_BP_NEW = 40,	/* in g.sched */
	/* g.goid follows g.atomicstatus, of which the value is small, and g.stackLock, which is 0. */
	GO_G_STATUS = 144, GO_G_STATUS_NEW = 152, GO_STATUS_MOST = 0x1fff,
	GO_M_G0 = 0, GO_M_CURG = 192, GO_M_CURG_NEW = 184,
};

#endif
