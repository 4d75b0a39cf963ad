/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* chill(): spends time, but only in BPF. The interpreter does not wait: in tests its clock is simulated. */
#include "rt/rt.h"
#include "rt/word.h"

#ifdef __bpf__
/* bpf_loop takes at most LOOPS steps. A step takes at least 15 ns. */
enum { LOOPS = 1 << 23, ROUNDS = 8 };

struct chill {
	uint64_t from, ns;
};

static long chill_step(uint64_t i, void *state)
{
	const struct chill *c = state;

	(void)i;
	return bpf_ktime_get_ns() - c->from >= c->ns;
}

uint64_t rt_chill(uint64_t caps, uint64_t from, uint64_t ns)
{
	struct chill c = { from, ns };

	(void)caps;
	if (ns > RT_CHILL_MAX)
		return 0;
	for (int i = 0; i < ROUNDS; i++) {
		if (bpf_ktime_get_ns() - from >= ns)
			return 0;
		rt_loop(LOOPS, chill_step, &c);
	}
	return 0;
}
#else
uint64_t rt_chill(uint64_t caps, uint64_t from, uint64_t ns)
{
	(void)caps, (void)from, (void)ns;
	return 0;
}
#endif
