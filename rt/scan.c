/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds a byte, copies and joins strings, eight bytes at a time. */
#include "rt/word.h"

static long scan_step(uint64_t i, void *state)
{
	struct rt_scan *z = state;
	uint64_t at = (z->at & ~7ull) + 8 * RT_WORDS * (uint32_t)i, last = z->cap - 8, c = z->c, flip = z->flip, w, m;
	const char *s = z->s;

#pragma GCC unroll 8
	for (unsigned k = 0; k < RT_WORDS; k++, at += 8) {
		if (at > last)
			return 1;
		w = rt_load(s + rt_bound(at));
		m = (rt_nuls(w ^ c) ^ flip) | rt_nuls(w);
		if (k == 0 && i == 0)
			m &= ~rt_bytes(z->at & 7);
		if (m) {
			z->found = at + rt_first(m);
			return 1;
		}
	}
	return 0;
}

static long back_step(uint64_t i, void *state)
{
	struct rt_scan *z = state;
	uint64_t last = z->at - 1, at = (last & ~7ull) - 8 * (uint32_t)i, m;

	if (at > z->cap - 8)
		return 1;
	m = rt_nuls(rt_load(z->s + rt_bound(at)) ^ z->c) ^ z->flip;
	if (i == 0)
		m &= rt_bytes((last & 7) + 1);
	if (!m)
		return 0;
	z->found = at + rt_last(m);
	return 1;
}

uint64_t rt_scan(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other)
{
	struct rt_scan z = { s, cap, at, c * RT_ONES, other ? ~RT_LOWS : 0, cap };

	rt_loop(cap / (8 * RT_WORDS) + 1, scan_step, &z);
	return rt_hide(z.found, s);
}

/* Only the number of steps depends on upto: an old verifier (6.1) needs bounds checks with the constant capacity. */
uint64_t rt_scan_near(const char *s, uint64_t cap, uint64_t upto)
{
	struct rt_scan z = { s, cap, 0, 0, 0, cap };

	rt_loop(upto / (8 * RT_WORDS) + 1, scan_step, &z);
	return rt_hide(z.found, s);
}

uint64_t rt_scan_back(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other)
{
	struct rt_scan z = { s, cap, at, c * RT_ONES, other ? ~RT_LOWS : 0, -1ull };

	rt_loop(cap / 8, back_step, &z);
	return rt_hide(z.found, s);
}

struct copy {
	char *dst;
	uint64_t dcap;
	uint64_t to;		/* offset in dst, below dcap; dst is zero from here on */
	const char *src;
	uint64_t scap;
	uint64_t from;
	uint64_t n;		/* copy at most so many bytes; set to 0 after a NUL was found */
	uint64_t done;		/* bytes copied */
};

/* Fewer words per step than in a scan: a copy has more variables on the stack. */
enum { COPY_WORDS = 2 };

/* Copies whole words as long as both places have one and the last byte of dst stays free. */
static long copy_step(uint64_t i, void *state)
{
	struct copy *c = state;
	uint64_t done = 8 * COPY_WORDS * (uint32_t)i, from = c->from + done, to = c->to + done;
	uint64_t last = c->scap - 8, dlast = c->dcap - 8, end = c->from + c->n, w, nul;
	const char *src = c->src;
	char *dst = c->dst;

#pragma GCC unroll 8
	for (unsigned k = 0; k < COPY_WORDS; k++, from += 8, to += 8) {
		if (from > last || to >= dlast || end - from < 8)	/* not from + 8: see rt_bound */
			goto out;
		w = rt_load(src + rt_bound(from));
		nul = rt_nuls(w);
		if (nul)
			goto nul;
		rt_store(dst + rt_bound(to), w);
	}
	return 0;
nul:
	rt_store(dst + rt_bound(to), w & rt_bytes(rt_first(nul)));
	from += rt_first(nul);
	c->n = 0;
out:
	c->done = from - c->from;
	return 1;
}

/* Copies the last word, where one of the places has less than eight bytes left. Returns the offset of its end. */
static inline uint64_t copy_last(const struct copy *c, uint64_t done)
{
	uint64_t to = c->to + done, dlast = c->dcap - 8, past, nul;
	uint64_t w = rt_load_at(c->src, c->scap, c->from + done) & rt_bytes(c->n - done);

	if (to > dlast + 7)
		return to;
	if (to >= dlast)
		w &= rt_bytes(dlast + 7 - to);
	nul = rt_nuls(w);
	if (nul)
		w &= rt_bytes(rt_first(nul));
	if (to <= dlast) {
		rt_store(c->dst + rt_bound(to), w);
	} else {
		past = to - dlast;
		rt_store(c->dst + dlast, rt_load(c->dst + dlast) | w << past * 8);
	}
	return to + (nul ? rt_first(nul) : 8);
}

/* Copies from any offset to any offset. Returns the offset in dst of the end. Inlined: it shares its caller's stack. */
static inline __attribute__((always_inline)) uint64_t copy(struct copy *c)
{
	uint64_t done;

	c->done = 0;
	rt_loop(c->dcap / (8 * COPY_WORDS) + 1, copy_step, c);
	done = rt_hide(c->done, c->dst);
	return rt_hide(c->n ? copy_last(c, done) : c->to + done, c->dst);
}

uint64_t rt_part(char *dst, const char *s, uint64_t caps, uint64_t from, uint64_t n)
{
	struct copy c = { .dst = dst, .dcap = rt_cap(caps, 0), .src = s, .scap = rt_cap(caps, 1), .from = from,
		.n = n };

	return from < c.scap ? copy(&c) : 0;
}

uint64_t rt_strjoin(char *dst, const char *a, const char *b, uint64_t caps)
{
	struct copy c = { .dst = dst, .dcap = rt_cap(caps, 0), .src = a, .scap = rt_cap(caps, 1), .n = -1ull >> 1 };

	c.to = copy(&c);
	c.src = b;
	c.scap = rt_cap(caps, 2);
	c.n = -1ull >> 1;
	return copy(&c);
}
