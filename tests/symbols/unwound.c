/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program whose stacks are known and have no frame pointers: main calls outer, middle, inner, and that one spins.
 * Built without frame pointers in several ways (symbols.mk). Usage: unwound WHAT MILLISECONDS [LIBRARY]; it says how
 * long it has spun: "spun 400". WHAT:
 *   plain    inner spins
 *   signal   inner gets a signal, whose handler spins
 *   library  inner calls a function of a shared object, which calls back what spins
 *   pointer  inner calls a function with a frame pointer and no unwinding tables, which calls what spins
 *   moved    the stack pointer is elsewhere while inner spins: nothing there can be unwound
 *   deep     a thousand calls in between
 *   frames   35 calls in between, two threads
 *   threads  four threads, each as plain
 *   aligned  through a function that aligns its stack
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

typedef unsigned long call_fn(unsigned long ms);

unsigned long spin(unsigned long ms);
unsigned long inner(call_fn *next, unsigned long ms);
unsigned long middle(call_fn *next, unsigned long ms);
unsigned long outer(call_fn *next, unsigned long ms);
unsigned long deeper(unsigned long n, unsigned long ms);
unsigned long by_pointer(unsigned long ms, call_fn *next);
unsigned long elsewhere(unsigned long ms, call_fn *next, void *stack);
unsigned long aligned(unsigned long ms);

static double ran(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Reads the clock rarely, so that the time is spent in this function. */
KEEP unsigned long spin(unsigned long ms)
{
	volatile unsigned long n = 0;
	double until = ran() + (double)ms;

	while (ran() < until)
		for (int i = 0; i < 1000000; i++)
			n++;
	return n;
}

/* Adding after the call prevents a tail call. */
KEEP unsigned long inner(call_fn *next, unsigned long ms)
{
	return next(ms) + 1;
}

KEEP unsigned long middle(call_fn *next, unsigned long ms)
{
	char room[40];

	memset(room, (int)ms, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
	return inner(next, ms) + (unsigned char)room[ms % sizeof room];
}

KEEP unsigned long outer(call_fn *next, unsigned long ms)
{
	return middle(next, ms) + 1;
}

KEEP unsigned long deeper(unsigned long n, unsigned long ms)
{
	return (n ? deeper(n - 1, ms) : spin(ms)) + 1;
}

static unsigned long some(unsigned long ms)
{
	return deeper(35, ms);
}

static unsigned long deep(unsigned long ms)
{
	return deeper(1000, ms);
}

/* Here the frame is found by an expression, as the stack is moved by an amount that is unknown at compile time. */
KEEP unsigned long aligned(unsigned long ms)
{
	_Alignas(64) volatile unsigned long word[8] = { 0 };
	volatile char *more = __builtin_alloca(ms % 100 + 16);

	more[0] = 1;
	word[0] = ms;
	return spin(word[0]) + (unsigned long)more[0] + word[0];
}

static unsigned long millis;

static void handler(int sig)
{
	(void)sig;
	spin(millis);
}

static unsigned long by_signal(unsigned long ms)
{
	millis = ms;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	return 1;
}

#if defined(__x86_64__)
__asm__(".text\n"
	".type by_pointer, @function\n"
	"by_pointer:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $48, %rsp\n"
	"	call *%rsi\n"
	"	leave\n"
	"	ret\n"
	".size by_pointer, .-by_pointer\n"
	".type elsewhere, @function\n"
	"elsewhere:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdx, %rsp\n"
	"	xor %ebp, %ebp\n"
	"	call *%rsi\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size elsewhere, .-elsewhere\n");
#else
unsigned long by_pointer(unsigned long ms, call_fn *next)
{
	return next(ms);
}

unsigned long elsewhere(unsigned long ms, call_fn *next, void *stack)
{
	(void)stack;
	return next(ms);
}
#endif

static unsigned long pointer(unsigned long ms)
{
	return by_pointer(ms, spin) + 1;
}

static unsigned long moved(unsigned long ms)
{
	size_t size = 1 << 16;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return stack == MAP_FAILED ? 0 : elsewhere(ms, spin, stack + size - 4096) + 1;
}

#ifndef STATIC
static const char *library;

static unsigned long by_library(unsigned long ms)
{
	unsigned long (*go)(call_fn *, unsigned long) = NULL;
	void *lib = dlopen(library, RTLD_NOW);

	if (lib)
		*(void **)&go = dlsym(lib, "unwound_library");
	return go ? go(spin, ms) + 1 : 0;
}
#endif

struct unwound_work {
	call_fn *fn;
	unsigned long ms;
};

static void *thread(void *arg)
{
	const struct unwound_work *w = arg;

	return (void *)outer(w->fn, w->ms);
}

static void threads(int n, call_fn *fn, unsigned long ms)
{
	struct unwound_work w = { fn, ms };
	pthread_t t[4];

	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, thread, &w))
			exit(1);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; call_fn *fn; } what[] = {
		{ "plain", spin }, { "signal", by_signal }, { "pointer", pointer }, { "moved", moved },
		{ "deep", deep },
		{ "aligned", aligned },
#ifndef STATIC
		{ "library", by_library },
#endif
	};
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 100, done = 0;

	if (argc < 3)
		return 2;
#ifndef STATIC
	library = argc > 3 ? argv[3] : "";
#endif
	for (size_t i = 0; i < sizeof what / sizeof what[0]; i++)
		if (!strcmp(argv[1], what[i].name))
			done = outer(what[i].fn, ms);
	if (!strcmp(argv[1], "threads")) {
		threads(4, spin, ms);
		ms *= 4;
		done = 1;
	}
	if (!strcmp(argv[1], "frames")) {
		threads(2, some, ms);
		ms *= 2;
		done = 1;
	}
	printf("spun %lu\n", ms);
	return done == 0;
}
