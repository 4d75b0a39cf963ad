/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's stack walker, compiled for this machine, on stacks of this process: functions with and without frame
 * pointers, with alloca, with an aligned stack, signal handlers on both stacks, deep recursion, libraries. It must find
 * the frames that the unwinder of user space finds, from copies and from memory, and all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/symbols/spaces.h"
#include "engine/unwind/unwind.h"
#include "tests/lib/walker.h"

enum { FRAMES = 512, COPY = 60 << 10, DEEP = 200 };
#define OUT_OF_LINE __attribute__((noinline, optnone_))
#ifdef __clang__
#define optnone_ optnone
#else
#define optnone_ noipa
#endif
/* After a call, so that it is not the last thing that a function does. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

struct live {
	struct walker *w;
	struct symbols *symbols;
	struct unwinder *u;
	uint8_t copy[COPY];
	uint64_t mine[FRAMES], theirs[FRAMES];
	uint32_t n;			/* frames of the last comparison */
	volatile bool stop;		/* do not step on */
};

static struct live *live;		/* for signal handlers and qsort */

/* ---- this process ---- */
static void map_file(void *arg, const struct mapping *x)
{
	struct live *l = arg;
	const struct elf *e = x->file ? object_image(x->file) : NULL;
	uint64_t bias;
	struct pack k;

	if (!e || !elf_bias(e, x->start, x->off, &bias))
		return;
	pack_file(&k, x->file, &l->w->rules);
	assert_false(k.nomem);
	walker_add(l->w, &k, x->start - bias, x->end - bias, bias);
	pack_close(&k);
}

static int live_open(void **state)
{
	struct live *l = calloc(1, sizeof *l);
	char why[160];

	if (!l)
		return -1;
	l->w = walker_open();
	l->symbols = symbols_open();
	l->u = unwinder_open(&symbols_ops, l->symbols, why, sizeof why);
	if (!l->symbols || !l->u || symbols_code(l->symbols, getpid(), map_file, l))
		return -1;
	walker_publish(l->w);
	*state = live = l;
	return 0;
}

static int live_close(void **state)
{
	struct live *l = *state;

	unwinder_close(l->u);
	symbols_close(l->symbols);
	walker_close(l->w);
	free(l);
	live = NULL;
	return 0;
}

/* ---- registers at a signal; only on machines that unwind ---- */
enum { TRAP_FLAG = 0x100 };	/* a signal after each instruction */

#if defined(__x86_64__)
static struct task_regs regs_of(const ucontext_t *c)
{
	const greg_t *g = c->uc_mcontext.gregs;

	return (struct task_regs){
		.cs = 0x33, .ip = (uint64_t)g[REG_RIP], .sp = (uint64_t)g[REG_RSP], .bp = (uint64_t)g[REG_RBP],
		.bx = (uint64_t)g[REG_RBX], .r12 = (uint64_t)g[REG_R12], .r13 = (uint64_t)g[REG_R13],
		.r14 = (uint64_t)g[REG_R14], .r15 = (uint64_t)g[REG_R15], .r10 = (uint64_t)g[REG_R10],
	};
}

static void set_trap(ucontext_t *c, unsigned flag)
{
	c->uc_mcontext.gregs[REG_EFL] = (c->uc_mcontext.gregs[REG_EFL] & ~TRAP_FLAG) | flag;
}
#else
static struct task_regs regs_of(const ucontext_t *c)
{
	(void)c;
	return (struct task_regs){ .ip = 0 };
}

static void set_trap(ucontext_t *c, unsigned flag)
{
	(void)c, (void)flag;
}
#endif

/* ---- comparing ---- */
/* Copies as much of the stack as there is, page by page. */
static uint32_t stack_copy(struct live *l, uint64_t sp)
{
	uint32_t n = 0;

	while (n < COPY) {
		uint64_t at = sp + n, left = 4096 - at % 4096;
		uint32_t size = left < COPY - n ? (uint32_t)left : COPY - n;
		struct iovec to = { l->copy + n, size }, from = { (void *)at, size };

		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)size)
			break;
		n += size;
	}
	return n;
}

static uint32_t copy_unwind(struct live *l, const struct task_regs *t)
{
	const struct unwind_machine *m = machine_of(64);
	const uint64_t reg[] = { 0, 0, 0, t->bx, 0, 0, t->bp, t->sp, 0, 0, t->r10, 0, t->r12, t->r13, t->r14, t->r15,
		t->ip };
	uint64_t regs[UNWIND_REGS];
	struct unwind_start s = { .bits = 64, .regs = (const uint8_t *)regs, .stack = l->copy };
	unsigned n = 0;
	struct unwind_stack stack = { .pc = l->theirs, .max = FRAMES };

	for (unsigned bit = 0; bit < 64; bit++)
		for (unsigned i = 0; i < m->nregs; i++)
			if (m->perf[i] == bit) {
				s.mask |= 1ull << bit;
				regs[n++] = reg[i];
			}
	s.below = UNWIND_BELOW;
	s.size = stack_copy(l, t->sp - s.below);
	n = unwinder_run(l->u, getpid(), clock_now(), &s, &stack);
	assert_false(stack.cut);
	return n;
}

/* alternate: the stack continues elsewhere, where the copy does not reach. */
static void compare(struct live *l, const ucontext_t *c, bool alternate)
{
	const uint64_t *end = l->w->slot[0]->end;
	uint64_t whole = end[UNWIND_COMPLETE], reads = l->w->reads;

	l->w->regs = regs_of(c);
	l->n = (uint32_t)rt_unwind(l->mine, FRAMES, UNWIND_NOW);
	assert_int_equal(end[UNWIND_COMPLETE], whole + 1);
	assert_true(l->w->reads - reads <= 2 * l->n + 4);
	if (!alternate) {
		assert_int_equal(copy_unwind(l, &l->w->regs), l->n);
		assert_memory_equal(l->mine, l->theirs, l->n * sizeof *l->mine);
	}
}

OUT_OF_LINE static void here(bool alternate)
{
	ucontext_t c;

	assert_int_equal(getcontext(&c), 0);
	compare(live, &c, alternate);
	NO_TAIL_CALL();
}

/* ---- functions of all kinds ---- */
#ifdef __clang__
#define POINTER
#else
#define POINTER __attribute__((optimize("no-omit-frame-pointer")))
#endif

OUT_OF_LINE static void leaf(void)
{
	here(false);
	NO_TAIL_CALL();
}

OUT_OF_LINE POINTER static void with_pointer(void)
{
	leaf();
	NO_TAIL_CALL();
}

OUT_OF_LINE static void with_alloca(unsigned n)
{
	volatile char *p = alloca(n);

	p[0] = p[n - 1] = 1;
	with_pointer();
	NO_TAIL_CALL();
	p[0] = 2;
}

OUT_OF_LINE static void with_alignment(unsigned n)
{
	_Alignas(64) volatile char p[256];

	p[0] = p[n % sizeof p] = 1;
	with_alloca(n);
	NO_TAIL_CALL();
	assert_int_equal((uintptr_t)p % 64, 0);
}

OUT_OF_LINE static void with_both(unsigned n)
{
	_Alignas(128) volatile char p[128];
	volatile char *q = alloca(n);

	p[0] = q[0] = 1;
	with_alignment(n);
	NO_TAIL_CALL();
	assert_int_equal((uintptr_t)p % 128, 0);
	q[0] = 2;
}

static void test_functions(void **state)
{
	struct live *l = *state;

	leaf();
	for (unsigned n = 1; n < 5000; n += 333) {
		uint32_t before;

		with_pointer();
		before = l->n;
		with_both(n);
		assert_int_equal(l->n, before + 3);
	}
}

OUT_OF_LINE static void recurse(unsigned n)
{
	volatile char p[16];

	p[n % sizeof p] = 1;
	if (n)
		recurse(n - 1);
	else
		leaf();
	NO_TAIL_CALL();
	p[0] = 2;
}

static void test_recursion(void **state)
{
	struct live *l = *state;
	uint32_t before;

	recurse(0);
	before = l->n;
	recurse(DEEP);
	assert_int_equal(l->n, before + DEEP);
}

/* ---- libraries ---- */
static int order(const void *a, const void *b)
{
	(void)a, (void)b;
	leaf();
	NO_TAIL_CALL();
	return 0;
}

static void test_library(void **state)
{
	struct live *l = *state;
	uint64_t v[40] = { 0 };
	uint32_t before;

	leaf();
	before = l->n;
	qsort(v, 40, sizeof *v, order);
	assert_in_range(l->n, before + 2, before + 20);
}

/* ---- signals ---- */
static void on_signal(int signal)
{
	(void)signal;
	here(false);
	NO_TAIL_CALL();
}

/* From the first instruction on: the registers of the interrupted function. */
static void on_signal_within(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	compare(live, context, false);
}

static void on_signal_elsewhere(int signal)
{
	(void)signal;
	here(true);
	NO_TAIL_CALL();
}

static void signal_with(void (*simple)(int), void (*with)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = { .sa_flags = flags | (with ? SA_SIGINFO : 0) }, was;

	if (with)
		a.sa_sigaction = with;
	else
		a.sa_handler = simple;
	assert_int_equal(sigaction(SIGUSR1, &a, &was), 0);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &was, NULL);
}

static void test_signals(void **state)
{
	enum { ROOM = 256 << 10 };
	struct live *l = *state;
	void *room = malloc(ROOM);
	stack_t stack = { .ss_sp = room, .ss_size = ROOM }, was;
	uint32_t before;

	leaf();
	before = l->n;
	signal_with(on_signal, NULL, 0);
	assert_true(l->n > before);
	before = l->n;
	assert_non_null(room);
	assert_int_equal(sigaltstack(&stack, &was), 0);
	signal_with(on_signal_elsewhere, NULL, SA_ONSTACK);
	assert_int_equal(l->n, before);
	sigaltstack(&was, NULL);
	signal_with(NULL, on_signal_within, 0);
	assert_in_range(l->n, 3, before);
	free(room);
}

/* ---- any instruction ---- */
/* Steps through code with the trap flag, and unwinds at each instruction: prologues, epilogues, linkage tables. */
static void on_begin(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	set_trap(context, TRAP_FLAG);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	compare(live, context, false);
	if (live->stop)
		set_trap(context, 0);
}

OUT_OF_LINE static unsigned stepped(unsigned n)
{
	_Alignas(64) volatile char p[128];
	char text[32];

	p[n % sizeof p] = 1;
	snprintf(text, sizeof text, "%u", n);	/* through the linkage table */
	return (unsigned)strlen(text) + p[n % sizeof p];
}

static void test_steps(void **state)
{
	struct sigaction a = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO }, was;
	struct live *l = *state;
	uint64_t walks = l->w->slot[0]->end[UNWIND_COMPLETE];

	l->stop = false;
	assert_int_equal(sigaction(SIGTRAP, &a, &was), 0);
	signal_with(NULL, on_begin, 0);
	stepped(3);
	l->stop = true;
	sigaction(SIGTRAP, &was, NULL);
	walks = l->w->slot[0]->end[UNWIND_COMPLETE] - walks;
	printf("# %llu instructions\n", (unsigned long long)walks);
	assert_true(walks > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions), cmocka_unit_test(test_recursion), cmocka_unit_test(test_library),
		cmocka_unit_test(test_signals), cmocka_unit_test(test_steps),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, live_open, live_close);
}
