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
#include "engine/bpf/bpf.h"
#include "engine/bpf/load.h"
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

/* Returns 1 if woken, 0 at the timeout. */
static int wait_events(struct rings *r, uint64_t ns)
{
	uint64_t ms = (ns + 999999) / 1000000, sink;
	struct epoll_event ev;
	int n = epoll_wait(r->epoll, &ev, 1, ms > 1 << 30 ? 1 << 30 : (int)ms);

	if (n < 0)
		return -errno;
	if (n > 0 && ev.data.fd == r->steps)
		wall_step_seen(r->steps);
	if (n > 0 && ev.data.fd == r->event && read(r->event, &sink, sizeof sink) < 0)
		return 1;	/* the eventfd has been read already */
	return n > 0;
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
	uint64_t now = timeout ? clock_now() : 0;
	int n = 0;

	r->fn = fn;
	r->arg = arg;
	r->count = 0;
	r->woken = false;
	if (timeout > r->pace)
		timeout = r->pace;
	/* at least one timeout after the last delivery: this limits the rate of polls */
	if (timeout && r->last + timeout > now)
		n = wait_events(r, r->last + timeout - now);
	if (n == 0) {
		n = rings_consume(r);
		if (n == 0 && timeout && !r->woken) {
			n = wait_events(r, timeout);
			n = n < 0 ? n : rings_consume(r);
		}
	} else if (n > 0) {
		n = rings_consume(r);
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
