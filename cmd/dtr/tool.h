/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tools: D scripts that ship with the command, share/tools/NAME.d, run as `dtr NAME ...`. A tool is a plain script that
 * `dtr -s` runs, too; what its front has to know stands in the comment behind its first line:
 *
 *	NAME - what it shows, in one line
 *
 *	usage: dtr NAME [-i PERIOD] PID
 *
 *	Sentences.
 *
 *	  -i PERIOD = $1	a row: this option is the macro argument $1
 *	  -r = $2=1		a flag: $2 is 1 if it is given
 *	  -k pid|cpu = $3	only these words
 *	  -m US = $4		only a number: microseconds
 *	  -r RATE = $6		only what follows "profile-"
 *	  --json = -O json	stands for these words of dtr's own command line
 *	  --hook FILE = -s FILE	with its value
 *	  PID = $5		an operand; [PID] = $5 one that need not be there
 *	  PID = -p PID		one that -p and -c make superfluous
 *
 * A PERIOD that is a number alone is in seconds; PERIOD, RATE, US and PID are checked before anything else happens. Of dtr's options a
 * tool takes a few (TOOL_LETTERS); it refuses the others. An argument that is not given is empty where a later one is: see -x argdefaults.
 *
 * Ownership: the arena. Errors: no such tool (the caller says so), a command line that is not understood (a
 * message on standard error).
 */
#ifndef CMD_DTR_TOOL_H
#define CMD_DTR_TOOL_H

#include <stdbool.h>

#include "base/arena.h"

struct tool_row {
	const char *option;		/* "-i", "--json"; NULL: an operand */
	const char *value;		/* name of the value; NULL: a flag */
	const char *means;		/* "$1", "$2=1", "-O json" */
	bool optional;			/* an operand in brackets */
};

struct tool {
	const char *name, *path, *summary;
	const char *text;		/* the comment, without its margin */
	VEC(struct tool_row) rows;
};

/* 0; -ENOENT: not the name of a tool. Another -errno: its script cannot be read. */
int tool_find(struct tool *t, struct arena *a, const char *share, const char *name);

/* What argv (of `dtr NAME ...`) stands for without tools. 1: help was asked for and printed, -1 after a message. */
struct tool_line {
	VEC(char *) v;
};
int tool_expand(const struct tool *t, struct arena *a, int argc, char **argv, struct tool_line *out);

/* All tools, a line each (json: an object), on standard output. -errno: the directory cannot be read. */
int tool_list(struct arena *a, const char *share, bool json);
/* Says that there is no such tool, with the nearest one. */
void tool_unknown(struct arena *a, const char *share, const char *prog, const char *name);

#endif
