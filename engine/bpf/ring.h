/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The consumer's side of the rings, and what it sleeps on.
 *
 * Records do not wake anybody: the consumer comes by at its own rate. It is woken by exit() (through the wake ring)
 * and by rings_wake (an eventfd). Where records come so fast that a ring would be full before that, it comes by sooner: steady
 * load is not lost for want of a larger bufsize.
 * Who owns what: descriptors and mappings until rings_close (idempotent). What can fail: opening, adding: -errno.
 */
#ifndef ENGINE_BPF_RING_H
#define ENGINE_BPF_RING_H

#include "engine/bpf/bpf.h"
#include "engine/run/backend.h"

struct ring_buffer;
struct rings;

struct ring_source {
	struct rings *rings;
	int cpu;		/* -1: the wake ring */
	uint64_t bytes;		/* taken from it since the last measurement */
};

struct rings {
	const struct bpf_loaded *loaded;
	struct ring_buffer *rb;		/* NULL: the program sends nothing */
	struct ring_source *source;	/* by CPU, the wake ring last */
	bool *added;
	int epoll, event;
	int steps;			/* wall_steps, or -1 */
	uint64_t last;			/* when records were handed over last */
	uint64_t measured;		/* since when the sources' bytes count */
	uint64_t pace;			/* ns in which the fastest ring gets a quarter full; UINT64_MAX: none fills */
	record_fn fn;			/* during a pass */
	void *arg;
	int count;
	bool woken;			/* by exit(), which this pass has seen */
};

/* wall: the consumer is to wake up when the wall clock is set. 0 or -errno. */
int rings_open(struct rings *r, struct arena *a, const struct bpf_loaded *l, bool wall);
/* Takes up the rings of CPUs that came. 0 or -errno. */
int rings_update(struct rings *r);
/* backend_ops.poll. Records are handed over at most once in timeout_ns, unless something wakes the consumer. */
int rings_poll(struct rings *r, uint64_t timeout_ns, record_fn fn, void *arg);
/* May be called from a signal handler. */
void rings_wake(struct rings *r);
void rings_close(struct rings *r);

#endif
