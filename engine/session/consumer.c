/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the rings of all CPUs to the output, in order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/printer.h"
#include "engine/session/session.h"

/* A record this old is in its ring: its program, which took the time when it began, has long ended. */
#define SETTLE_NS 1000000ull

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
	e = &t->prog->epids.v[rec->epid - 1];
	if (size < e->recsize)
		return;
	if (p->record)
		p->record(t, cpu, rec, e);
	for (unsigned i = 0; i < e->nacts; i++)
		if (!e->acts[i].branch || rec->branches & e->acts[i].branch)
			action_run(t, cpu, rec, e, &e->acts[i]);
	if (p->record_end)
		p->record_end(t);
}

/* 0, or errno. */
static int write_out(struct dtr *t, const struct buf *b)
{
	bool done;

	t->writes++;
	done = fwrite(b->data, 1, b->len, t->cfg.out) == b->len && fflush(t->cfg.out) == 0;
	t->writes++;
	return done ? 0 : errno;
}

void consumer_flush(struct dtr *t)
{
	struct buf *b = &t->out;

	if (session_printer(t)->flush)
		session_printer(t)->flush(t);
	if (b->failed && !t->failed) {
		session_message(t, "out of memory");
		t->failed = true;
	}
	if (!t->gone && b->len) {
		int err = write_out(t, b);

		/* A reader who has seen enough is no failure. */
		if (err && err != EPIPE) {
			session_message(t, "failed to write output: %s", strerror(err));
			t->failed = true;
		}
		t->gone = err != 0;
	}
	buf_reset(b);
}

/* What prints next on the CPU of record `at`, for -F: within reason. */
static const struct epid_desc *consumer_next(const struct dtr *t, size_t at)
{
	enum { FAR = 1000 };
	const struct queue *q = &t->queue;

	for (size_t i = at + 1; i < q->n && i < at + FAR; i++) {
		const struct rec_hdr *rec = (const void *)(q->bytes.data + q->v[i].off);

		if (q->v[i].cpu == q->v[at].cpu && rec->epid && rec->epid <= t->prog->epids.n)
			return &t->prog->epids.v[rec->epid - 1];
	}
	return NULL;
}

static void committed_print(void *arg, int cpu, const struct rec_hdr *rec, uint32_t size)
{
	record_print(arg, cpu, rec, size);
}

/* Carries out what is due before a record (NULL: until then). */
static void speculations_end(struct dtr *t, int cpu, const struct rec_hdr *before, uint64_t until)
{
	const struct verdict *v;

	while (t->specs.layout && (v = specs_next(&t->specs, cpu, before, until)))
		specs_carry_out(&t->specs, v, committed_print, t);
}

static void queued_print(struct dtr *t, const struct queued *r)
{
	const struct rec_hdr *rec = (const void *)(t->queue.bytes.data + r->off);
	const struct epid_desc *e = rec->epid && rec->epid <= t->prog->epids.n ? &t->prog->epids.v[rec->epid - 1] : NULL;

	speculations_end(t, r->cpu, rec, 0);
	if (!e || !e->speculates || r->size < e->recsize || specs_add(&t->specs, r->cpu, rec, r->size))
		record_print(t, r->cpu, rec, r->size);
}

static void consumer_print(struct dtr *t, uint64_t until)
{
	enum { CHUNK = 64 * 1024 };
	struct queue *q = &t->queue;
	size_t i;

	queue_sort(q);
	for (i = 0; i < q->n && q->v[i].ts <= until && !t->gone; i++) {
		t->flow.next = t->opts.flowindent ? consumer_next(t, i) : NULL;
		queued_print(t, &q->v[i]);
		if (t->out.len > CHUNK)
			consumer_flush(t);
	}
	speculations_end(t, 0, NULL, until);
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
		until = session_now(t);
		until -= until < SETTLE_NS ? until : SETTLE_NS;
	}
	specs_read(&t->specs);
	if (r >= 0 || r == -EINTR || r == -EAGAIN)
		r = t->ops->poll(t->backend, 0, queue_add, q);
	names_refresh(&t->symbols);
	if (t->opts.bufpolicy != BUF_SWITCH && keep_records(&t->keep, q, &t->opts, all) < 0)
		q->failed = true;
	if ((q->n || t->specs.n) && (all || t->opts.bufpolicy == BUF_SWITCH))
		consumer_print(t, until);
	if (t->ops->printed)
		t->ops->printed(t->backend, until);
	if (all)
		keep_free(&t->keep);	/* END has buffers of its own */
	if ((q->failed || t->specs.failed) && !t->failed) {
		session_message(t, "out of memory: records were lost");
		t->failed = true;
	}
	return r < 0 ? r : 0;
}
