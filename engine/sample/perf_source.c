/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/perf_source.h"

struct perf_handle *perf_handle_find(const struct perf_source *s, uint64_t id)
{
	struct perf_handle *h = s->ids[id % PERF_IDS];

	while (h && h->id != id)
		h = h->next;
	return h;
}
