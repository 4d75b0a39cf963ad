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
#include "cmd/dtr/watch.h"
#include "engine/dtr.h"

struct command_line;

struct cmd {
	struct arena arena;
	struct cmd_args args;
	char **words;			/* of the command; the program is the first */
	const char *program;
	struct child child;
	struct watch watch;
	struct rlimit stack;		/* the limits when dtr was started */
	const char *share;
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
/* For output that no session wrote, such as help: reports a full disk. Returns the exit status. */
int cmd_answered(struct cmd *c);
/* Prints a text. Returns the exit status. */
int cmd_print(struct cmd *c, const char *text);
/* Reports "WHAT NAME: " and the text of the errno. */
void cmd_error(const struct cmd *c, const char *what, const char *name, int err);
/* What follows the last slash. */
const char *base_name(const char *path);

/* ---- a command that is a session ---- */
/* Parses the words that a command passes on, as those of dtr. Returns 0, or -1 after a message. */
int cmd_parse(struct cmd *c, struct command_line *l);
/* The same, and runs the session. Returns the exit status. */
int cmd_line(struct cmd *c, struct command_line *l);
/* The same with a script that the command has made: "dtr NAME --script" in messages. */
int cmd_script(struct cmd *c, struct command_line *l, const char *text);

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
