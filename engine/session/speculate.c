/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/speculate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Precedes each record that is kept. */
struct spec_record {
	int32_t cpu;
	uint32_t size;
};

int specs_open(struct speculations *s, const struct d_prog *p, uint64_t specsize,
	       void *(*object)(void *arg, uint32_t obj), void *arg)
{
	*s = (struct speculations){ .specsize = specsize };
	if (!p->spec.used)
		return 0;
	s->layout = &p->spec;
	s->free = object(arg, p->spec.free);
	s->slots = object(arg, p->spec.slots);
	s->log = object(arg, p->spec.log);
	s->slot = calloc(p->spec.n + 1, sizeof *s->slot);
	return s->slot && s->free && s->slots && s->log ? 0 : -ENOMEM;
}

static void hold_free(struct spec_hold *h)
{
	buf_free(&h->records);
	free(h->cpu);
}

void specs_free(struct speculations *s)
{
	for (unsigned i = 0; s->slot && i < s->layout->n; i++) {
		for (unsigned j = 0; j < s->slot[i].n; j++)
			hold_free(&s->slot[i].hold[j]);
		free(s->slot[i].hold);
	}
	free(s->slot);
	free(s->due);
	*s = (struct speculations){ 0 };
}

/* ---- verdicts ---- */
static uint64_t *slot_word(const struct speculations *s, unsigned slot, unsigned member)
{
	return &s->slots[(size_t)slot * SPEC_SLOT_WORDS + member];
}

static bool due_add(struct speculations *s, const struct spec_verdict *v)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct spec_verdict *due = reallocarray(s->due, cap, sizeof *due);

		if (!due) {
			s->failed = true;
			return false;
		}
		s->due = due;
		s->cap = cap;
	}
	s->due[s->n++] = *v;
	return true;
}

/* Frees a slot that waited for room in its log. It was unused until now. */
static void slot_release(const struct speculations *s, unsigned slot, uint64_t tail)
{
	uint64_t *word = slot_word(s, slot, SPEC_SLOT_STATE);
	uint64_t state = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	if ((state & SPEC_STATES) != SPEC_BUSY || state >> SPEC_GEN_SHIFT != tail)
		return;
	__atomic_store_n(word, tail << SPEC_GEN_SHIFT, __ATOMIC_RELEASE);
	__atomic_fetch_sub(&s->free[s->layout->words], 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&s->free[slot / 64], 1ull << (slot % 64), __ATOMIC_SEQ_CST);
}

static void slot_read(struct speculations *s, unsigned slot)
{
	uint64_t *tail_word = slot_word(s, slot, SPEC_SLOT_TAIL), tail = *tail_word;

	for (;;) {
		const size_t at = (size_t)slot * s->layout->depth + tail % s->layout->depth;
		const uint64_t *e = &s->log[at * SPEC_LOG_WORDS];
		uint64_t mark = __atomic_load_n(&e[SPEC_LOG_MARK], __ATOMIC_ACQUIRE);
		struct spec_verdict v = { .ts = e[SPEC_LOG_TS], .gen = tail, .slot = slot, .seq = s->seq };

		if (!(mark & SPEC_STATES) || mark >> SPEC_GEN_SHIFT != tail)
			break;
		v.commit = (mark & SPEC_STATES) == SPEC_COMMIT;
		v.cpu = (int)(e[SPEC_LOG_WHERE] >> 32);
		v.epid = (uint32_t)e[SPEC_LOG_WHERE];
		if (!due_add(s, &v))
			break;
		s->seq++;
		__atomic_store_n(tail_word, ++tail, __ATOMIC_RELEASE);
	}
	slot_release(s, slot, tail);
}

static int verdict_compare(const void *x, const void *y)
{
	const struct spec_verdict *a = x, *b = y;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->epid != b->epid)
		return a->epid < b->epid ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void specs_read(struct speculations *s)
{
	if (!s->layout)
		return;
	if (s->next)
		memmove(s->due, s->due + s->next, (s->n - s->next) * sizeof *s->due);
	s->n -= s->next;
	s->next = 0;
	for (unsigned i = 0; i < s->layout->n; i++)
		slot_read(s, i);
	if (s->n)
		qsort(s->due, s->n, sizeof *s->due, verdict_compare);
}

/* The clauses of one firing have ascending numbers. */
static bool comes_before(const struct spec_verdict *v, int cpu, const struct rec_hdr *rec)
{
	if (v->ts != rec->ts)
		return v->ts < rec->ts;
	if (v->cpu != cpu)
		return v->cpu < cpu;
	return rec->epid && v->epid <= rec->epid;
}

const struct spec_verdict *specs_next(struct speculations *s, int cpu, const struct rec_hdr *before, uint64_t until)
{
	const struct spec_verdict *v = &s->due[s->next];

	if (s->next == s->n || (before ? !comes_before(v, cpu, before) : v->ts > until))
		return NULL;
	s->next++;
	return v;
}

/* ---- records ---- */
static struct spec_hold *hold_find(struct spec_slot *slot, uint64_t gen)
{
	for (unsigned i = 0; i < slot->n; i++)
		if (slot->hold[i].gen == gen)
			return &slot->hold[i];
	return NULL;
}

static struct spec_hold *hold_make(struct speculations *s, struct spec_slot *slot, uint64_t gen)
{
	if (slot->n == slot->cap) {
		unsigned cap = slot->cap ? 2 * slot->cap : 2;
		struct spec_hold *h = reallocarray(slot->hold, cap, sizeof *h);

		if (!h) {
			s->failed = true;
			return NULL;
		}
		slot->hold = h;
		slot->cap = cap;
	}
	slot->hold[slot->n] = (struct spec_hold){ .gen = gen };
	return &slot->hold[slot->n++];
}

/* Reserves bytes of the CPU's part of a speculation. Returns false if they do not fit. */
static bool hold_room(struct speculations *s, struct spec_hold *h, int cpu, uint64_t bytes)
{
	struct spec_cpu *list;
	unsigned i;

	for (i = 0; i < h->ncpus && h->cpu[i].cpu != cpu; i++)
		;
	if (i == h->ncpus) {
		list = reallocarray(h->cpu, h->ncpus + 1, sizeof *list);
		if (!list) {
			s->failed = true;
			return false;
		}
		list[h->ncpus++] = (struct spec_cpu){ .cpu = cpu };
		h->cpu = list;
	}
	if (h->cpu[i].bytes + bytes > s->specsize) {
		s->dropped++;
		return false;
	}
	h->cpu[i].bytes += bytes;
	return true;
}

static void hold_add(struct speculations *s, struct spec_hold *h, int cpu, const struct rec_hdr *rec, uint32_t size)
{
	struct spec_record head = { cpu, size };

	if (!hold_room(s, h, cpu, size - REC_OVERHEAD))
		return;
	buf_put(&h->records, &head, sizeof head);
	buf_put(&h->records, rec, size);
	buf_pad(&h->records, 0, -size & 7);
	s->failed |= h->records.failed;
}

bool specs_add(struct speculations *s, int cpu, const struct rec_hdr *rec, uint32_t size)
{
	uint64_t key, gen, mark;
	struct spec_slot *slot;
	struct spec_hold *h;
	unsigned n;

	memcpy(&key, rec + 1, sizeof key);
	if (!key)
		return true;
	n = key & ((1u << SPEC_KEY_SHIFT) - 1);
	if (!s->layout || !n || n > s->layout->n)
		return false;
	gen = key >> SPEC_KEY_SHIFT;
	slot = &s->slot[n - 1];
	mark = slot->memory[gen % SPEC_MEMORY];
	if (mark && mark >> SPEC_GEN_SHIFT == gen)
		return (mark & SPEC_STATES) == SPEC_COMMIT;
	if (gen + SPEC_MEMORY < slot->newest) {
		s->dropped++;
		return false;
	}
	h = hold_find(slot, gen);
	if (!h)
		h = hold_make(s, slot, gen);
	if (h)
		hold_add(s, h, cpu, rec, size);
	return false;
}

void specs_carry_out(struct speculations *s, const struct spec_verdict *v, spec_print_fn print, void *arg)
{
	struct spec_slot *slot = &s->slot[v->slot];
	uint64_t mark = v->gen << SPEC_GEN_SHIFT | (v->commit ? SPEC_COMMIT : SPEC_DISCARD);
	struct spec_hold *h = hold_find(slot, v->gen), done;

	slot->memory[v->gen % SPEC_MEMORY] = mark;
	if (v->gen >= slot->newest)
		slot->newest = v->gen + 1;
	if (!h)
		return;
	done = *h;
	*h = slot->hold[--slot->n];
	for (size_t off = 0; v->commit && off < done.records.len;) {
		struct spec_record head;

		memcpy(&head, done.records.data + off, sizeof head);
		print(arg, head.cpu, (const void *)(done.records.data + off + sizeof head), head.size);
		off += sizeof head + ((head.size + 7) & ~7u);
	}
	hold_free(&done);
}
