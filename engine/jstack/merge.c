/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/jstack/merge.h"

struct merge {
	uint64_t *out;
	uint32_t n, max;
	bool cut;
};

static void merge_put(struct merge *m, uint64_t word)
{
	if (m->n < m->max)
		m->out[m->n++] = word;
	else
		m->cut = true;
}

/* The frame with the entry of the call that runs frame i; n: it is unknown. */
static uint32_t call_end(const struct jstack_frame *f, uint32_t n, uint32_t i)
{
	while (i < n && !f[i].entry)
		i++;
	return i;
}

uint32_t jstack_merge(const struct jstack_native *s, const struct jstack_frame *f, uint32_t n, uint64_t *out,
		      uint32_t max, bool *cut, uint32_t *placed)
{
	struct merge m = { .out = out, .max = max };
	uint32_t at = 0, end = call_end(f, n, 0);

	*placed = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t top = i + 1 < s->n ? s->sp[i + 1] : s->end;
		bool native = true;

		for (; end < n && f[end].entry < top; at = end + 1, end = call_end(f, n, at)) {
			if (f[end].entry < s->sp[i])
				continue;
			for (uint32_t k = at; k <= end; k++)
				if (f[k].word)
					merge_put(&m, f[k].word);
			native = false;
			++*placed;
		}
		if (native)
			merge_put(&m, s->pc[i]);
	}
	*cut = m.cut;
	return m.n;
}
