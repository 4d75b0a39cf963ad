/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of the perf source, shared by its parts: perf.c, perf_attach.c, perf_account.c. Private to them.
 * Ownership: the source owns its descriptors until source_perf.close. Errors: none.
 */
#ifndef ENGINE_SAMPLE_PERF_SOURCE_H
#define ENGINE_SAMPLE_PERF_SOURCE_H

#include "engine/host/perf_ring.h"
#include "engine/sample/derived.h"
#include "engine/sample/source.h"
#include "engine/sample/tasks.h"
#include "engine/sample/uregs.h"

/* Events opened for a thread, and inherited by its descendants. Inherited events end when the descriptors are
 * closed. */
struct perf_family {
	struct perf_family *next, *before;
	unsigned users;			/* number of threads */
	uint64_t gone;			/* run time of removed threads, ns */
	uint64_t left, spans;		/* perf_settle: ns to distribute, and the sum of the threads' lifetimes */
	unsigned n;
	struct perf_handle *v;
	double *missed;			/* by rate: known losses, in firings */
};

/* One event. */
struct perf_handle {
	int fd;
	uint32_t tid;			/* its thread; 0 = event of a CPU */
	int rate;			/* -1: reports task events */
	uint64_t id;
	unsigned ring;			/* the ring of its CPU */
	uint64_t ran, lost;		/* counts that are already in the account (perf_account.h) */
	uint64_t alive;			/* event of a CPU: run time at the last check */
	struct perf_family *family;
	struct perf_handle *next;	/* in its hash chain */
};

/* Counts of the events of a rate on a CPU. */
struct perf_count {
	uint64_t ran, lost;		/* ns, samples */
	double throttled;		/* firings */
};

/* A CPU: reported lost records; idle ns (until the stop: idle ns at the start). */
struct perf_cpu {
	uint64_t reported, idle;
};

/* An event that is being throttled. */
struct perf_throttled {
	uint64_t id, stream, since;
};

enum { PERF_IDS = 4096, PERF_THROTTLED = 256 };

struct perf_source {
	struct arena *arena;
	const struct source_want *want;
	struct source_want want_copy;
	struct perf_rings rings;
	struct tasks tasks;
	struct perf_handle *ids[PERF_IDS];	/* by id */
	struct perf_handle *wide;		/* events of CPUs, which sample all threads */
	unsigned nwide;
	bool is_wide, hidden;			/* hidden: kernel code is not sampled */
	bool started, stopped, more;
	uint64_t *interval;
	unsigned nrates;
	unsigned frames;			/* frames of a sample that the kernel collects */
	uint64_t searched;			/* time of the last search in /proc */
	uint64_t counted;			/* time of the last search for CPUs */
	int files;				/* higher descriptors are reserved for /proc and programs */
	struct perf_unseen {			/* threads that could not be sampled: */
		uint64_t nofiles;		/* too many open files */
		uint64_t refused;		/* no permission */
		uint64_t privileged;		/* executed a program with privileges */
	} round, unseen;			/* in this search; in total */
	uint64_t reported_files;			/* part of unseen.nofiles that was reported */
	struct derived derived;			/* firings without samples */
	uint64_t uregs[UREGS_MOST];		/* registers of the newest sample */
	struct perf_family *families;
	bool reports_lost;			/* events count lost samples */
	struct perf_count *count;		/* by rate and ring */
	struct perf_cpu *cpu;			/* by ring */
	bool forked;				/* threads have inherited events */
	uint64_t parts;				/* number of CPUs that removed threads ran on */
	struct perf_throttled throttled[PERF_THROTTLED];
	unsigned nthrottled;
};

static inline struct perf_source *perf_source(struct sample_source *handle)
{
	return (struct perf_source *)handle;
}

/* Returns the event with this ID, or NULL. */
struct perf_handle *perf_handle_find(const struct perf_source *s, uint64_t id);

#endif
