/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/consumer.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "engine/output/printer.h"
#include "engine/output/report.h"
#include "engine/session/actions.h"
#include "engine/session/agg_tables.h"
#include "engine/session/cgroups.h"
#include "engine/session/lateness.h"

/* A record this old has arrived: its program, which read the time when it began, has long ended. */
#define SETTLE_NS 1000000ull

enum { MOST_FRAMES = 1025 };

/* The clause that wrote a record. NULL: none, e.g. for a fault. */
static const struct epid_desc *record_clause(const struct dtr *t, const struct rec_hdr *rec)
{
	return rec->epid && rec->epid <= t->prog->epids.n ? &t->prog->epids.v[rec->epid - 1] : NULL;
}

/* Copies the record, with zeros in place of what it could have more. Returns the copy, or NULL: there is no memory for
 * it, and the queue has failed. */
static void *record_copy(struct dtr *t, const struct rec_hdr *rec, const struct epid_desc *e, uint32_t size)
{
	buf_reset(&t->whole);
	buf_put(&t->whole, rec, size);
	buf_pad(&t->whole, 0, size < e->recmost ? e->recmost - size : 0);
	t->queue.failed |= t->whole.failed;
	return t->whole.failed ? NULL : t->whole.data;
}

/* Some user stacks were unwound after their record was written, and some records are shorter than the longest of their
 * clause. Returns the whole record. NULL: there is no memory for it, and the queue has failed. */
static const struct rec_hdr *record_whole(struct dtr *t, const struct rec_hdr *rec, const struct epid_desc *e,
					  uint32_t size)
{
	const struct backend_symbols *s = t->ops->symbols;
	void *copy = NULL;

	if (size < e->recmost && !(copy = record_copy(t, rec, e, size)))
		return NULL;
	for (unsigned i = 0; s && s->later && i < e->nacts; i++)
		for (unsigned k = 0; k < e->acts[i].nfields; k++) {
			const struct val_field *f = &e->acts[i].fields[k];
			uint64_t words[MOST_FRAMES], pc[MOST_FRAMES], n = f->size / 8 - 1;

			if (f->kind != VAL_USTACK)
				continue;
			memcpy(words, (const char *)(copy ? copy : rec) + f->off + 8, n * sizeof *words);
			if (!s->later(t->backend, words, pc, (uint32_t)n))
				continue;
			if (!copy && !(copy = record_copy(t, rec, e, size)))
				return NULL;
			memcpy((char *)copy + f->off + 8, pc, n * sizeof *pc);
		}
	return copy ? copy : rec;
}

static bool records_only(const struct rec_act *a)
{
	return a->act == ACT_TRACE || a->act == ACT_TRACEMEM ||
	       (a->act == ACT_SHOW && a->fields[0].kind == VAL_BYTES);
}

/* The last value of a record can be shorter than its field. */
static struct dtr_value record_value(const struct rec_hdr *rec, const struct val_field *f, uint32_t size)
{
	return (struct dtr_value){ (const char *)rec + f->off, f->off + f->size < size ? f->size : size - f->off };
}

/* Gives the values of a record to the program that wants them (dtr_records), and carries out its other actions. */
static void record_give(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e, uint32_t size)
{
	enum { MOST_VALUES = 64 };
	struct dtr_value v[MOST_VALUES];
	struct dtr_record r = {
		.time = rec->ts, .cpu = cpu, .function = e->probe->func, .name = e->probe->name, .values = v,
	};

	for (unsigned i = 0; i < e->nacts; i++) {
		const struct rec_act *a = &e->acts[i];

		if (a->branch && !(rec->branches & a->branch))
			continue;
		if (!records_only(a))
			action_run(t, cpu, rec, e, a);
		else if (a->nfields && r.n < MOST_VALUES)
			v[r.n++] = record_value(rec, &a->fields[0], size);
	}
	if (r.n)
		t->receiver.fn(t->receiver.arg, &r);
}

/* Prints one line: the probe, what its clause's actions print, the end of the line. */
static void record_print(struct dtr *t, int cpu, const struct rec_hdr *rec, uint32_t size)
{
	const struct printer *p = output_printer(&t->output);
	const struct epid_desc *e;

	if (rec->epid == 0) {
		if (!t->receiver.fn && size >= sizeof(struct error_rec))
			report_error(&t->output, (const struct error_rec *)rec);
		return;
	}
	e = record_clause(t, rec);
	if (!e || size < e->recsize)
		return;
	if (t->receiver.fn) {
		record_give(t, cpu, rec, e, size);
		return;
	}
	rec = record_whole(t, rec, e, size);
	if (!rec)
		return;
	if (p->record)
		p->record(&t->output, cpu, rec, e);
	for (unsigned i = 0; i < e->nacts; i++)
		if (!e->acts[i].branch || rec->branches & e->acts[i].branch)
			action_run(t, cpu, rec, e, &e->acts[i]);
	if (p->record_end)
		p->record_end(&t->output);
}

/* The clause that prints next on the CPU of record `at`, for -F, if it is among the next FAR records. */
static const struct epid_desc *consumer_next(const struct dtr *t, size_t at)
{
	enum { FAR = 1000 };
	const struct queue *q = &t->queue;

	for (size_t i = at + 1; i < q->n && i < at + FAR; i++) {
		const struct rec_hdr *rec = (const void *)(q->bytes.data + q->v[i].off);

		if (q->v[i].cpu == q->v[at].cpu && record_clause(t, rec))
			return record_clause(t, rec);
	}
	return NULL;
}

static void committed_print(void *arg, int cpu, const struct rec_hdr *rec, uint32_t size)
{
	record_print(arg, cpu, rec, size);
}

/* Executes the commits and discards that are due before a record (NULL: until that time). */
static void speculations_end(struct dtr *t, int cpu, const struct rec_hdr *before, uint64_t until)
{
	const struct spec_verdict *v;

	while (t->specs.layout && (v = specs_next(&t->specs, cpu, before, until)))
		specs_carry_out(&t->specs, v, committed_print, t);
}

static void queued_print(struct dtr *t, const struct queued *r)
{
	const struct rec_hdr *rec = (const void *)(t->queue.bytes.data + r->off);
	const struct epid_desc *e = record_clause(t, rec);

	speculations_end(t, r->cpu, rec, 0);
	if (e && lateness_skips(t, e, rec->ts)) {
		t->lateness.left_out++;
		return;
	}
	if (!e || !e->speculates || r->size < e->recsize || specs_add(&t->specs, r->cpu, rec, r->size))
		record_print(t, r->cpu, rec, r->size);
}

/* While many records are printed, or many rows read, more records arrive: they go to the queue before the kernel's
 * buffers are full, up to `bufqueue` bytes. */
static void consumer_relieve(struct dtr *t)
{
	enum { OFTEN_NS = 2000000 };

	if (clock_now() - t->relieved < OFTEN_NS || t->queue.bytes.len >= t->opts.bufqueue)
		return;
	t->ops->poll(t->backend, 0, queue_add, &t->queue);
	t->relieved = clock_now();
}

/* Prints the records up to a time; all: tracing has ended. */
static void consumer_print(struct dtr *t, uint64_t until, bool all)
{
	enum { CHUNK = 64 * 1024, FEW = 32 };
	struct queue *q = &t->queue;
	const size_t n = q->n;
	bool ended = false;
	size_t i;

	t->relieved = clock_now();
	queue_sort(q);
	for (i = 0; i < n && q->v[i].ts <= until && !t->output.closed; i++) {
		if (!ended && (t->stop || t->ops->state(t->backend) > IR_S_ACTIVE)) {
			ended = true;
			lateness_skip(t, i);
		}
		t->output.next = t->opts.flowindent ? consumer_next(t, i) : NULL;
		queued_print(t, &q->v[i]);
		if (t->output.buf.len > CHUNK)
			output_flush(&t->output);
		if (i % FEW == 0 && !all)
			consumer_relieve(t);
	}
	speculations_end(t, 0, NULL, until);
	queue_drop(q, t->output.closed ? q->n : i);
	output_flush(&t->output);
}

int consumer_pass(struct dtr *t, uint64_t timeout, enum consumer_extent extent)
{
	const bool all = extent == CONSUME_ALL;
	struct queue *q = &t->queue;
	uint64_t until = UINT64_MAX;
	int r = 0;

	if (timeout)
		r = t->ops->poll(t->backend, timeout, queue_add, q);
	if (!all) {
		/* The time before the buffers are read: all older records are then in the queue. */
		until = session_now(t);
		until -= until < SETTLE_NS ? until : SETTLE_NS;
	}
	specs_read(&t->specs);
	if (r >= 0 || r == -EINTR || r == -EAGAIN)
		r = t->ops->poll(t->backend, 0, queue_add, q);
	names_refresh(&t->symbols);
	cgroups_pass(t);
	if (t->opts.bufpolicy != BUF_SWITCH && retain_records(&t->retention, q, &t->opts, all) < 0)
		q->failed = true;
	if ((q->n || t->specs.n) && (all || t->opts.bufpolicy == BUF_SWITCH))
		consumer_print(t, until, all);
	agg_tables_relieve(t, all ? NULL : consumer_relieve);
	if (t->ops->printed)
		t->ops->printed(t->backend, until);
	if (all)
		retain_free(&t->retention);	/* END has its own buffers */
	if ((q->failed || t->specs.failed) && !t->output.failed) {
		output_message(&t->output, "out of memory: records were lost");
		t->output.failed = true;
	}
	if (r >= 0 || r == -EINTR || r == -EAGAIN)
		return 0;
	if (!t->output.failed)
		output_message(&t->output, "failed to read records: %s", strerror(-r));
	t->output.failed = true;
	return -1;
}
