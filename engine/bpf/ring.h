/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The consumer's side of the rings, and the events it waits for.
 *
 * Records do not wake the consumer: it polls at its own rate. exit() wakes it through the wake ring, and rings_wake
 * through an eventfd. If records arrive so fast that a ring would fill before the next poll, it polls earlier, so a
 * steady load needs no larger bufsize.
 *
 * Ownership: the struct owns descriptors and mappings until rings_close (idempotent).
 * Errors: rings_open and rings_update return -errno.
 */
#ifndef ENGINE_BPF_RING_H
#define ENGINE_BPF_RING_H

#include "base/arena.h"
#include "engine/bpf/load/reader.h"
#include "engine/run/backend.h"

struct bpf_loaded;

struct rings;

struct ring_source {
	struct rings *rings;
	struct ring_reader reader;
	bool added;
	int cpu;		/* -1: the wake ring */
	uint64_t bytes;		/* consumed since the last measurement */
};

struct rings {
	const struct bpf_loaded *loaded;
	struct ring_source *source;	/* by CPU, the wake ring last */
	int epoll, event;
	int steps;			/* descriptor of wall_steps(), or -1 */
	uint64_t last;			/* time of the last delivery of records, ns */
	uint64_t measured;		/* start of the current measurement, ns */
	uint64_t pace;			/* ns in which the fastest ring fills by a quarter; UINT64_MAX: never */
	record_fn fn;			/* set during a poll */
	void *arg;
	int count;
	bool woken;			/* exit() has woken the consumer during this poll */
};

/* wall: also wake the consumer when the wall clock is set. Returns 0 or -errno. */
int rings_open(struct rings *r, struct arena *a, const struct bpf_loaded *l, bool wall);
/* Also wakes the consumer when a descriptor is readable. Returns 0 or -errno. */
int rings_watch(struct rings *r, int fd);
/* Adds the rings of CPUs that came online. Returns 0 or -errno. */
int rings_update(struct rings *r);
/* Implements backend_ops.poll. Delivers records at most once per timeout_ns, unless something wakes the consumer. */
int rings_poll(struct rings *r, uint64_t timeout, record_fn fn, void *arg);
/* Wakes the consumer. Async-signal-safe. */
void rings_wake(struct rings *r);
void rings_close(struct rings *r);

#endif
