/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command while it runs: what its files share.
 *
 * Ownership: the arena, which lives until the command ends, has all strings. cmd_run releases everything else.
 * Errors: reported on standard error.
 */
#ifndef CMD_DTR_CMD_H
#define CMD_DTR_CMD_H

#include <sys/resource.h>

#include "base/arena.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/child.h"
#include "cmd/dtr/front.h"
#include "cmd/dtr/serve/serve.h"
#include "cmd/dtr/top/top.h"
#include "cmd/dtr/trace/trace.h"
#include "cmd/dtr/watch.h"
#include "engine/dtr.h"

struct cmd {
	struct arena arena;
	struct cmd_args args;
	char **words;			/* of the command; the program is the first */
	const char *program;
	struct child child;
	struct watch watch;
	struct serve serve;
	struct rlimit stack;		/* the limits when dtr was started */
	const char *share;
	const char *made, *maker;	/* the script of `dtr prog` or `dtr gmon` and its name; NULL: none */
	struct top *top;		/* `dtr top`, or NULL */
	struct trace_command *trace;		/* `dtr trace`, or NULL */
	struct front front;
	FILE *out;
	bool started;			/* the session and the command have begun */
	bool picture;			/* the picture is described at the end */
	struct dtr *t;
};

/* The configuration of a session: messages go to standard error. */
struct dtr_config cmd_config(struct cmd *c);
/* arg: struct cmd. Reports that there is no memory, and ends the process. */
void cmd_oom(void *arg);
/* Reports "WHAT NAME: " and the text of the errno. */
void cmd_error(const struct cmd *c, const char *what, const char *name, int err);
/* What follows the last slash. */
const char *base_name(const char *path);

/* ---- target.c ---- */
/* Splits the command of -c into words. Returns false after a message. */
bool cmd_words(struct cmd *c);
/* Starts the command of -c up to its first instruction, or finds the process of -p. Returns 0, or -1 after a
 * message. */
int cmd_target(struct cmd *c);
/* Reports why the command was not executed. */
void cmd_not_executed(const struct cmd *c, int err);

/* ---- session.c ---- */
/* Runs the session of the parsed arguments. Returns the exit status. */
int cmd_run(struct cmd *c);

#endif
