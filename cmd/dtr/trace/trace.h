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
	struct trace_options o;
	struct trace_lines lines;
	struct trace_output out;
	struct trace_exec exec;
	struct dtr *session;
	const char *script;		/* its path */
	int failed;			/* errno of a failed write */
};

extern const struct front_ops trace_front;

/* Replaces `dtr trace ...` by the command line of dtr that does it and sets *t; otherwise *t stays NULL. Returns 0; 1
 * after printing help or the script; -1 after a message. */
int trace_command(struct trace_command **t, struct arena *a, const char *share, struct trace_output out, int *argc,
		  char ***argv);
/* The command, which is held, has executed `path` with these words; before the session begins. */
void trace_executed(struct trace_command *t, int pid, const char *path, char **words);
/* For completion: calls offer(arg, word) for each word that -e accepts. */
void trace_words(void (*offer)(void *arg, const char *word), void *arg);

#endif
