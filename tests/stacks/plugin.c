/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A shared object that walk loads while it runs. It calls back, through a function that is not exported. */
#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

typedef unsigned long call_fn(unsigned long v);

unsigned long plugin_call(call_fn *next, unsigned long v);
unsigned long plugin_hidden(call_fn *next, unsigned long v);
unsigned long plugin_add(unsigned long v);

KEEP __attribute__((visibility("hidden"))) unsigned long plugin_hidden(call_fn *next, unsigned long v)
{
	v = next(v);
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

KEEP unsigned long plugin_call(call_fn *next, unsigned long v)
{
	v = plugin_hidden(next, v);
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

KEEP unsigned long plugin_add(unsigned long v)
{
	return v + 1;
}
