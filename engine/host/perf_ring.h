/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads perf ring buffers, one per CPU, in order of time. Records are not copied, because a stack copy has 8 KB and
 * little of it is read: they stay in the ring until all records of a pass have been delivered.
 *
 * Each ring belongs to a separate event that counts nothing (PERF_COUNT_SW_DUMMY). Other events of the same CPU may
 * write to it (PERF_EVENT_IOC_SET_OUTPUT).
 *
 * Ownership: perf_rings_close releases everything (idempotent). A record is valid until the next call of
 * perf_rings_next.
 * Errors: opening returns -errno; if memory runs out, `failed` is set and records are lost.
 */
#ifndef ENGINE_HOST_PERF_RING_H
#define ENGINE_HOST_PERF_RING_H

#include <linux/perf_event.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

/* The start of a sample. Every event with samples must request exactly these fields (PERF_SAMPLE_IDENTIFIER, _IP, _TID,
 * _TIME, _CPU), and may request fields that follow them. */
struct perf_head {
	struct perf_event_header h;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
};

/* PERF_RECORD_MMAP2. */
struct perf_mmap2 {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, off;
	uint32_t major, minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

struct perf_ring {
	int cpu, fd;			/* fd: -1: not open */
	bool away;			/* the CPU has never been online */
	struct perf_event_mmap_page *page;
	uint64_t enabled;		/* how long its event was enabled at the last check (perf_ring_dead) */
	uint64_t taken;			/* records up to here are in `pending` */
};

/* A record that has not been delivered yet. */
struct perf_pending {
	uint64_t time, seq;
	uint64_t pos;			/* position in its ring, counted like data_head */
	uint32_t ring, size;
};

struct perf_rings {
	struct perf_ring *v;
	unsigned n;
	size_t page_size, bytes;	/* of each ring's data */
	struct buf whole;		/* copy of a record that wraps around the end of its ring */
	struct perf_event_attr attr;	/* of each ring's event */
	pid_t pid;			/* process that the events are opened for; -1: all */
	struct perf_pending *pending;
	size_t npending, cap, at;	/* at: the next record to deliver */
	uint64_t seq;			/* number of the next pending record */
	uint64_t until;			/* later records are held back, because older ones may still arrive */
	bool failed;
	bool filled;			/* since the last pass, a ring was so full that records may be lost */
	bool full;			/* `filled` of the last pass */
};

/* Describes the rings' own events. */
struct perf_rings_want {
	/* type and config are set by perf_rings_open; sample_type has PERF_SAMPLE_TIME */
	const struct perf_event_attr *attr;
	pid_t pid;				/* as in perf_event_open(2): 0 this process, -1 all */
	size_t bytes;				/* of each ring; a power of two, at least a page */
	bool wake;				/* poll() wakes up when an eighth of a ring is full */
	bool at_once;				/* poll() wakes up when a ring has a record */
};

/* Creates a ring for each present CPU and opens those of the online CPUs, with want->bytes or as many bytes as may be
 * locked (RLIMIT_MEMLOCK). Returns 0, or -errno and the reason in reason[n]. Close the rings in either case. */
int perf_rings_open(struct perf_rings *r, const struct perf_rings_want *want, char *reason, size_t n);
void perf_rings_close(struct perf_rings *r);
/* Opens the ring of a CPU that came online. If it was open, opens it again, and its undelivered records are lost.
 * Returns 0 or -errno. */
int perf_rings_add(struct perf_rings *r, unsigned ring);
/* For events with read_format PERF_FORMAT_TOTAL_TIME_ENABLED: true if the ring gets no records: it is not open, or its
 * CPU went offline, which stops an event permanently. Between two calls, time must pass. */
bool perf_ring_dead(struct perf_ring *r);
/* Starts a pass over all new records; call it after perf_rings_next has returned NULL. until: later ones are held back
 * for the next pass, because an older one may still come in another ring; UINT64_MAX: none are. */
void perf_rings_take(struct perf_rings *r, uint64_t until);
/* Returns the next record in order of time. NULL: the pass is over, and the kernel may overwrite its records. */
const struct perf_event_header *perf_rings_next(struct perf_rings *r, uint64_t *time);
/* Calls fn for all records in the rings, in order of time, without consuming them. */
void perf_rings_each(struct perf_rings *r, void (*fn)(void *arg, const struct perf_event_header *h, uint64_t time),
		     void *arg);

#endif
