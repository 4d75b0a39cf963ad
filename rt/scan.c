/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looking for a byte, and copying: word by word. */
#include "rt/word.h"

static long scan_step(uint64_t i, void *state)
{
	struct rt_scan *z = state;
	uint64_t at = (z->at & ~7ull) + 8 * (uint32_t)i, w, m;

	if (at > z->cap - 8)
		return 1;
	w = rt_load(z->s + rt_bound(at));
	m = (rt_equal(w, z->c) ^ z->flip) | rt_nuls(w);
	if (i == 0)
		m &= ~rt_bytes(z->at & 7);
	if (!m)
		return 0;
	z->found = at + rt_first(m);
	return 1;
}

static long back_step(uint64_t i, void *state)
{
	struct rt_scan *z = state;
	uint64_t last = z->at - 1, at = (last & ~7ull) - 8 * (uint32_t)i, m;

	if (at > z->cap - 8)
		return 1;
	m = rt_equal(rt_load(z->s + rt_bound(at)), z->c) ^ z->flip;
	if (i == 0)
		m &= rt_bytes((last & 7) + 1);
	if (!m)
		return 0;
	z->found = at + rt_last(m);
	return 1;
}

uint64_t rt_scan(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other)
{
	struct rt_scan z = { s, cap, at, c, other ? ~RT_LOWS : 0, cap };

	rt_loop(cap / 8, scan_step, &z);
	return rt_hide(z.found, s);
}

uint64_t rt_scan_back(const char *s, uint64_t cap, uint64_t at, uint64_t c, bool other)
{
	struct rt_scan z = { s, cap, at, c, other ? ~RT_LOWS : 0, -1ull };

	rt_loop(cap / 8, back_step, &z);
	return rt_hide(z.found, s);
}

/* Less than a word is left of the destination: its last byte stays NUL. */
static inline void copy_last(struct rt_copy *c, uint64_t w, uint64_t left)
{
	uint64_t last = c->dcap - 8;

	rt_store(c->dst + last, rt_load(c->dst + last) | (w & rt_bytes(left - 1)) << (8 - left) * 8);
	c->end = c->dcap - 1;
}

/* Eight bytes from anywhere to anywhere. */
static long copy_step(uint64_t i, void *state)
{
	struct rt_copy *c = state;
	uint64_t done = 8 * (uint32_t)i, at = c->to + done, left = c->dcap - at, w, nul;

	if (at >= c->dcap)
		return 1;
	w = rt_load_at(c->src, c->scap, c->from + done) & rt_bytes(c->n - done);
	nul = rt_nuls(w);
	if (nul)
		w &= rt_bytes(rt_first(nul));
	if (at > c->dcap - 8) {
		copy_last(c, w, left);
		return 1;
	}
	if (left == 8)
		w &= rt_bytes(7);
	rt_store(c->dst + rt_bound(at), w);
	c->end = at + (nul ? rt_first(nul) : 8);
	return nul || left == 8;
}

uint64_t rt_copy(struct rt_copy *c)
{
	c->end = c->to;
	rt_loop(c->dcap / 8, copy_step, c);
	return rt_hide(c->end, c->dst);
}

uint64_t rt_part(char *dst, const char *s, uint64_t caps, uint64_t from, uint64_t n)
{
	struct rt_copy c = { .dst = dst, .dcap = rt_cap(caps, 0), .src = s, .scap = rt_cap(caps, 1), .from = from, .n = n };

	return from < c.scap ? rt_copy(&c) : 0;
}
