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

/* The end of the sorted run that begins at `from`. */
static size_t run_end(const struct queue *q, size_t from)
{
	size_t i = from + 1;

	while (i < q->n && queued_compare(&q->v[i - 1], &q->v[i]) < 0)
		i++;
	return i < q->n ? i : q->n;
}

/* Merges [from, middle) and [middle, end), both sorted, to `out`. */
static void merge_runs(const struct queue *q, size_t from, size_t middle, size_t end, struct queued *out)
{
	size_t a = from, b = middle;

	for (size_t i = from; i < end; i++) {
		bool first = b == end || (a < middle && queued_compare(&q->v[a], &q->v[b]) < 0);

		out[i] = q->v[first ? a++ : b++];
	}
}

/* The spare entries, as many as the queue's, or NULL. They stay: fresh memory is slower than sorting. */
static struct queued *spare_entries(struct queue *q)
{
	if (q->spares < q->cap) {
		free(q->spare);
		q->spare = reallocarray(NULL, q->cap, sizeof *q->spare);
		q->spares = q->spare ? q->cap : 0;
	}
	return q->spare;
}

static void exchange_spare(struct queue *q)
{
	struct queued *v = q->v;
	size_t cap = q->cap;

	q->v = q->spare;
	q->cap = q->spares;
	q->spare = v;
	q->spares = cap;
}

/* Merges sorted runs: each CPU's records arrive in order, so that there are few. */
void queue_sort(struct queue *q)
{
	bool sorted = run_end(q, 0) == q->n;

	if (!sorted && !spare_entries(q)) {
		qsort(q->v, q->n, sizeof *q->v, queued_compare);
		return;
	}
	while (!sorted) {
		sorted = true;
		for (size_t from = 0, end = 0; from < q->n; from = end) {
			const size_t middle = run_end(q, from);

			end = middle < q->n ? run_end(q, middle) : middle;
			merge_runs(q, from, middle, end, q->spare);
			sorted &= !from || queued_compare(&q->spare[from - 1], &q->spare[from]) < 0;
		}
		exchange_spare(q);
	}
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

/* The bytes before those of the remaining records go; of those between them, the next call gets rid. */
void queue_drop(struct queue *q, size_t n)
{
	size_t low = q->bytes.len;

	q->n -= n;
	if (!q->n) {
		buf_reset(&q->bytes);
		return;
	}
	memmove(q->v, q->v + n, q->n * sizeof *q->v);
	for (size_t i = 0; i < q->n; i++)
		low = q->v[i].off < low ? q->v[i].off : low;
	for (size_t i = 0; i < q->n; i++) {
		q->v[i].off -= low;
		q->v[i].seq = i;
	}
	memmove(q->bytes.data, q->bytes.data + low, q->bytes.len - low);
	q->bytes.len -= low;
}

void queue_free(struct queue *q)
{
	free(q->v);
	free(q->spare);
	buf_free(&q->bytes);
	*q = (struct queue){ 0 };
}
