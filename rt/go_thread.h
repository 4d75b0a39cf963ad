/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads which goroutine the current thread runs (rt/go.h), from the process's memory.
 * Ownership: none. Errors: what cannot be read is 0.
 */
#ifndef RT_GO_THREAD_H
#define RT_GO_THREAD_H

#include "rt/go.h"
#include "rt/unwind_helpers.h"

/* The goroutine of a thread. */
struct go_thread {
	uint64_t m, g;			/* 0: none */
	uint64_t bp;			/* offset of g.sched.bp in g */
};

static inline __attribute__((always_inline)) uint64_t go_word(uint64_t addr)
{
	uint64_t v = 0;

	read_user(&v, sizeof v, (void *)addr);
	return v;
}

/* m, if g is one of its goroutines. */
static inline __attribute__((always_inline)) uint64_t go_owned(uint64_t g, uint64_t m)
{
	return m && g && go_word(g + GO_G_M) == m ? m : 0;
}

/* The g of a thread, by the address of its own data; 0: there is none. */
static inline __attribute__((always_inline)) uint64_t go_current(uint64_t data)
{
	for (uint64_t at = 8; at <= 8 * GO_TLS_WORDS; at += 8) {
		uint64_t g = go_word(data - at), m = g ? go_word(g + GO_G_M) : 0;

		if (m && go_owned(go_word(m + GO_M_G0), m))
			return g;
	}
	return 0;
}

/* own: a g of the thread. */
static inline __attribute__((always_inline)) struct go_thread go_thread(uint64_t own)
{
	uint64_t m = go_word(own + GO_G_M), g;
	struct go_thread t = { .m = m ? go_owned(go_word(m + GO_M_G0), m) : 0, .bp = GO_G_SCHED + GO_BUF_BP };

	if (!t.m)
		return t;
	g = go_word(m + GO_M_CURG);
	if (!go_owned(g, t.m) || go_word(g + GO_G_SCHED + GO_BUF_G) != g) {
		g = go_word(m + GO_M_CURG_NEW);
		t.bp = GO_G_SCHED + GO_BUF_BP_NEW;
	}
	t.g = go_owned(g, t.m) && go_word(g + GO_G_SCHED + GO_BUF_G) == g ? g : 0;
	return t;
}

#endif
