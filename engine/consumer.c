/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the rings of all CPUs to the output, in order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/printer.h"
#include "engine/session.h"

/* A record this old is in its ring: its program, which took the time when it began, has long ended. */
#define SETTLE_NS 1000000ull

void queue_free(struct queue *q)
{
	free(q->v);
	buf_free(&q->bytes);
	*q = (struct queue){ 0 };
}

static void queue_add(void *arg, int cpu, const void *rec, uint32_t size)
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

/* Forgets the first `done` records (sorted); the others stay for the next pass. */
static void queue_drop(struct queue *q, size_t done)
{
	struct buf rest = { 0 };

	if (done == q->n) {
		q->n = 0;
		buf_reset(&q->bytes);
		return;
	}
	for (size_t i = done; i < q->n; i++) {
		struct queued r = q->v[i];
		size_t off = rest.len;

		buf_put(&rest, q->bytes.data + r.off, r.size);
		buf_pad(&rest, 0, -r.size & 7);
		r.off = off;
		r.seq = i - done;
		q->v[i - done] = r;
	}
	q->n -= done;
	if (rest.failed) {
		q->n = 0;
		q->failed = true;
	}
	buf_free(&q->bytes);
	q->bytes = rest;
}

/* One line of output: the probe, what its clause's actions have to say, the end of the line. */
static void record_print(struct dtr *t, int cpu, const struct rec_hdr *rec, uint32_t size)
{
	const struct printer *p = session_printer(t);
	const struct epid_desc *e;

	if (rec->epid == 0) {
		if (size >= sizeof(struct error_rec))
			report_error(t, (const struct error_rec *)rec);
		return;
	}
	if (rec->epid > t->prog->epids.n)
		return;
	t->symbols.at = rec->ts;
	e = &t->prog->epids.v[rec->epid - 1];
	if (size < e->recsize)
		return;
	if (p->record)
		p->record(t, cpu, rec, e);
	for (unsigned i = 0; i < e->nacts && i < 32; i++)
		if (rec->acts & 1u << i)
			action_run(t, cpu, rec, e, &e->acts[i]);
	if (p->record_end)
		p->record_end(t);
}

void consumer_flush(struct dtr *t)
{
	struct buf *b = &t->out;

	if (b->failed && !t->failed) {
		session_message(t, "out of memory");
		t->failed = true;
	}
	if (!t->gone && b->len) {
		size_t n = fwrite(b->data, 1, b->len, t->cfg.out);

		if (n != b->len || fflush(t->cfg.out) != 0) {
			/* A reader who has seen enough is no failure. */
			if (errno != EPIPE) {
				session_message(t, "failed to write output: %s", strerror(errno));
				t->failed = true;
			}
			t->gone = true;
		}
	}
	buf_reset(b);
}

static uint64_t consumer_now(struct dtr *t)
{
	struct timespec ts;

	if (t->ops->now)
		return t->ops->now(t->backend);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void consumer_print(struct dtr *t, uint64_t until)
{
	enum { CHUNK = 64 * 1024 };
	struct queue *q = &t->queue;
	size_t i;

	qsort(q->v, q->n, sizeof *q->v, queued_compare);
	for (i = 0; i < q->n && q->v[i].ts <= until && !t->gone; i++) {
		record_print(t, q->v[i].cpu, (const void *)(q->bytes.data + q->v[i].off), q->v[i].size);
		if (t->out.len > CHUNK)
			consumer_flush(t);
	}
	queue_drop(q, t->gone ? q->n : i);
	consumer_flush(t);
}

int consumer_pass(struct dtr *t, uint64_t timeout, bool all)
{
	struct queue *q = &t->queue;
	uint64_t until = UINT64_MAX;
	int r = 0;

	if (timeout)
		r = t->ops->poll(t->backend, timeout, queue_add, q);
	if (!all) {
		/* Taken before the rings are emptied: what is older than this is then in the queue. */
		until = consumer_now(t);
		until -= until < SETTLE_NS ? until : SETTLE_NS;
	}
	if (r >= 0 || r == -EINTR || r == -EAGAIN)
		r = t->ops->poll(t->backend, 0, queue_add, q);
	names_refresh(&t->symbols);
	if (q->n)
		consumer_print(t, until);
	if (q->failed && !t->failed) {
		session_message(t, "out of memory: records were lost");
		t->failed = true;
	}
	return r < 0 ? r : 0;
}
