/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Building blocks of the run-time library: eight bytes of a string as one little-endian number, and loops that the
 * kernel's verifier checks only once (bpf_loop). The byte tests are those of Bit Twiddling Hacks, "Determine if a word
 * has a zero byte" (the exact form).
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

/* Words per step of a loop: most strings are short, and a step is a call. */
#define RT_WORDS 4

/* Step number i of a loop; a result other than 0 ends the loop. */
typedef long rt_step(uint64_t i, void *state);

#ifdef __bpf__
#include "rt/helpers.h"

#define rt_loop(n, step, state) bpf_loop((uint32_t)(n), (void *)(step), (state), 0)
#else
static inline void rt_loop(uint64_t n, rt_step *step, void *state)
{
	for (uint64_t i = 0; i < n && !step(i, state); i++)
		;
}
#endif

/* A function with its own stack frame, released on return: programs have only 512 bytes of stack in total. */
#define RT_FRAME __attribute__((noinline))

/* Hides the value of x from the compiler, which would remove code that the verifier needs. */
#define RT_OPAQUE(x) __asm__ volatile("" : "+r"(x))

static inline uint64_t rt_order(uint64_t w)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(w);
#else
	return w;
#endif
}

/* Loads eight bytes, aligned or not. */
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

/* Masks an offset after it was compared with a capacity, which does not change it. On an impossible path an old
 * verifier (6.1) may have contradictory bounds for the offset, which it drops when the offset is added to an
 * address. Do not compare the offset plus a constant in between: 6.12 derives the offset's bounds again from such a
 * sum, and loses the unsigned ones. */
static inline uint64_t rt_bound(uint64_t at)
{
	RT_OPAQUE(at);
	return at & 0x7fff;
}

/* Loads the eight bytes at `at`; bytes beyond the capacity are 0. */
static inline uint64_t rt_load_at(const char *p, uint64_t cap, uint64_t at)
{
	uint64_t last = cap - 8, past;

	if (at <= last)
		return rt_load(p + rt_bound(at));
	past = at - last;
	return past > 7 ? 0 : rt_load(p + last) >> past * 8;
}

/* Returns x with an unknown value for the verifier. Otherwise the verifier would check the following code once for each
 * value on each path. p: eight readable bytes. */
static inline uint64_t rt_hide(uint64_t x, const void *p)
{
	uint64_t w = *(const volatile uint64_t *)p;

	x ^= w;
	RT_OPAQUE(x);
	return x ^ w;
}

/* A mask of the first n bytes. */
static inline uint64_t rt_bytes(uint64_t n)
{
	return n > 7 ? ~0ull : (1ull << n * 8) - 1;
}

/* Sets the top bit of exactly those bytes that are 0. */
static inline uint64_t rt_nuls(uint64_t w)
{
	return ~(((w & RT_LOWS) + RT_LOWS) | w | RT_LOWS);
}

/* Sets the top bit of exactly those bytes that are c. */
static inline uint64_t rt_equal(uint64_t w, uint64_t c)
{
	return rt_nuls(w ^ c * RT_ONES);
}

/* The number of the first byte with its top bit set; m is not 0. */
static inline uint64_t rt_first(uint64_t m)
{
	return ((((m & -m) - 1) & RT_ONES) * RT_ONES >> 56) - 1;
}

/* The number of the last byte with its top bit set; m is not 0. */
static inline uint64_t rt_last(uint64_t m)
{
	m |= m >> 8;
	m |= m >> 16;
	m |= m >> 32;
	return ((m >> 7 & RT_ONES) * RT_ONES >> 56) - 1;
}

/* Clears the memory for the state of a loop; the verifier does not track its contents. */
static inline void rt_clear(void *work)
{
	for (unsigned i = 0; i < RT_WORK / 8; i++)
		((volatile uint64_t *)work)[i] = 0;
}

/* ---- scan.c ---- */
/* State of a search. */
struct rt_scan {
	const char *s;
	uint64_t cap;
	uint64_t at;		/* offset of the first byte, or one past the last */
	uint64_t c;		/* the byte to find, repeated eight times */
	uint64_t flip;		/* 0x80 in each byte: find any byte other than c */
	uint64_t found;
};

/* Offset of the first byte from `at` on that matches or is NUL; cap if none. other: match bytes other than c. */
RT_FRAME uint64_t rt_scan(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other);
/* Offset of the first NUL; cap if there is none, and possibly if it is beyond `upto` (< 2^32). */
RT_FRAME uint64_t rt_scan_near(const char *s, uint64_t cap, uint64_t upto);
/* Offset of the last byte before `at` that matches; -1 if none. */
RT_FRAME uint64_t rt_scan_back(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other);

/* dst = at most n bytes of s from offset `from`. caps: capacities of dst and s. */
RT_FRAME uint64_t rt_part(char *dst, const char *s, uint64_t caps, uint64_t from, uint64_t n);

#endif
