/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr top`: shows the aggregations of a session on a terminal while it runs.
 *
 *	top_command(&p, ...);		// the command line
 *	top_config(p, ...);		// before the session: its output goes to p, messages to top_message
 *	top_check(p);			// is there a terminal?
 *	top_aside_begin(p); child_start(...); top_aside_end(p);	// a command's output, too
 *	top_block(p);			// before the first thread
 *	top_front.work(p, session);	// after dtr_go, until q or the end of the session
 *	top_front.end(p, session);	// the terminal is as before; messages and output are printed; then dtr_finish
 *	top_end(p);
 *
 * Messages of the session and the last line of its output are shown in the last line of the screen. All of them are
 * printed after the end, but of the output only the last OUTPUT_MOST bytes; how much was left out is reported.
 *
 * Ownership: p owns the terminal, the tables and a temporary file until top_end (idempotent).
 * Errors: a message on standard error, -1.
 */
#ifndef CMD_DTR_TOP_TOP_H
#define CMD_DTR_TOP_TOP_H

#include <stdio.h>

#include "base/buf.h"
#include "cmd/dtr/front.h"
#include "cmd/dtr/top/args.h"
#include "cmd/dtr/top/term.h"
#include "cmd/dtr/watch.h"
#include "engine/dtr.h"

struct top {
	struct arena *arena;
	const char *prog;
	const struct watch *watch;
	struct top_line line;
	struct top_view view;
	struct top_term term;
	struct top_table *tables;	/* one for each aggregation */
	unsigned n_tables;
	struct buf messages;
	FILE *out;			/* of the session and its command, a temporary file; or NULL */
	long long shown, left_out;	/* bytes of it */
	int saved[3];			/* standard descriptors, while a command is started */
	uint64_t began, last, due;	/* CLOCK_MONOTONIC, ns: the start, the last snapshot, the next */
	uint64_t idle;			/* idle time of all CPUs at the start, ns */
	bool started, quit;		/* quit: the user has ended it */
};

/* Replaces `dtr top ...` by the command line of dtr, and makes *p. Another command line remains as it is. Returns 0, 1
 * after printing help, -1 after a message. */
int top_command(struct top **p, struct arena *a, const char *share, int *argc, char ***argv);
/* Sets where the session's output goes, and what happens if the watch ends the process at once. */
void top_config(struct top *p, struct dtr_config *config, struct watch *w);
int top_check(const struct top *p);
/* Keeps a message while the terminal is open. Returns false if it is not: the message must be printed. */
bool top_message(struct top *p, const char *text);
int top_aside_begin(struct top *p);
void top_aside_end(struct top *p);
int top_block(struct top *p);
/* The steps of a session with a struct top. Its work runs until q or the end of the session; an error of its own is
 * DTR_ERROR. Its end restores the terminal and prints what was held back. If the user has ended the session (q, or
 * interrupted), its aggregations, which were on the screen, are not printed. */
extern const struct front_ops top_front;
void top_end(struct top *p);

#endif
