/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf events that run a BPF program, one per CPU. CPUs may be added and removed. Used by profile and tick.
 *
 * Ownership: the set owns its descriptors and its memory until perf_set_close (idempotent; a zeroed set is closed).
 * Errors: -errno; perf_event and perf_set_open also store a sentence in reason[n].
 */
#ifndef PROVIDERS_PERF_H
#define PROVIDERS_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* State of the event of one CPU. */
enum perf_stage {
	PERF_OPENED,		/* not enabled yet */
	PERF_ENABLED,
	PERF_ENDED,		/* disabled, about to be closed */
};

/* A change of the event's state, for the count of firings due. Times: CLOCK_MONOTONIC, ns. */
struct perf_change {
	enum perf_stage stage;
	int cpu, fd;
	uint64_t before, after;	/* ENABLED, ENDED: the change happened between these two times */
	uint64_t ran;		/* ENDED: the event's run time counted by the kernel, ns */
	uint64_t count;		/* ENDED: the event's own count since it was enabled */
	uint64_t period;	/* OPENED: units of the event from one firing to the next */
	bool replaced;		/* ENDED: an event with another period follows at once */
};

/* The event of one CPU. */
struct perf_slot {
	int fd;			/* -1 = none */
	bool wanted;		/* during perf_set_refresh: the CPU is online */
	uint64_t running;	/* run time at the last check, ns */
	uint64_t since;		/* CLOCK_MONOTONIC just before it was enabled, ns */
	uint64_t took;		/* ns from then until it was certainly enabled */
};

struct perf_set {
	struct perf_event_attr attr;
	int prog_fd;
	void (*changed)(void *arg, const struct perf_change *n);	/* may be NULL; set it before opening */
	void *changed_arg;
	struct perf_slot *v;	/* indexed by CPU number */
	unsigned n;
	pid_t owner;		/* the process that has opened it: a fork of that only closes its descriptors */
};

/* Returns an attribute for perf_event: fires every `period` units of the event. */
struct perf_event_attr perf_attr(uint32_t type, uint64_t config, uint64_t period);

/* Opens one event on one CPU, disabled. Returns its descriptor, or -errno. */
int perf_event(const struct perf_event_attr *attr, int cpu, char *reason, size_t n);
/* A number in a file of a PMU's folder: of "type" with "%d", or of a bit in "format/..." with "config:%d". -ENODEV:
 * none; another -errno: it cannot be read. */
int perf_pmu_number(const char *pmu, const char *name, const char *format);
/* Returns 0 or -errno. */
int perf_enable(int fd);
/* Explains an errno of perf_event. The text is valid until the next call. */
const char *perf_reason(int err);

/* A program, and the CPUs on which it is to run. */
struct perf_run {
	int prog_fd;
	const int *cpus;
	unsigned ncpus;
};

/* Opens events on these CPUs, disabled. Skips CPUs that have gone offline. Returns 0 or -errno. */
int perf_set_open(struct perf_set *s, const struct perf_event_attr *attr, const struct perf_run *run, char *reason,
		  size_t n);
int perf_set_enable(struct perf_set *s);
/* Updates the set to the CPUs that are online now. After a CPU was offline, its event can still be read and enabled but
 * never fires, so an event that has not run since the last call is reopened. Failures are retried at the next call. */
void perf_set_refresh(struct perf_set *s, const int *cpus, unsigned ncpus);
/* Replaces the enabled event of a CPU by one with this attribute, which later events of the set get, too. The new one
 * is enabled as soon as the old one is disabled. Returns 0, or -errno: then the old event continues. */
int perf_set_replace(struct perf_set *s, const struct perf_event_attr *attr, int cpu);
void perf_set_close(struct perf_set *s);

#endif
