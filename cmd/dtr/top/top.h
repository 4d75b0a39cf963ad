/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr top`: shows the aggregations of a session on a terminal while it runs.
 *
 * Messages of the session and the last line of its output are shown in the last line of the screen. All of them are
 * printed after the end, but of the output only the last OUTPUT_MOST bytes; how much was left out is reported.
 *
 * Ownership: p owns the terminal, the tables and a temporary file until top_front.close (idempotent).
 * Errors: a message on standard error, -1.
 */
#ifndef CMD_DTR_TOP_TOP_H
#define CMD_DTR_TOP_TOP_H

#include <stdio.h>

#include "base/buf.h"
#include "cmd/dtr/front.h"
#include "cmd/dtr/top/args.h"
#include "cmd/dtr/top/deep.h"
#include "cmd/dtr/top/term.h"
#include "cmd/dtr/watch.h"
#include "engine/dtr.h"

struct cmd;

struct top {
	struct top_line line;		/* the first member: that of top_options */
	struct arena *arena;
	const char *prog;
	const struct cmd *cmd;
	const struct watch *watch;
	struct top_view view;
	struct top_term term;
	struct top_table *tables;	/* one for each aggregation */
	unsigned n_tables;
	struct top_deep deep;		/* TOP_CPU: the stacks, unless line.joined */
	struct buf messages;
	FILE *out;			/* of the session and its command, a temporary file; or NULL */
	long long shown, left_out;	/* bytes of it */
	int saved[3];			/* standard descriptors, while a command is started */
	uint64_t began, last, due;	/* CLOCK_MONOTONIC, ns: the start, the last snapshot, the next */
	uint64_t idle;			/* idle time of all CPUs at the start, ns */
	bool started, quit;		/* quit: the user has ended it */
};

#endif
