/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the functions of the run-time library are made of: eight bytes of a string as one number, its first byte
 * lowest, and loops that the kernel's verifier looks at once, however often they run.
 *
 * Ownership: nothing is owned. Errors: none.
 */
#ifndef RT_WORD_H
#define RT_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/rt.h"

#define RT_ONES 0x0101010101010101ull
#define RT_LOWS 0x7f7f7f7f7f7f7f7full

/* Words that a step of a loop looks at: most strings are short, and a step is a call. */
#define RT_WORDS 4

/* A step of a loop: number i; not 0 ends it. */
typedef long rt_step(uint64_t i, void *state);

#ifdef __bpf__
static long (*const bpf_loop)(uint32_t n, void *step, void *state, uint64_t flags) = (void *)181;
#define rt_loop(n, step, state) bpf_loop((uint32_t)(n), (void *)(step), (state), 0)
#else
static inline void rt_loop(uint64_t n, rt_step *step, void *state)
{
	for (uint64_t i = 0; i < n && !step(i, state); i++)
		;
}
#endif

/* With a frame of its own, which is gone before its caller calls another: programs have 512 bytes of stack in all. */
#define RT_FRAME __attribute__((noinline))

/* The compiler must not see through x: it would undo what the verifier needs. */
#define RT_OPAQUE(x) __asm__ volatile("" : "+r"(x))

static inline uint64_t rt_order(uint64_t w)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(w);
#else
	return w;
#endif
}

/* Eight bytes, aligned or not. */
static inline uint64_t rt_load(const void *p)
{
#ifdef __bpf__
	return rt_order(*(const uint64_t *)p);
#else
	uint64_t w;

	__builtin_memcpy(&w, p, 8);
	return rt_order(w);
#endif
}

static inline void rt_store(void *p, uint64_t w)
{
#ifdef __bpf__
	*(uint64_t *)p = rt_order(w);
#else
	w = rt_order(w);
	__builtin_memcpy(p, &w, 8);
#endif
}

/* An offset that was compared with a capacity. On a path that cannot be taken an old verifier (6.1) may have come to
 * bounds that contradict each other; these it would take for no bounds when it is added to an address, but not behind this. */
static inline uint64_t rt_bound(uint64_t at)
{
	RT_OPAQUE(at);
	return at & 0x7fff;
}

/* The eight bytes at `at`; zeros behind the capacity. */
static inline uint64_t rt_load_at(const char *p, uint64_t cap, uint64_t at)
{
	uint64_t last = cap - 8, past;

	if (at <= last)
		return rt_load(p + rt_bound(at));
	past = at - last;
	return past > 7 ? 0 : rt_load(p + last) >> past * 8;
}

/* x, of which the verifier knows no more: what it knew would differ with the way that led here, and it would look at
 * all that follows once for each of them. p: eight bytes that can be read. */
static inline uint64_t rt_hide(uint64_t x, const void *p)
{
	uint64_t w = *(const volatile uint64_t *)p;

	x ^= w;
	RT_OPAQUE(x);
	return x ^ w;
}

/* Ones in the first n bytes. */
static inline uint64_t rt_bytes(uint64_t n)
{
	return n > 7 ? ~0ull : (1ull << n * 8) - 1;
}

/* The top bit of each byte that is 0, exactly. */
static inline uint64_t rt_nuls(uint64_t w)
{
	return ~(((w & RT_LOWS) + RT_LOWS) | w | RT_LOWS);
}

/* The top bit of each byte that is c. */
static inline uint64_t rt_equal(uint64_t w, uint64_t c)
{
	return rt_nuls(w ^ c * RT_ONES);
}

/* Which byte has the first top bit; there is one. */
static inline uint64_t rt_first(uint64_t m)
{
	return ((((m & -m) - 1) & RT_ONES) * RT_ONES >> 56) - 1;
}

/* Which byte has the last top bit; there is one. */
static inline uint64_t rt_last(uint64_t m)
{
	m |= m >> 8;
	m |= m >> 16;
	m |= m >> 32;
	return ((m >> 7 & RT_ONES) * RT_ONES >> 56) - 1;
}

/* Memory for the state of a loop: the verifier does not follow what lies there. */
static inline void rt_clear(void *work)
{
	for (unsigned i = 0; i < RT_WORK / 8; i++)
		((volatile uint64_t *)work)[i] = 0;
}

/* ---- scan.c ---- */
/* Where to look, and for what. */
struct rt_scan {
	const char *s;
	uint64_t cap;
	uint64_t at;		/* the first byte, or the one behind the last */
	uint64_t c;		/* the byte that is looked for, eight times */
	uint64_t flip;		/* 0x80 in each byte: for any other byte than c */
	uint64_t found;
};

/* The first byte from `at` on that matches, or is NUL; cap if there is none. */
RT_FRAME uint64_t rt_scan(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other);
/* The first NUL; cap if there is none, and maybe where there is one behind `upto` (below 2^32). */
RT_FRAME uint64_t rt_scan_near(const char *s, uint64_t cap, uint64_t upto);
/* The last byte in front of `at` that matches; -1 if there is none. */
RT_FRAME uint64_t rt_scan_back(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other);

/* dst = at most n bytes of s from `from` on; caps are those of dst and s. */
RT_FRAME uint64_t rt_part(char *dst, const char *s, uint64_t caps, uint64_t from, uint64_t n);

#endif
