/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Upper and lower case of ASCII letters; other bytes are unchanged. */
#include "rt/rt.h"
#include "rt/word.h"

struct letters {
	char *dst;
	uint64_t dcap;
	const char *src;
	uint64_t scap;
	uint64_t first;		/* the first of the 26 letters to change */
};

static long case_step(uint64_t i, void *state)
{
	struct letters *c = state;
	uint64_t at = 8 * (uint32_t)i, w, low, nul, change;

	if (at > c->dcap - 8 || at > c->scap - 8)
		return 1;
	w = rt_load(c->src + rt_bound(at));
	if (at == c->dcap - 8)
		w &= rt_bytes(7);
	nul = rt_nuls(w);
	if (nul)
		w &= rt_bytes(rt_first(nul));
	/* the top bit of each byte that is one of the 26 letters */
	low = w & RT_LOWS;
	change = (low + (0x80 - c->first) * RT_ONES) & ~(low + (0x80 - c->first - 26) * RT_ONES) & ~w & ~RT_LOWS;
	rt_store(c->dst + rt_bound(at), w ^ change >> 2);
	return nul != 0;
}

static uint64_t change_case(char *dst, const char *s, uint64_t caps, uint64_t first)
{
	struct letters c = { dst, rt_cap(caps, 0), s, rt_cap(caps, 1), first };

	rt_loop(c.dcap / 8, case_step, &c);
	return 0;
}

uint64_t rt_toupper(char *dst, const char *s, uint64_t caps)
{
	return change_case(dst, s, caps, 'a');
}

uint64_t rt_tolower(char *dst, const char *s, uint64_t caps)
{
	return change_case(dst, s, caps, 'A');
}
