/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks with words that are no return addresses, where an unwinder reads one.
 *
 *	astray KIND
 *
 * coroutine: a stack of makecontext(), which no call began; generated, child: code in memory that is in no file, in
 * this process or in a child. Their stacks are complete. Others: code without a table is left with a frame pointer
 * that leads to such a word; the stack must end in lost(). Each spins for 100 ms.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

void spin(void);
void lost(uint64_t *frame, void (*next)(void));
void astray(uint64_t word);
int deep(int n);
void entry(void);

static volatile unsigned long sum;
static ucontext_t here, other;

KEEP void spin(void)
{
	while (clock() < CLOCKS_PER_SEC / 10)
		for (int i = 0; i < 100000; i++)
			sum += (unsigned long)i;
}

/* No table, and the frame pointer is the first argument. */
__asm__(".text\n.globl lost\n.type lost, @function\n"
	"lost:\n\tpush %rbp\n\tmov %rdi, %rbp\n\tcall *%rsi\n\tpop %rbp\n\tret\n.size lost, . - lost\n");

KEEP void astray(uint64_t word)
{
	volatile uint64_t frame[2] = { 0, word };

	lost((uint64_t *)frame, spin);
	sum += frame[0];
}

KEEP int deep(int n)
{
	volatile char p[50];

	p[n % 50] = 1;
	if (n)
		return deep(n - 1) + p[0];
	spin();
	return 1;
}

KEEP void entry(void)
{
	sum += (unsigned long)deep(3);
}

static int coroutine(void)
{
	static char stack[65536];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	other.uc_link = &here;
	makecontext(&other, entry, 0);
	return swapcontext(&here, &other);
}

/* Calls its argument. A compiler would make the memory writable again to write more. */
static int generated(void)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void *p = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*next)(void));

	if (p == MAP_FAILED)
		return 1;
	memcpy(p, code, sizeof code);
	mprotect(p, sizeof code, PROT_READ | PROT_EXEC);
	memcpy(&call, &p, sizeof call);
	call(entry);
	return 0;
}

static int child(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(generated());
	return waitpid(pid, NULL, 0) < 0;
}

int main(int argc, char **argv)
{
	const struct { const char *name; uint64_t word; } words[] = {
		{ "number", 0x300000003 }, { "heap", (uintptr_t)malloc(100) }, { "stack", (uintptr_t)&argc },
		{ "data", (uintptr_t)&here }, { "function", (uintptr_t)astray }, { "middle", (uintptr_t)astray + 5 },
	};

	const struct { const char *name; int (*run)(void); } others[] = {
		{ "coroutine", coroutine }, { "generated", generated }, { "child", child },
	};

	for (size_t i = 0; argc > 1 && i < sizeof words / sizeof words[0]; i++)
		if (!strcmp(words[i].name, argv[1]))
			astray(words[i].word);
	for (size_t i = 0; argc > 1 && i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(others[i].name, argv[1]))
			return others[i].run();
	return 0;
}
