/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program with stacks of every kind, which it knows: see chain.h.
 *
 *	walk [-p PLUGIN] [-m MS] [-w] KIND...
 *
 * -w: waits for standard input at each stop. The kinds are in the table at the end.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#ifndef STATIC
#include <dlfcn.h>
#endif

#include "chain.h"

typedef unsigned long call_fn(unsigned long v);

unsigned long inner(unsigned long v);
unsigned long middle(unsigned long v);
unsigned long outer(unsigned long v);
int compares(const void *a, const void *b);
void handler(int sig);
void fault_handler(int sig);
void *thread(void *arg);
void run(const char *name);

static const char *plugin, *self;
static volatile int zero;

KEEP unsigned long inner(unsigned long v)
{
	chain_enter("inner");
	return chain_end(stop(v));
}

KEEP unsigned long middle(unsigned long v)
{
	chain_enter("middle");
	return chain_end(inner(v + 1) * 3);
}

KEEP unsigned long outer(unsigned long v)
{
	chain_enter("outer");
	return chain_end(middle(v + 2) * 5);
}

/* A frame whose size is known only when it runs. */
KEEP unsigned long allocates(unsigned long v)
{
	size_t n = 100 + v % 7 * 100;
	volatile char *p = alloca(n);

	chain_enter("allocates");
	p[0] = p[n - 1] = 1;
	return chain_end(middle(v) + (unsigned long)p[0]);
}

/* The stack is aligned: the caller's frame is found by an expression. */
KEEP unsigned long aligns(unsigned long v)
{
	volatile char __attribute__((aligned(128))) line[256];

	chain_enter("aligns");
	line[v % 256] = 1;
	return chain_end(middle(v) + (unsigned long)line[0] + (unsigned long)((uintptr_t)line % 128));
}

/* All registers that a function must preserve are in use. */
KEEP unsigned long busy_registers(unsigned long v)
{
	unsigned long a = v * 3, b = v * 5, c = v * 7, d = v * 11, e = v * 13, f = v * 17;

	chain_enter("busy_registers");
	for (int i = 0; i < 2; i++)
		a += b ^ (c += d ^ (e += f));
	v = middle(v);
	return chain_end(v + a + b + c + d + e + f);
}

KEEP unsigned long recurses(unsigned long v)
{
	chain_enter("recurses");
	return chain_end(v % 100 ? recurses(v - 1) * 3 : inner(v));
}

/* 200 KB of stack, all of it written. */
KEEP unsigned long large(unsigned long v)
{
	volatile char bytes[40 << 10];

	chain_enter("large");
	for (size_t i = 0; i < sizeof bytes; i += 64)
		bytes[i] = (char)v;
	return chain_end((v % 60 < 5 ? large(v + 1) : inner(v)) + (unsigned long)bytes[v % sizeof bytes]);
}

/* Compilers that optimise turn the last call into a jump. Then this function is not on the stack. */
KEEP unsigned long jumps(unsigned long v)
{
	return outer(v + 1);
}

KEEP unsigned long tail(unsigned long v)
{
	chain_enter("tail");
	chain_enter("?jumps");
	v = jumps(v);
	chain_leave();
	return chain_end(v);
}

static unsigned long sum;

KEEP int compares(const void *a, const void *b)
{
	chain_enter("compares");
	if (!zero) {
		zero = 1;
		sum += inner((unsigned long)*(const int *)a);
	}
	chain_end(0);
	return *(const int *)a - *(const int *)b;
}

/* Through functions of the C library. */
KEEP unsigned long sorts(unsigned long v)
{
	int numbers[] = { 3, 1, (int)v };

	chain_enter("sorts");
	chain_enter("**");
	zero = 0;
	qsort(numbers, 3, sizeof numbers[0], compares);
	chain_leave();
	return chain_end(sum + (unsigned long)numbers[0]);
}

KEEP void handler(int sig)
{
	chain_enter("*");		/* the frame that returns from the signal */
	chain_enter("handler");
	sum += inner((unsigned long)sig);
	chain_end(0);
	chain_leave();
}

KEEP unsigned long signalled(unsigned long v)
{
	struct sigaction a = { .sa_handler = handler };

	chain_enter("signalled");
	sigaction(SIGUSR1, &a, NULL);
	chain_enter("**");		/* of the C library, where it makes the call */
	chain_call(SYS_tgkill, getpid(), chain_call(SYS_gettid, 0, 0, 0), SIGUSR1);
	chain_leave();
	return chain_end(v + sum);
}

/* The handler has a stack of its own. */
KEEP unsigned long elsewhere(unsigned long v)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	static char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };

	chain_enter("elsewhere");
	sigaltstack(&other, NULL);
	sigaction(SIGUSR2, &a, NULL);
	chain_enter("**");
	chain_call(SYS_tgkill, getpid(), chain_call(SYS_gettid, 0, 0, 0), SIGUSR2);
	chain_leave();
	return chain_end(v + sum);
}

static sigjmp_buf after;

KEEP void fault_handler(int sig)
{
	chain_enter("*");
	chain_enter("fault_handler");
	sum += inner((unsigned long)sig);
	siglongjmp(after, 1);
}

/* An invalid access. */
KEEP unsigned long faults(unsigned long v)
{
	struct sigaction a = { .sa_handler = fault_handler };
	volatile char *volatile nowhere = NULL;
	const int depth = chain_n;

	sigaction(SIGSEGV, &a, NULL);
	if (!sigsetjmp(after, 1)) {
		chain_enter("faults");
		*nowhere = 1;
	}
	chain_n = depth;
	return v + sum;
}

#if defined(__x86_64__) && !defined(__ILP32__)
/* asm_tables has unwinding tables and uses no frame pointer; asm_pointer has a frame pointer and no tables. */
__asm__(".text\n"
	".globl asm_tables\n.type asm_tables, @function\n"
	"asm_tables:\n.cfi_startproc\n\tpush %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx, 0\n"
	"\tsub $0x120, %rsp\n.cfi_adjust_cfa_offset 0x120\n\txor %ebx, %ebx\n\tmov %rdi, %rax\n\tmov %rsi, %rdi\n"
	"\tcall *%rax\n\tadd $0x120, %rsp\n.cfi_adjust_cfa_offset -0x120\n\tpop %rbx\n.cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbx\n\tret\n.cfi_endproc\n.size asm_tables, . - asm_tables\n"
	".globl asm_pointer\n.type asm_pointer, @function\n"
	"asm_pointer:\n\tpush %rbp\n\tmov %rsp, %rbp\n\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\tcall *%rax\n\tpop %rbp\n"
	"\tret\n.size asm_pointer, . - asm_pointer\n");
/* Like code of libcrypto: the stack is aligned, and the old stack pointer is below the new one. It stops itself. */
__asm__(".globl asm_below\n.type asm_below, @function\n"
	"asm_below:\n.cfi_startproc\n\tmov %rsp, %rax\n.cfi_def_cfa_register %rax\n"
	"\tpush %rbx\n.cfi_offset %rbx, -16\n\tpush %rbp\n.cfi_offset %rbp, -24\n\txor %ebp, %ebp\n"
	"\tsub $0x140, %rsp\n\tand $-64, %rsp\n\tmov %rax, -8(%rsp)\n"
	".cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n"	/* CFA = *(rsp - 8) + 8 */
	"\tmov %rdi, %rsi\n\tmov $4242, %edi\n\tmov $140, %eax\n\tsyscall\n"
	"\tmov -8(%rsp), %rsi\n.cfi_def_cfa %rsi, 8\n\tmov -16(%rsi), %rbp\n.cfi_restore %rbp\n"
	"\tmov -8(%rsi), %rbx\n.cfi_restore %rbx\n\tmov %rsi, %rsp\n.cfi_def_cfa_register %rsp\n\tret\n"
	".cfi_endproc\n.size asm_below, . - asm_below\n");
unsigned long asm_below(unsigned long n);
unsigned long asm_tables(call_fn *next, unsigned long v);
unsigned long asm_pointer(call_fn *next, unsigned long v);

KEEP unsigned long assembly(unsigned long v)
{
	chain_enter("assembly");
	chain_enter("asm_tables");
	v = asm_tables(outer, v);
	chain_names[chain_n - 1] = "asm_pointer";
	v = asm_pointer(outer, v);
	chain_leave();
	return chain_end(v);
}

KEEP unsigned long below(unsigned long v)
{
	chain_enter("below");
	chain_enter("asm_below");
	v += asm_below((unsigned long)chain_stop());
	chain_wait();
	chain_leave();
	return chain_end(v);
}
#else
KEEP unsigned long below(unsigned long v)
{
	chain_enter("below");
	return chain_end(stop(v));
}

KEEP unsigned long assembly(unsigned long v)
{
	chain_enter("assembly");
	return chain_end(outer(v));
}
#endif

#ifdef STATIC
KEEP unsigned long loads(unsigned long v)
{
	chain_enter("loads");
	return chain_end(outer(v));
}
#else
/* A shared object that is loaded, used and removed. */
KEEP unsigned long loads(unsigned long v)
{
	unsigned long (*call)(call_fn *next, unsigned long v), (*add)(unsigned long v);
	void *object;

	chain_enter("loads");
	object = dlopen(plugin, RTLD_LAZY);
	if (!object)
		_exit(8);
	*(void **)&call = dlsym(object, "plugin_call");
	*(void **)&add = dlsym(object, "plugin_add");
	chain_enter("plugin_call");
	chain_enter("plugin_hidden");
	v = call(outer, add(v));
	chain_leave();
	chain_leave();
	dlclose(object);
	return chain_end(v);
}
#endif

KEEP unsigned long in_thread(unsigned long v)
{
	chain_enter("in_thread");
	return chain_end(outer(v));
}

KEEP void *thread(void *arg)
{
	chain_enter("thread");
	sum += in_thread((unsigned long)(uintptr_t)arg);
	chain_leave();
	return arg;
}

KEEP unsigned long threads(unsigned long v)
{
	pthread_t t[3];

	for (unsigned long i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i))
			_exit(7);
	for (unsigned long i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return v;
}

/* The child of vfork() stops in the memory of its parent; another child executes the program again. */
KEEP unsigned long forks(unsigned long v)
{
	char first[16], ms[16];
	pid_t pid;

	chain_enter("forks");
	pid = vfork();
	if (!pid) {
		sum += outer(v);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	snprintf(first, sizeof first, "%d", chain_stops + 1000);
	snprintf(ms, sizeof ms, "%d", chain_ms);
	pid = vfork();
	if (!pid) {
		execl(self, self, "-n", first, "-m", ms, "plain", NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	return chain_end(v);
}

static const struct {
	const char *name;
	call_fn *run;
} kinds[] = {
	{ "plain", outer }, { "alloca", allocates }, { "aligned", aligns }, { "registers", busy_registers },
	{ "deep", recurses }, { "tail", tail }, { "library", sorts }, { "signal", signalled },
	{ "altstack", elsewhere }, { "large", large },
	{ "fault", faults }, { "assembly", assembly }, { "below", below },
	{ "plugin", loads }, { "threads", threads }, { "fork", forks },
};

KEEP void run(const char *name)
{
	chain_enter("run");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strcmp(kinds[i].name, name)) {
			sum += kinds[i].run(61);
			chain_leave();
			return;
		}
	fprintf(stderr, "walk: unknown kind %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	int opt;

	self = argv[0];
	while ((opt = getopt(argc, argv, "p:m:n:w")) != -1) {
		plugin = opt == 'p' ? optarg : plugin;
		chain_ms = opt == 'm' ? atoi(optarg) : chain_ms;
		chain_stops = opt == 'n' ? atoi(optarg) : chain_stops;
		chain_waits |= opt == 'w';
	}
	chain_enter("main");
	for (; optind < argc; optind++)
		run(argv[optind]);
	return sum == 1;
}
