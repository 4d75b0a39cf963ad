/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/retain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct retain_cpu *retain_cpu(struct retention *k, int cpu)
{
	unsigned want = (unsigned)cpu + 1;
	struct retain_cpu *v;

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

/* Once a record did not fit, all later ones are dropped, even shorter ones. */
static int retain_oldest(struct retention *k, struct queue *q, uint64_t most)
{
	size_t to = k->kept;

	for (size_t i = k->kept; i < q->n; i++) {
		struct retain_cpu *c = retain_cpu(k, q->v[i].cpu);

		if (!c)
			return -ENOMEM;
		if (c->full || c->bytes + q->v[i].size > most) {
			c->full = k->filled = true;
			continue;
		}
		c->bytes += q->v[i].size;
		q->v[to++] = q->v[i];
	}
	q->n = k->kept = to;
	return 0;
}

/* Keeps the newest records of each CPU, up to `most` bytes. */
static int retain_newest(struct retention *k, struct queue *q, uint64_t most)
{
	for (unsigned i = 0; i < k->ncpus; i++)
		k->cpu[i] = (struct retain_cpu){ 0 };
	for (size_t i = q->n; i--;) {
		struct retain_cpu *c = retain_cpu(k, q->v[i].cpu);

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

int retain_records(struct retention *k, struct queue *q, const struct options *o, bool exact)
{
	int r;

	if (o->bufpolicy == BUF_FILL)
		return retain_oldest(k, q, o->bufsize);
	/* each time the queue has grown by a buffer, so that the cost is proportional to the number of records */
	if (!exact && q->bytes.len < k->since + o->bufsize)
		return 0;
	r = retain_newest(k, q, o->bufsize);
	k->since = q->bytes.len;
	return r;
}

void retain_free(struct retention *k)
{
	free(k->cpu);
	*k = (struct retention){ 0 };
}
