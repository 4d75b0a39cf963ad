/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A summary of a recording (dtr report, dtr diff): how many of its samples are of each mode, container, process and
 * function. It is taken from the aggregations of a script that is made for the recording.
 *
 * A sample is idle if it is of process 0 in a routine in which the kernel waits on an idle CPU (shares_idle), or at an
 * unknown place. Containers, processes and functions are those of the other, busy samples. The function of a sample is
 * the one that was executing (self time): that of a script, "fib (/home/a/s.py)", instead of its interpreter's loop. A
 * place without a symbol is "object`[unknown]".
 *
 * Ownership: the caller's arena. Errors: summary_take returns -ENOMEM.
 */
#ifndef ENGINE_OUTPUT_SUMMARY_SUMMARY_H
#define ENGINE_OUTPUT_SUMMARY_SUMMARY_H

#include "engine/output/output.h"

struct summary_row {
	const char *name;
	uint64_t count;
	uint64_t processes;		/* of a process: how many had this name; of others 0 */
};

enum summary_mode { SUMMARY_USER, SUMMARY_KERNEL, SUMMARY_IDLE, SUMMARY_UNKNOWN, SUMMARY_MODES };

struct summary_list {
	struct summary_row *v;		/* the largest count first, then by name */
	size_t n, cap;
};

struct summary {
	/* set by the session */
	const char *path;
	const char *reader;		/* "dtr" or "perf": what made the recording */
	char probe[64];			/* "profile-997" */
	uint64_t interval;		/* ns between two samples of a CPU */
	char release[72], machine[72];	/* of the kernel; "": unknown */
	unsigned ncpus;
	bool stacks, blind;		/* there are stacks; there are no program counters */
	bool by_container;		/* wanted: `containers`, which is empty otherwise */
	/* set by summary_take */
	struct run_about about;		/* host, subject, time */
	uint64_t duration;		/* ns */
	uint64_t samples, lost;
	uint64_t busy;			/* samples that are not idle */
	uint64_t mode[SUMMARY_MODES];
	struct summary_list containers, processes, functions;
};

/* The name of a mode: "user". */
const char *summary_mode_name(enum summary_mode m);
/* The text of the script for a recording. graph: with @stacks, the stacks of all processes (but not of the idle
 * thread), which must have been recorded. */
#define SUMMARY_STACKS "stacks"
const char *summary_script(struct arena *a, const struct summary *s, bool graph);
/* After the script has ended: takes the summary from its aggregations. s: the members for the session are set. */
int summary_take(struct summary *s, struct arena *a, const struct output *o, const struct agg_table *tables,
		 unsigned n);
/* Append the summary as text, or as JSON lines. all: all rows, not only the first ones. */
void summary_text(struct buf *out, const struct summary *s, bool all);
void summary_json(struct buf *out, const struct summary *s);
/* For a recording: appends "2026-11-23 12:00:00 UTC", or nothing if the time is unknown. */
void summary_date(struct buf *out, const struct summary *s);
/* Appends the members of JSON that say what was recorded. */
void summary_facts(struct buf *out, const struct summary *s);

#endif
