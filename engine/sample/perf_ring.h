/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf ring buffers, one per CPU, read in order of time. Records are not copied: they stay in the buffer until all
 * records of a pass have been delivered, because a stack copy has 8 KB and little of it is read.
 *
 * Ownership: perf_rings_close releases everything (idempotent). A record is valid until the next call of
 * perf_rings_next.
 * Errors: opening returns -errno; without memory `failed` is set and records are missing.
 */
#ifndef ENGINE_SAMPLE_PERF_RING_H
#define ENGINE_SAMPLE_PERF_RING_H

#include <linux/perf_event.h>

#include <stdint.h>

#include "base/buf.h"

/* The end of every record that is not a sample (sample_id of perf_event_open(2), as perf_ring_attr requests it). */
struct perf_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
	uint64_t id;
};

/* The beginning of a sample. */
struct perf_head {
	struct perf_event_header h;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
};

struct perf_ring {
	int cpu, fd;			/* fd: -1: not open */
	bool away;			/* the CPU has not been online yet */
	struct perf_event_mmap_page *page;
	uint64_t taken;			/* up to here records have entries in `note` */
};

/* A record that was not delivered yet. */
struct perf_note {
	uint64_t time, seq;
	uint64_t pos;			/* in its ring, on the scale of data_head */
	uint32_t ring, size;
};

struct perf_rings {
	struct perf_ring *v;
	unsigned n;
	size_t page_size, bytes;	/* of each ring's data */
	struct buf whole;		/* copy of a record that wraps around the end of its ring */
	struct perf_note *note;
	size_t notes, cap, at;		/* at: the next one to deliver */
	uint64_t seq;			/* number of the next note */
	uint64_t until;			/* later records are held back: older ones may still arrive */
	bool failed;
	bool filled;			/* since the last pass a ring was so full that records may be lost */
	bool full;			/* the same in the last pass */
};

/* Sets the attributes that all events of the rings share. */
void perf_ring_attr(struct perf_event_attr *a);
/* Requests data for unwinding: registers and `bytes` of the stack. */
void perf_ring_unwind(struct perf_event_attr *a, uint32_t bytes);
/* Checks whether events support that. Returns 0 or -errno. */
int perf_try_unwind(uint32_t bytes);
/* Makes a ring for each present CPU and opens those of online CPUs, with `bytes` (a power of two) or as many as may be
 * locked (RLIMIT_MEMLOCK). Returns 0, or -errno and the reason in why[n]. */
int perf_rings_open(struct perf_rings *r, size_t bytes, char *why, size_t n);
void perf_rings_close(struct perf_rings *r);
/* Opens the ring of a CPU that came online. Returns 0 or -errno. */
int perf_rings_add(struct perf_rings *r, unsigned ring);
/* Starts a pass over all new records, after perf_rings_next has returned NULL. last: holds nothing back. */
void perf_rings_take(struct perf_rings *r, uint64_t now, bool last);
/* Returns the next record in order of time. NULL: the pass is over, and its space is free for the kernel. */
const struct perf_event_header *perf_rings_next(struct perf_rings *r, uint64_t *time);
/* Calls fn for all records present, in order, without taking them. */
void perf_rings_each(struct perf_rings *r, void (*fn)(void *arg, const struct perf_event_header *h, uint64_t time),
		     void *arg);

#endif
