/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* strtok(). Its state is struct token_head (RT_WORK bytes, initially zero), followed by the string. */
#include "rt/rt.h"
#include "rt/word.h"

struct set {
	uint8_t *bits;
	const char *s;
	uint64_t cap;
};

static long set_step(uint64_t i, void *state)
{
	struct set *z = state;
	uint64_t at = (uint32_t)i, c;

	if (at >= z->cap)
		return 1;
	c = (uint8_t)z->s[rt_bound(at)];
	z->bits[c >> 3] |= (uint8_t)(1u << (c & 7));
	return !c;
}

/* Sets the bits of all bytes in s, and of NUL. */
uint64_t rt_charset(char *set, const char *s, uint64_t caps)
{
	struct set z = { (uint8_t *)set, s, rt_cap(caps, 1) };

	rt_loop(z.cap, set_step, &z);
	*set |= 1;
	return 0;
}

struct token_head {
	uint64_t at;
	uint64_t from;
	uint64_t inside;
	uint64_t pad[5];
};

struct token {
	const char *s;
	uint64_t cap;
	const uint8_t *set;
	struct token_head *h;
};

static long token_step(uint64_t i, void *state)
{
	struct token *t = state;
	uint64_t at = t->h->at, c;
	bool ends;

	(void)i;
	if (at >= t->cap)
		return 1;
	c = (uint8_t)t->s[rt_bound(at)];
	ends = t->set[c >> 3] >> (c & 7) & 1;
	if (!c || (ends && t->h->inside))
		return 1;
	if (!ends && !t->h->inside) {
		t->h->inside = 1;
		t->h->from = at;
	}
	t->h->at = at + 1;
	return 0;
}

uint64_t rt_strtok(char *dst, char *state, const char *set, uint64_t caps)
{
	struct token_head *h = (struct token_head *)state;
	uint64_t cap = rt_cap(caps, 1) - sizeof *h;
	struct token t = { state + sizeof *h, cap, (const uint8_t *)set, h };

	h->inside = 0;
	rt_loop(cap + 1, token_step, &t);
	if (h->inside)
		rt_part(dst, t.s, rt_cap(caps, 0) | cap << 16, h->from, h->at - h->from);
	return 0;
}
