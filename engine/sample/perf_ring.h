/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Buffers that the kernel's perf events write into, one for each CPU, read in order of time. Records stay where the kernel
 * wrote them until all that were taken have been handed out: a copy of a stack has 8 KB, of which little is looked at.
 *
 * Ownership: perf_rings_close gives everything back (idempotent). A record is valid until the next one is asked for.
 * Errors: opening (-errno), memory (failed is set, and records are missing).
 */
#ifndef ENGINE_SAMPLE_PERF_RING_H
#define ENGINE_SAMPLE_PERF_RING_H

#include <linux/perf_event.h>

#include <stdint.h>

#include "base/buf.h"

/* What every record that is not a sample ends in (perf_ring_attr). */
struct perf_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
	uint64_t id;
};

/* How a sample begins. */
struct perf_head {
	struct perf_event_header h;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
};

struct perf_ring {
	int cpu, fd;			/* fd: -1: not open */
	bool away;			/* the CPU has not been online so far */
	struct perf_event_mmap_page *page;
	uint64_t taken;			/* up to here there are notes */
};

/* A record that was not handed out yet. */
struct perf_note {
	uint64_t time, seq;
	uint64_t pos;			/* in its ring, as data_head counts */
	uint32_t ring, size;
};

struct perf_rings {
	struct perf_ring *v;
	unsigned n;
	size_t page_size, bytes;	/* of each ring's data */
	struct buf whole;		/* a record that goes round the end of its ring */
	struct perf_note *note;
	size_t notes, cap, at;		/* at: the next one to hand out */
	uint64_t seq;			/* of the next note */
	uint64_t until;			/* what is younger is kept back: something older may still come */
	bool failed;
	bool filled;			/* since the last taking a ring was so full that records may have been lost */
	bool full;			/* the same, taken last */
};

/* A rings' own events and all that write into them have these in common. */
void perf_ring_attr(struct perf_event_attr *a);
/* What a stack is unwound from: registers and so many bytes of it. */
void perf_ring_unwind(struct perf_event_attr *a, uint32_t bytes);
/* Do events give that? 0 or -errno. */
int perf_try_unwind(uint32_t bytes);
/* One for each CPU that is present, open where it is online: of so many bytes (a power of two), or of as many as may be
 * locked. 0, or -errno and the reason in why. */
int perf_rings_open(struct perf_rings *r, size_t bytes, char *why, size_t n);
void perf_rings_close(struct perf_rings *r);
/* Opens the ring of a CPU that has come online. 0 or -errno. */
int perf_rings_add(struct perf_rings *r, unsigned ring);
/* Takes all in, once what was taken before has been handed out (perf_rings_next gave NULL). last: keeps nothing back. */
void perf_rings_take(struct perf_rings *r, uint64_t now, bool last);
/* The next record in order of time, or NULL: the kernel has the room of those before it again. */
const struct perf_event_header *perf_rings_next(struct perf_rings *r, uint64_t *time);
/* Looks at all records that are there, in order. */
void perf_rings_each(struct perf_rings *r, void (*fn)(void *arg, const struct perf_event_header *h, uint64_t time),
		     void *arg);

#endif
