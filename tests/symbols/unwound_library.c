/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A shared object that calls back its caller. */
typedef unsigned long call_fn(unsigned long ms);
unsigned long unwound_library(call_fn *next, unsigned long ms);

static __attribute__((noinline)) unsigned long hidden(call_fn *next, unsigned long ms)
{
	volatile unsigned long room[9] = { 0 };

	room[ms % 9] = next(ms);
	return room[ms % 9] + 1;
}

unsigned long unwound_library(call_fn *next, unsigned long ms)
{
	return hidden(next, ms) + 1;
}
