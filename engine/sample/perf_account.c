/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/perf_account.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/host/idle.h"
#include "engine/sample/perf_attr.h"

/* A thread that is not running is unthrottled when it is switched in, a running one at the next kernel tick. TICK_NS is
 * the longest tick. */
#define TICK_NS 10000000ull

/* PERF_FORMAT_LOST of Linux 6.0; headers may be older. */
#define FORMAT_LOST (1u << 4)

struct count {
	uint64_t value, running, lost;
};

struct throttle_rec {
	struct perf_event_header h;
	uint64_t time, id, stream;
};

uint64_t perf_read_format(const struct perf_source *s)
{
	return PERF_FORMAT_TOTAL_TIME_RUNNING | (s->reports_lost ? FORMAT_LOST : 0);
}

void perf_account_open(struct perf_source *s)
{
	s->count = arena_calloc(s->arena, (size_t)s->nrates * s->rings.n, sizeof *s->count);
	s->cpu = arena_calloc(s->arena, s->rings.n, sizeof *s->cpu);
}

static struct perf_count *count_of(const struct perf_source *s, const struct perf_handle *h)
{
	return &s->count[(unsigned)h->rate * s->rings.n + h->ring];
}

static void add_missed(const struct perf_handle *h, double firings)
{
	if (h->family)
		h->family->missed[h->rate] += firings;
}

void perf_account_handle(struct perf_source *s, struct perf_handle *h)
{
	struct count v = { 0 };
	size_t size = s->reports_lost ? sizeof v : offsetof(struct count, lost);
	struct perf_count *c;

	if (h->rate < 0 || h->fd < 0 || read(h->fd, &v, sizeof v) != (ssize_t)size)
		return;
	c = count_of(s, h);
	c->ran += v.running > h->ran ? v.running - h->ran : 0;
	h->ran = v.running;
	if (v.lost <= h->lost)
		return;
	c->lost += v.lost - h->lost;
	add_missed(h, (double)(v.lost - h->lost));
	h->lost = v.lost;
}

void perf_account_all(struct perf_source *s)
{
	for (unsigned i = 0; i < s->nwide; i++)
		perf_account_handle(s, &s->wide[i]);
	for (struct perf_family *f = s->families; f; f = f->next)
		for (unsigned i = 0; i < f->n; i++)
			perf_account_handle(s, &f->v[i]);
}

/* ---- records of losses ---- */
static void throttle_end(struct perf_source *s, struct perf_throttled *t, uint64_t now)
{
	const struct perf_handle *h = perf_handle_find(s, t->id);
	uint64_t ns = now > t->since ? now - t->since : 0;
	double firings;

	if (h && h->rate >= 0) {
		if (!s->is_wide && ns > TICK_NS)
			ns = TICK_NS;
		firings = (double)ns / (double)s->interval[h->rate];
		count_of(s, h)->throttled += firings;
		add_missed(h, firings);
	}
	*t = s->throttled[--s->nthrottled];
}

void perf_account_throttle(struct perf_source *s, const struct perf_event_header *h, uint64_t time)
{
	const struct throttle_rec *r = (const void *)h;
	unsigned i = 0;

	while (i < s->nthrottled && s->throttled[i].stream != r->stream)
		i++;
	if (h->type == PERF_RECORD_UNTHROTTLE) {
		if (i < s->nthrottled)
			throttle_end(s, &s->throttled[i], time);
		return;
	}
	if (i == s->nthrottled && i < PERF_THROTTLED)
		s->throttled[s->nthrottled++] = (struct perf_throttled){ r->id, r->stream, time };
}

static int ring_of(const struct perf_source *s, int cpu)
{
	for (unsigned i = 0; i < s->rings.n; i++)
		if (!s->rings.v[i].away && s->rings.v[i].cpu == cpu)
			return (int)i;
	return -1;
}

uint32_t perf_account_lost(struct perf_source *s, const struct perf_event_header *h)
{
	const struct perf_tail *tail = (const void *)((const char *)h + h->size - sizeof *tail);
	const uint64_t *v = (const uint64_t *)(h + 1);
	const struct perf_handle *x = perf_handle_find(s, v[0]);
	uint32_t rate = x && x->rate >= 0 ? (uint32_t)x->rate : 0;
	int ring = ring_of(s, (int)tail->cpu);

	if (ring < 0 || rate >= s->nrates)
		return 0;
	s->cpu[ring].reported += v[1];
	if (s->reports_lost)
		return rate;	/* the count of each event is more exact */
	s->count[rate * s->rings.n + (unsigned)ring].lost += v[1];
	if (x && x->rate >= 0)
		add_missed(x, (double)v[1]);
	return rate;
}

/* The kernel reports a loss only with a later record, so losses at the end are not reported. */
bool perf_account_unreported(struct perf_source *s, struct source_item *out)
{
	for (unsigned i = 0; s->stopped && i < s->rings.n; i++) {
		uint64_t lost = 0;

		for (unsigned rate = 0; rate < s->nrates; rate++)
			lost += s->count[rate * s->rings.n + i].lost;
		if (lost <= s->cpu[i].reported)
			continue;
		memset(out, 0, sizeof *out);
		out->kind = SOURCE_LOST;
		out->sample.time = clock_now();
		out->sample.cpu = (uint64_t)s->rings.v[i].cpu;
		out->lost = lost - s->cpu[i].reported;
		s->cpu[i].reported = lost;
		return true;
	}
	return false;
}

uint64_t perf_account_missed(void *arg, struct task *t, unsigned rate, uint64_t n)
{
	double *missed = t->family ? &t->family->missed[rate] : NULL;

	(void)arg;
	if (!missed || *missed < 0.5)
		return 0;
	if ((double)n > *missed + 0.5)
		n = (uint64_t)(*missed + 0.5);
	*missed -= (double)n;
	return n;
}

/* ---- start, stop, final account ---- */

/* Reads how long the CPUs of `count` rings have been idle. /proc/stat has no entry for a CPU that is offline. */
static void read_idle(struct perf_source *s, unsigned from, unsigned count, bool begin)
{
	unsigned n = cpus_possible();
	uint64_t *idle = calloc(n, sizeof *idle);

	if (!idle)
		return;
	idle_read(idle, n);
	for (unsigned i = from; i < from + count; i++) {
		uint64_t ns = (unsigned)s->rings.v[i].cpu < n ? idle[s->rings.v[i].cpu] : 0, before = s->cpu[i].idle;

		s->cpu[i].idle = begin ? ns : ns > before ? ns - before : 0;
	}
	free(idle);
}

void perf_account_came(struct perf_source *s, unsigned ring)
{
	if (s->is_wide)
		read_idle(s, ring, 1, true);
}

void perf_account_turn(struct perf_source *s, bool begin)
{
	if (s->is_wide)
		read_idle(s, 0, s->rings.n, begin);
	if (!begin)
		perf_account_all(s);
}

static unsigned parts_of(const struct task *t)
{
	unsigned n = (unsigned)__builtin_popcountll(t->cpus);

	return n ? n : t->ran != 0;
}

void perf_account_parts(struct perf_source *s, const struct task *t)
{
	s->parts += parts_of(t);
}

bool perf_account(struct perf_source *s, unsigned rate, int cpu, struct source_account *out)
{
	uint64_t now = clock_now();

	*out = (struct source_account){ .parts = s->parts, .parted = !s->is_wide };
	/* the CPU of hidden kernel time is not known */
	if (rate >= s->nrates || (cpu >= 0 && (s->hidden || ring_of(s, cpu) < 0)))
		return false;
	while (s->nthrottled)
		throttle_end(s, &s->throttled[0], now);
	for (unsigned i = 0; i < s->rings.n; i++) {
		const struct perf_count *c = &s->count[rate * s->rings.n + i];

		if (cpu >= 0 && s->rings.v[i].cpu != cpu)
			continue;
		out->due += (double)c->ran / (double)s->interval[rate];
		out->full += c->lost;
		out->throttled += c->throttled;
		out->idle += (double)s->cpu[i].idle / (double)s->interval[rate];
	}
	for (const struct task *t = s->tasks.first; t && !s->is_wide; t = t->newer)
		out->parts += parts_of(t);
	/* the kernel counts fork and exit as run time of a thread, but its events do not; how much this is is not
	 * known */
	out->more = s->forked ? UINT32_MAX : out->parts;
	return true;
}
