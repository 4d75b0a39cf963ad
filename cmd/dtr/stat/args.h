/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line of `dtr stat`.
 * Ownership: strings point into argv or are the arena's. Errors: a message, -1.
 */
#ifndef CMD_DTR_STAT_ARGS_H
#define CMD_DTR_STAT_ARGS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "cmd/dtr/command.h"

struct stat_args {
	const char *prog;		/* the name dtr was called by */
	VEC(const char *) events;
	char **words;			/* the command, NULL at the end; NULL: none */
	pid_t pid;			/* -p, or 0 */
	bool all;			/* -a: all CPUs */
	unsigned interval;		/* -I, ms; 0: none */
	unsigned repeat;		/* -r */
	bool json;			/* -O json */
	const char *output;		/* -o; NULL: none */
};

extern const struct command_option stat_options[];
/* Completes and checks what was parsed into l->self. Returns 0, or -1 after a message. */
int stat_args_check(struct command_line *l);

#endif
