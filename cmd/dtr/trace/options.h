/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `dtr trace` was asked for.
 * Ownership: the command's arena. Errors: see each function.
 */
#ifndef CMD_DTR_TRACE_OPTIONS_H
#define CMD_DTR_TRACE_OPTIONS_H

#include <stdbool.h>

#include "cmd/dtr/command.h"
#include "cmd/dtr/trace/calls.h"

enum trace_stamp { STAMP_NONE, STAMP_SECONDS, STAMP_MICROSECONDS, STAMP_EPOCH, STAMP_RELATIVE };

struct trace_options {
	struct arena *arena;
	const char *prog, *share;
	const struct command_line *line;	/* for messages */
	struct call *calls;		/* in alphabetical order */
	bool *on;			/* by call: -e */
	size_t ncalls;
	bool follow, durations, summary, paths, json, script;
	bool successful, failed;	/* -z, -Z: only these */
	unsigned strsize;		/* -s */
	enum trace_stamp stamp;
};

/* Of struct trace_options. */
extern const struct command_option trace_flags[];
/* Before parsing: all calls are selected. */
void trace_options_init(struct trace_options *o, struct command_line *l);
/* Completes what was parsed into l->self. Returns 0, or -1 after a message. */
int trace_options_check(struct command_line *l);
/* -e: adds to or replaces the set of calls. Returns 0, or -1 after a message. */
int trace_select(struct trace_options *o, const char *expression);

#endif
