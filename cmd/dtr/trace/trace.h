/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr trace`: the system calls of a process. It makes a D script from the tables of calls (calls.def), runs it as an
 * ordinary session, and decodes the records itself (docs/trace.md).
 *
 * Ownership: the arena; front_ops.finish frees the rest. Errors: messages on standard error.
 */
#ifndef CMD_DTR_TRACE_TRACE_H
#define CMD_DTR_TRACE_TRACE_H

#include <stdio.h>

#include "cmd/dtr/front.h"
#include "cmd/dtr/trace/line.h"
#include "cmd/dtr/trace/options.h"

/* Where the file of -o and its name will be. */
struct trace_output {
	FILE **file;			/* *file is NULL: standard output */
	const char **name;
};

struct trace_command {
	struct trace_options o;		/* the first member: that of trace_flags */
	struct trace_lines lines;
	struct trace_output out;
	struct trace_exec exec;
	struct dtr *session;
	int failed;			/* errno of a failed write */
};

#endif
