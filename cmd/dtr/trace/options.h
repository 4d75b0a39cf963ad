/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `dtr trace` was asked for.
 * Ownership: the command's arena. Errors: see each function.
 */
#ifndef CMD_DTR_TRACE_OPTIONS_H
#define CMD_DTR_TRACE_OPTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cmd/dtr/trace/calls.h"

enum trace_stamp { STAMP_NONE, STAMP_SECONDS, STAMP_MICROSECONDS, STAMP_EPOCH, STAMP_RELATIVE };

struct trace_options {
	struct arena *arena;
	const char *prog, *share;
	struct call *calls;		/* in alphabetical order */
	bool *on;			/* by call: -e */
	size_t ncalls;
	bool follow, durations, summary, paths, json, script;
	bool successful, failed;	/* -z, -Z: only these */
	unsigned strsize;		/* -s */
	enum trace_stamp stamp;
	VEC(char *) words;		/* for dtr: -p, -c, -o, -x */
	bool target;
};

/* Parses `dtr trace ...`. Returns 0; 1 after printing help; -1 after a message. */
int trace_options_parse(struct trace_options *o, int argc, char **argv);
/* Reports "dtr: trace: TEXT (see dtr trace -h)". Returns -1. */
int trace_error(const struct trace_options *o, const char *text);
/* -e: adds to or replaces the set of calls. Returns 0, or -1 after a message. */
int trace_select(struct trace_options *o, const char *expression);

#endif
