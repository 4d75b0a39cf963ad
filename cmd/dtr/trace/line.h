/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns the records of the script into lines (or objects of JSON). A call whose thread is interrupted by a line of
 * another one is shown in two parts.
 * Ownership: trace_lines_close frees the threads' memory; the arena has the rest. Errors: no memory: `failed`.
 */
#ifndef CMD_DTR_TRACE_LINE_H
#define CMD_DTR_TRACE_LINE_H

#include "base/map.h"
#include "cmd/dtr/trace/decode.h"
#include "cmd/dtr/trace/options.h"
#include "engine/dtr.h"

struct trace_thread {
	int tid, pid;
	bool pending;			/* in a call */
	bool halved;			/* whose beginning has been shown */
	unsigned shown;			/* its arguments so far */
	uint64_t began;
	struct decode d;
};

/* The execve() that began the command of -c. It has happened before the probes were armed. */
struct trace_exec {
	int pid;			/* 0: the probes see it, or there is no command */
	const char *path;
	char **words, **environment;
	uint64_t time;			/* CLOCK_MONOTONIC, ns */
};

struct trace_lines {
	const struct trace_options *o;
	struct arena *arena;
	struct map threads;		/* tid -> struct trace_thread */
	struct trace_thread *last;	/* the one that entered a call last, and nothing has been shown since */
	bool many;			/* there are several threads: lines show which one */
	int64_t wall;			/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	uint64_t previous;		/* time of the previous line, ns */
	unsigned torn;			/* calls without an entry or a return, because records were dropped */
	struct buf out;
};

void trace_lines_open(struct trace_lines *l, const struct trace_options *o);
/* Appends the call if it is selected and pid is not 0. Its duration is unknown. */
void trace_lines_exec(struct trace_lines *l, const struct trace_exec *e);
/* Appends what a record means to `out`. */
void trace_lines_record(struct trace_lines *l, const struct dtr_record *r);
/* Tracing has ended: calls that have not returned. */
void trace_lines_end(struct trace_lines *l);
void trace_lines_close(struct trace_lines *l);

#endif
