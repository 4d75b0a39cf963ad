/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The arguments of a process, consecutive strings that each end with a NUL, as one string. */
#include "rt/rt.h"
#include "rt/word.h"

struct rt_args {
	char *dst;
	uint64_t dcap;
	const char *src;
	uint64_t scap;
	uint64_t n;		/* bytes of the arguments */
};

static long args_step(uint64_t i, void *state)
{
	struct rt_args *a = state;
	uint64_t at = 8 * (uint32_t)i, w, left;

	if (at > a->dcap - 8 || at > a->scap - 8 || at >= a->n)
		return 1;
	w = rt_load(a->src + rt_bound(at));
	w |= rt_nuls(w) >> 7 << 5;
	left = a->n - at;
	if (at == a->dcap - 8 && left > 7)
		left = 7;
	rt_store(a->dst + rt_bound(at), w & rt_bytes(left));
	return left < 8;
}

uint64_t rt_args(char *dst, const char *s, uint64_t caps, uint64_t n)
{
	struct rt_args a = { dst, rt_cap(caps, 0), s, rt_cap(caps, 1), n };

	rt_loop(a.dcap / 8, args_step, &a);
	return 0;
}
