/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `dtr merge`, `dtr diff` and `dtr report` share: they read files instead of tracing.
 * Ownership: the arena of struct cmd. Errors: a message on standard error.
 */
#ifndef CMD_DTR_SAVED_H
#define CMD_DTR_SAVED_H

#include "cmd/dtr/args.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"

/* The first member of a command's structure. */
struct saved {
	VEC(struct arg_option) options;	/* -x, -O */
};

/* command_option.set of -x and -O. */
int saved_option(struct command_line *l, const char *value);
int saved_format(struct command_line *l, const char *value);

/* Checks the number of files, opens a session with the options, and calls read() for the files. Returns the exit
 * status. */
typedef int saved_read(struct dtr *t, void *self, const char **files, unsigned n);
int saved_run(struct command_line *l, size_t least, size_t most, saved_read *read);

#endif
