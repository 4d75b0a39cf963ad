/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct keep_cpu *keep_cpu(struct keep *k, int cpu)
{
	unsigned want = (unsigned)cpu + 1;
	struct keep_cpu *v;

	if (want <= k->ncpus)
		return &k->cpu[cpu];
	v = reallocarray(k->cpu, want, sizeof *v);
	if (!v)
		return NULL;
	memset(v + k->ncpus, 0, (want - k->ncpus) * sizeof *v);
	k->cpu = v;
	k->ncpus = want;
	return &v[cpu];
}

/* Once a record has found no room none has, even a shorter one. */
static int keep_oldest(struct keep *k, struct queue *q, uint64_t most)
{
	size_t to = k->seen;

	for (size_t i = k->seen; i < q->n; i++) {
		struct keep_cpu *c = keep_cpu(k, q->v[i].cpu);

		if (!c)
			return -ENOMEM;
		if (c->full || c->bytes + q->v[i].size > most) {
			c->full = k->filled = true;
			continue;
		}
		c->bytes += q->v[i].size;
		q->v[to++] = q->v[i];
	}
	q->n = k->seen = to;
	return 0;
}

/* From the newest back, those of a CPU that are within `most` bytes. */
static int keep_newest(struct keep *k, struct queue *q, uint64_t most)
{
	for (unsigned i = 0; i < k->ncpus; i++)
		k->cpu[i] = (struct keep_cpu){ 0 };
	for (size_t i = q->n; i--;) {
		struct keep_cpu *c = keep_cpu(k, q->v[i].cpu);

		if (!c)
			return -ENOMEM;
		if (c->full || c->bytes + q->v[i].size > most) {
			c->full = true;
			q->v[i].size = 0;
		} else {
			c->bytes += q->v[i].size;
		}
	}
	return queue_squeeze(q);
}

int keep_records(struct keep *k, struct queue *q, const struct options *o, bool exact)
{
	int r;

	if (o->bufpolicy == BUF_FILL)
		return keep_oldest(k, q, o->bufsize);
	/* each time the queue has grown by a buffer: what is moved is in proportion to what comes */
	if (!exact && q->bytes.len < k->since + o->bufsize)
		return 0;
	r = keep_newest(k, q, o->bufsize);
	k->since = q->bytes.len;
	return r;
}

void keep_free(struct keep *k)
{
	free(k->cpu);
	*k = (struct keep){ 0 };
}
