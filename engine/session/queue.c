/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void queue_add(void *arg, int cpu, const void *rec, uint32_t size)
{
	struct queue *q = arg;
	struct rec_hdr hdr;

	if (size < sizeof hdr)
		return;
	memcpy(&hdr, rec, sizeof hdr);
	if (q->n == q->cap) {
		size_t cap = q->cap ? 2 * q->cap : 256;
		struct queued *v = reallocarray(q->v, cap, sizeof *v);

		if (!v) {
			q->failed = true;
			return;
		}
		q->v = v;
		q->cap = cap;
	}
	q->v[q->n] = (struct queued){ .ts = hdr.ts, .seq = q->n, .off = q->bytes.len, .size = size, .cpu = cpu };
	buf_put(&q->bytes, rec, size);
	buf_pad(&q->bytes, 0, -size & 7);
	if (q->bytes.failed)
		q->failed = true;
	else
		q->n++;
}

static int queued_compare(const void *x, const void *y)
{
	const struct queued *a = x, *b = y;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void queue_sort(struct queue *q)
{
	qsort(q->v, q->n, sizeof *q->v, queued_compare);
}

int queue_squeeze(struct queue *q)
{
	struct buf rest = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct queued r = q->v[i];
		size_t off = rest.len;

		if (!r.size)
			continue;
		buf_put(&rest, q->bytes.data + r.off, r.size);
		buf_pad(&rest, 0, -r.size & 7);
		r.off = off;
		r.seq = n;
		q->v[n++] = r;
	}
	q->n = n;
	if (rest.failed) {
		q->n = 0;
		q->failed = true;
	}
	buf_free(&q->bytes);
	q->bytes = rest;
	return q->failed ? -ENOMEM : 0;
}

void queue_drop(struct queue *q, size_t n)
{
	if (n == q->n) {
		q->n = 0;
		buf_reset(&q->bytes);
		return;
	}
	for (size_t i = 0; i < n; i++)
		q->v[i].size = 0;
	queue_squeeze(q);
}

void queue_free(struct queue *q)
{
	free(q->v);
	buf_free(&q->bytes);
	*q = (struct queue){ 0 };
}
