/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Straight lines of which not all are executed, because a call or a system call does not return. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

static jmp_buf back;
static sigjmp_buf after;
static volatile int a, b, c, handled;

static void handler(int s)
{
	handled++;
	a = s;
	b = a;
	siglongjmp(after, 1);
}

static void returns(int s)
{
	handled++;
	a = s;
	b = a;
}

static void jump(int n)
{
	a = n;
	b = n;
	longjmp(back, n);
	c = n;
	a = c;
}

static void __attribute__((noinline)) leave(long code)
{
	a = 1;
	b = 2;
	/* one statement with the instruction before the system call, at which there can be no probe */
	__asm__ volatile("mov %0, %%eax\n\tsyscall" : : "i"(SYS_exit_group), "D"(code) : "rax", "rcx", "r11", "memory");
	c = 3;
	a = 4;
}

int main(void)
{
	signal(SIGUSR1, handler);
	signal(SIGUSR2, returns);
	for (volatile int i = 0; i < 10; i++) {
		a = 1;
		if (!setjmp(back)) {
			b = 1;
			c = 1;
			jump(3);
			b = 9;
			c = 9;
		}
		a = 5;
		b = 5;
	}
	for (volatile int i = 0; i < 10; i++) {
		a = 1;
		if (!sigsetjmp(after, 1)) {
			b = 1;
			c = 1;
			raise(SIGUSR1);
			b = 9;
			c = 9;
		}
		a = 5;
		b = 5;
		raise(SIGUSR2);
		a = 6;
		b = 6;
	}
	a = 7;
	leave(0);
	a = 8;
	return 0;
}
