/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A measurement of `dtr stat`: the counters while a command or a process runs.
 *
 * Ownership: strings are valid as long as the arena. Errors: measure returns -1 after a message.
 */
#ifndef CMD_DTR_STAT_MEASURE_H
#define CMD_DTR_STAT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "cmd/dtr/stat/args.h"
#include "engine/dtr.h"

/* The counts of a stretch of time: of a whole run, or of an interval. */
struct stat_counts {
	struct dtr_count *v;		/* by event; strings are the arena's */
	unsigned n;
	uint64_t begin, end;		/* since the start of the run, ns */
};

/* What happens while it runs. */
struct stat_run {
	const struct stat_args *args;
	struct arena *arena;
	const struct rlimit *stack;
	int signals;			/* a signalfd for SIGINT, SIGTERM, SIGHUP, which are blocked */
	void (*interval)(void *arg, const struct stat_counts *c);	/* called every args->interval */
	void *arg;
	/* results */
	struct stat_counts counts;
	uint64_t user, sys;		/* CPU time of the command and its ended children, ns */
	int status;			/* exit status; 128 + N: ended by signal N */
	bool interrupted;		/* by a signal to this process */
};

/* Counts once. Returns 0, or -1 after a message, with an exit status in run->status. */
int stat_measure(struct stat_run *run);

#endif
