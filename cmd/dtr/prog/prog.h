/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command `dtr prog`: chooses what to measure, makes the script (script.h) and translates the rest to a plain
 * dtr command line, or to that of `dtr merge`.
 *
 * Ownership: the arena; the script is in a file in memory that stays open. Errors: a message on standard error.
 */
#ifndef CMD_DTR_PROG_PROG_H
#define CMD_DTR_PROG_PROG_H

#include <stdbool.h>

#include "base/arena.h"

struct prog_line {
	VEC(char *) v;
	const char *script;		/* the path of the script that it made; NULL: none */
};

/* True if the word is "prog". */
bool prog_is(const char *name);
/* Translates argv, whose word 1 is "prog". share: the directory of the scripts. Returns 0; 1 if a request for help was
 * answered; -1 after a message. */
int prog_expand(struct prog_line *out, struct arena *a, const char *share, int argc, char **argv);

#endif
