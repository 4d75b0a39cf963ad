/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program without libraries: makes a system call below first(), middle() and inner(), and ends. With -DNOWHERE, the
 * stack pointer does not point to memory meanwhile. Compile it with -nostdlib -static -O2.
 */
#include <sys/syscall.h>

#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noinline, noipa, used))
#endif

static inline long call(long number, long arg)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(arg) : "rcx", "r11", "memory");
	return result;
}

KEEP static void inner(void)
{
#ifdef NOWHERE
	__asm__ volatile("mov %%rsp, %%rbx; mov $64, %%esp; syscall; mov %%rbx, %%rsp"
			 : : "a"((long)SYS_getppid) : "rbx", "rcx", "r11", "memory");
#else
	call(SYS_getppid, 0);
#endif
	__asm__ volatile("");
}

KEEP static void middle(void)
{
	inner();
	__asm__ volatile("");
}

KEEP static void first(void)
{
	middle();
	call(SYS_exit_group, 0);
}

__asm__(".globl _start\n_start:\n.cfi_startproc\n.cfi_undefined rip\nand $-16, %rsp\ncall first\nhlt\n.cfi_endproc\n");
