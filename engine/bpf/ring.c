/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "engine/host/wall.h"

/* First and shortest time of a measurement, ns. The rate of records is unknown at first. */
enum { FIRST_SPAN = 10000000, SHORTEST_SPAN = 1000000 };

static void on_record(void *ctx, const void *data, size_t size)
{
	struct ring_source *s = ctx;

	if (s->cpu < 0) {
		s->rings->woken = true;
	} else if (s->rings->fn) {
		s->bytes += ((size + 7) & ~(size_t)7) + BPF_RINGBUF_HDR_SZ;
		s->rings->fn(s->rings->arg, s->cpu, data, (uint32_t)size);
		s->rings->count++;
	}
}

static int add_ring(struct rings *r, unsigned i, int fd, int cpu)
{
	int err;

	if (r->source[i].added)
		return 0;
	r->source[i] = (struct ring_source){ .rings = r, .cpu = cpu };
	err = reader_open(&r->source[i].reader, fd);
	r->source[i].added = !err;
	return err;
}

int rings_watch(struct rings *r, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int rings_update(struct rings *r)
{
	const uint32_t *map_of = r->loaded->im->map_of;
	bool sends = map_of[BPF_MAP_RING] != UINT32_MAX || map_of[BPF_MAP_RINGS] != UINT32_MAX;
	unsigned n = r->loaded->im->par.ncpus;
	int err = 0;

	for (unsigned cpu = 0; cpu < n && !err; cpu++) {
		if (sends && bpf_ring(r->loaded, (int)cpu) >= 0)
			err = add_ring(r, cpu, bpf_ring(r->loaded, (int)cpu), (int)cpu);
	}
	return err;
}

int rings_open(struct rings *r, struct arena *a, const struct bpf_loaded *l, bool wall)
{
	uint32_t wake = l->im->map_of[BPF_MAP_WAKE];
	unsigned n = l->im->par.ncpus;
	int err;

	*r = (struct rings){ .loaded = l, .source = arena_calloc(a, n + 1, sizeof *r->source),
			     .measured = clock_now(), .pace = FIRST_SPAN };
	r->steps = wall ? wall_steps() : -1;
	r->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->epoll = r->event < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return -errno;
	err = rings_watch(r, r->event);
	if (!err && r->steps >= 0)
		err = rings_watch(r, r->steps);
	if (!err && wake != UINT32_MAX) {
		err = rings_watch(r, l->mapfd[wake]);
		if (!err)
			err = add_ring(r, n, l->mapfd[wake], -1);
	}
	return err ? err : rings_update(r);
}

static int rings_consume(struct rings *r)
{
	int err = 0;

	for (unsigned i = 0; i <= r->loaded->im->par.ncpus && !err; i++)
		if (r->source[i].added)
			err = reader_take(&r->source[i].reader, on_record, &r->source[i]);
	return err ? err : r->count;
}

/* What has woken the consumer will not do so again. */
static void wake_seen(struct rings *r, int fd)
{
	uint64_t sink;

	if (fd == r->steps)
		wall_step_seen(r->steps);
	if (fd == r->event && read(r->event, &sink, sizeof sink) < 0)
		return;		/* the eventfd has been read already */
}

/* Measures how fast the rings fill up. */
static void measure_pace(struct rings *r, uint64_t now)
{
	uint64_t most = 0, span = now - r->measured;

	if (span < SHORTEST_SPAN)
		return;
	for (unsigned i = 0; i < r->loaded->im->par.ncpus; i++) {
		if (r->source[i].bytes > most)
			most = r->source[i].bytes;
		r->source[i].bytes = 0;
	}
	r->pace = most ? (uint64_t)((double)span * r->loaded->ring_size / 4 / (double)most) : UINT64_MAX;
	if (r->pace < SHORTEST_SPAN)
		r->pace = SHORTEST_SPAN;
	r->measured = now;
}

int rings_poll(struct rings *r, uint64_t timeout, record_fn fn, void *arg)
{
	enum { MOST_MS = 1 << 30 };
	uint64_t now = timeout ? clock_now() : 0, wait;
	int n = 0, woken = 0;

	r->fn = fn;
	r->arg = arg;
	r->count = 0;
	r->woken = false;
	if (timeout > r->pace)
		timeout = r->pace;
	/* at least one timeout after the last delivery: this limits the rate of polls */
	wait = timeout && r->last + timeout > now ? r->last + timeout - now : 0;
	/* then, if nothing has arrived, a whole timeout */
	for (int turn = 0; turn < 2; turn++, wait = timeout) {
		uint64_t ms = (wait + 999999) / 1000000;
		struct epoll_event ev = { 0 };

		if (wait)
			woken = epoll_wait(r->epoll, &ev, 1, ms > MOST_MS ? MOST_MS : (int)ms);
		if (woken < 0) {
			n = -errno;
			break;
		}
		if (woken)
			wake_seen(r, ev.data.fd);
		n = rings_consume(r);
		if (n || woken || r->woken || !timeout)
			break;
	}
	r->fn = NULL;
	now = clock_now();
	measure_pace(r, now);
	if (r->count)
		r->last = now;
	return n;
}

void rings_wake(struct rings *r)
{
	uint64_t one = 1;
	int saved = errno;

	/* this fails only if a wake-up is pending already */
	if (write(r->event, &one, sizeof one) < 0)
		errno = saved;
}

void rings_close(struct rings *r)
{
	if (!r->loaded)
		return;
	for (unsigned i = 0; r->source && i <= r->loaded->im->par.ncpus; i++)
		if (r->source[i].added)
			reader_close(&r->source[i].reader);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->event >= 0)
		close(r->event);
	if (r->steps >= 0)
		close(r->steps);
	*r = (struct rings){ 0 };
}
