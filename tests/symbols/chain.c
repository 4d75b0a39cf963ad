/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program whose stack is known: main calls outer, middle, a function with a C++ name, inner, and that one spins. With
 * a library it spins there, called through inner. Usage: chain MILLISECONDS [LIBRARY]; they are of its own CPU time, so
 * that it has been seen however little of the machine it gets.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noinline, noipa))
#ifdef __clang__
#undef KEEP
#define KEEP __attribute__((noinline))
#endif

typedef unsigned long spin_fn(double until);

unsigned long inner(double until, spin_fn *spin);
unsigned long shape(double until, spin_fn *spin) __asm__("_ZN5shape4areaEi");
unsigned long middle(double until, spin_fn *spin);
unsigned long outer(double until, spin_fn *spin);

/* Read rarely, so that samples are in the loop. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

KEEP unsigned long inner(double until, spin_fn *spin)
{
	volatile unsigned long n = 0;

	if (spin)
		return spin(until) + 1;
	while (now() < until)
		for (int i = 0; i < 1000000; i++)
			n++;
	return n;
}

/* Adding one after the call prevents a tail call. */
KEEP unsigned long shape(double until, spin_fn *spin)
{
	return inner(until, spin) + 1;
}

KEEP unsigned long middle(double until, spin_fn *spin)
{
	return shape(until, spin) + 1;
}

KEEP unsigned long outer(double until, spin_fn *spin)
{
	return middle(until, spin) + 1;
}

int main(int argc, char **argv)
{
	void *lib = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
	spin_fn *spin = NULL;

	if (argc > 2 && !lib) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	if (lib)
		*(void **)&spin = dlsym(lib, "library_spin");
	return outer(now() + (argc > 1 ? atof(argv[1]) : 100) / 1000, spin) == 0;
}
