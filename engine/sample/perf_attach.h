/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of a source: which of them every thread needs, and how they come to it. Private to the perf source.
 *
 * A thread that runs when it is found gets events of its own; what it starts from then on inherits them, and the kernel
 * says so (PERF_RECORD_FORK). A thread that was being made while its maker got its events may have inherited all, some or
 * none: it gets its own, too, and loses them again when a sample shows that it has others.
 *
 * Ownership: the source owns its descriptors until source_perf.close.
 * Errors: opening: -errno.
 */
#ifndef ENGINE_SAMPLE_PERF_ATTACH_H
#define ENGINE_SAMPLE_PERF_ATTACH_H

#include "engine/sample/owed.h"
#include "engine/sample/perf_ring.h"
#include "engine/sample/tasks.h"
#include "engine/sample/uregs.h"

/* The events that were opened for a thread, and that its descendants have inherited: they end with the descriptors. */
struct perf_family {
	struct perf_family *next, *before;
	unsigned users;			/* threads */
	uint64_t gone;			/* ns that threads have run which are forgotten */
	uint64_t left, spans;		/* perf_settle: ns to be shared out, by how long threads were there */
	unsigned n;
	struct perf_handle *v;
	double *missed;			/* by rate: firings of which it is known that they did not come */
};

/* One event. */
struct perf_handle {
	int fd;
	uint32_t tid;			/* whose it is; 0 = of a CPU */
	int rate;			/* -1: notes about tasks */
	uint64_t id;
	unsigned ring;			/* which CPU's */
	uint64_t ran, lost;		/* are in the account (perf_account.h) */
	uint64_t alive;			/* of a CPU: so long it had run when it was looked at last */
	struct perf_family *family;
	struct perf_handle *next;	/* of the same hash */
};

/* What the events of a rate have counted on a CPU. */
struct perf_count {
	uint64_t ran, lost;		/* ns, samples */
	double throttled;		/* firings */
};

/* A CPU: lost records that were told, ns that it has idled (before the stop: all that was before the start). */
struct perf_cpu {
	uint64_t told, idle;
};

/* An event that the kernel holds back. */
struct perf_throttled {
	uint64_t id, stream, since;
};

enum { PERF_IDS = 4096, PERF_THROTTLED = 256 };

struct sample_source {
	struct arena *arena;
	const struct source_want *want;
	struct source_want want_copy;
	struct perf_rings rings;
	struct tasks tasks;
	struct perf_handle *ids[PERF_IDS];	/* by id */
	struct perf_handle *wide;		/* of CPUs: all tasks are seen */
	unsigned nwide;
	bool is_wide, hidden;			/* hidden: the kernel's code is not seen */
	bool started, stopped, more;
	uint64_t *interval;
	unsigned nrates;
	unsigned frames;			/* of a sample: the kernel collects so many */
	uint64_t looked;			/* when /proc was looked at last */
	uint64_t counted;			/* when CPUs were looked for last */
	int files;				/* descriptors above this are for reading /proc and programs */
	struct perf_unseen {			/* threads that could not be followed: */
		uint64_t nofiles;		/* too many open files */
		uint64_t refused;		/* they are not ours to see */
	} round, unseen;			/* in this search, in any */
	uint64_t told_files;			/* of unseen.nofiles */
	struct owed owed;			/* what the kernel has kept back */
	uint64_t uregs[UREGS_MOST];		/* of the newest sample */
	struct perf_family *families;
	bool tells_lost;			/* events count samples that find no room */
	struct perf_count *count;		/* by rate and ring */
	struct perf_cpu *cpu;			/* by ring */
	bool forked;				/* threads have inherited events */
	uint64_t parts;				/* CPUs that threads which are forgotten were on */
	struct perf_throttled throttled[PERF_THROTTLED];
	unsigned nthrottled;
};

/* Follows one thread that is there (or has just gone: no failure). */
int perf_follow(struct sample_source *s, uint32_t pid, uint32_t tid);
/* All that is to be followed and is not yet. */
void perf_follow_all(struct sample_source *s);
/* Brings `unseen` up to date. */
void perf_unseen_note(struct sample_source *s);
/* On all CPUs. -errno: not allowed. */
int perf_follow_cpus(struct sample_source *s);
/* From time to time: CPUs that have come online get a ring and events. */
void perf_follow_online(struct sample_source *s);
/* Its own events are not needed: it has others. */
void perf_unfollow(struct sample_source *s, struct task *t);
/* The thread has inherited the events of a family (NULL: it has none). */
void perf_join(struct sample_source *s, struct task *t, struct perf_family *f);
/* Nobody tells how long a thread has run that has ended and had no counter of its own: what all events of its family have
 * counted, less what is known of others, is shared out among them by the time that each was there. */
void perf_settle(void *arg);
int perf_enable_all(struct sample_source *s, bool on);
struct perf_handle *perf_handle_find(const struct sample_source *s, uint64_t id);

#endif
