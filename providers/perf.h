/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf events that run a BPF program: one event on each of several CPUs, CPUs that come and go included.
 * profile and tick stand on this.
 *
 * Ownership: the set owns its descriptors and its memory until perf_set_close (idempotent; a zeroed set is closed).
 * Errors: opening: -errno and a sentence in `why`.
 */
#ifndef PROVIDERS_PERF_H
#define PROVIDERS_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The event of one CPU: */
enum perf_stage {
	PERF_OPENED,		/* not enabled yet */
	PERF_ENABLED,
	PERF_ENDED,		/* disabled, about to be closed */
};

/* What becomes of it, for who keeps account of firings. Times: CLOCK_MONOTONIC, ns. */
struct perf_news {
	enum perf_stage stage;
	int cpu, fd;
	uint64_t before, after;	/* ENABLED, ENDED: it was, between these two */
	uint64_t ran;		/* ENDED: for so long, as the kernel has counted it */
};

/* The event of one CPU. */
struct perf_slot {
	int fd;			/* -1 = none */
	bool wanted;		/* during perf_set_refresh: the CPU is online */
	uint64_t running;	/* ns that it had run at the last look */
	uint64_t since;		/* when it was enabled: CLOCK_MONOTONIC just before, ns */
};

struct perf_set {
	struct perf_event_attr attr;
	int prog_fd;
	void (*news)(void *arg, const struct perf_news *n);	/* NULL: nobody listens. Set before opening */
	void *news_arg;
	struct perf_slot *v;	/* by CPU number */
	unsigned n;
};

/* An attribute that perf_open takes: this event every `period` of its own units. */
struct perf_event_attr perf_attr(uint32_t type, uint64_t config, uint64_t period);

/* One event on one CPU with the program attached, not enabled yet. Its descriptor, or -errno. */
int perf_open(const struct perf_event_attr *attr, int cpu, int prog_fd, char *why, size_t n);
/* 0 or -errno. */
int perf_enable(int fd);
/* What -errno of perf_open means, where it is the event (and not the program) that was refused. */
void perf_why(int err, char *why, size_t n);

/* Events on all these CPUs, not enabled yet. A CPU that went offline in the meantime is left out. 0 or -errno. */
int perf_set_open(struct perf_set *s, const struct perf_event_attr *attr, int prog_fd, const int *cpus, unsigned ncpus,
		  char *why, size_t n);
int perf_set_enable(struct perf_set *s);
/* Brings the set up to the CPUs that are online now. An event whose CPU went and came back looks alive (it can be read
 * and enabled) but never fires again: one that has not run since the last call is opened anew. What cannot be opened
 * now is tried again at the next call. */
void perf_set_refresh(struct perf_set *s, const int *cpus, unsigned ncpus);
void perf_set_close(struct perf_set *s);

#endif
