/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tools: D scripts installed with the command, share/tools/NAME.d, run as `dtr NAME ...`. `dtr -s` can run a tool too.
 * Its command line is described in the comment after its first line:
 *
 *	NAME - a summary in one line
 *
 *	usage: dtr NAME [-i PERIOD] PID
 *
 *	Sentences.
 *
 *	  -i PERIOD = $1	a row: this option is macro argument $1
 *	  -r = $2=1		a flag: $2 is 1 if it is given
 *	  -k pid|cpu = $3	only these words
 *	  -m US = $4		only a number: microseconds
 *	  -r RATE = $6		only what follows "profile-"
 *	  --json = -O json	replaced by these words of dtr's command line
 *	  --hook FILE = -s FILE	the same, with its value, also after "=": -n N = -x cells=N
 *	  PID = $5		an operand; [PID] = $5 an optional one
 *	  PID = -p PID		not needed with -p or -c
 *	  -a = all $1=199	all processes: not with -p or -c; without both, $1 is 199 unless it is given
 *	  --off-cpu = script off-cpu.d	runs share/tools/NAME/off-cpu.d instead
 *	  -o PICTURE = -o PICTURE	a picture: of this name or NAME.html, in the format of its ending
 *
 * A PERIOD without a unit is in seconds. PERIOD, RATE, US and PID are checked first. A tool accepts only some of dtr's
 * options (TOOL_LETTERS). A missing argument before a given one is empty: see -x argdefaults.
 *
 * Ownership: the arena. Errors: no such tool (reported by the caller), usage errors (a message on standard error).
 */
#ifndef CMD_DTR_TOOL_H
#define CMD_DTR_TOOL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/word.h"

struct tool_row {
	const char *option;		/* "-i", "--json"; NULL: an operand */
	const char *value;		/* name of the value; NULL: a flag */
	const char *means;		/* "$1", "$2=1", "-O json", "all $1=199", "script off-cpu.d" */
	bool optional;			/* an operand in brackets */
};

struct tool {
	const char *name, *path, *summary;
	const char *text;		/* the comment, without its left margin */
	VEC(struct tool_row) rows;
};

/* Finds a tool. Returns 0; -ENOENT if no tool has this name; another -errno if its script cannot be read. */
int tool_find(struct tool *t, struct arena *a, const char *share, const char *name);

/* Translates argv (of `dtr NAME ...`) to a plain dtr command line. Returns 0; 1 after printing help; -1 after a
 * message. */
struct tool_line {
	VEC(char *) v;
	bool picture;			/* it writes a picture, to be described at the end; not with -q */
};
int tool_expand(const struct tool *t, struct arena *a, int argc, char **argv, struct tool_line *out);

/* Lists all tools on standard output, one line each (json: one object each). Returns 0, or -errno if the directory
 * cannot be read. */
int tool_list(struct arena *a, const char *share, bool json);
/* The names of all tools, sorted, in *names. Returns their number, or -errno. */
int tool_names(struct arena *a, const char *share, const char ***names);
/* Offers the names of all tools as the right spelling of a word. */
void tool_offer(struct arena *a, const char *share, struct word_near *near);
/* Reports an unknown tool, with the nearest name. */
void tool_unknown(struct arena *a, const char *share, const char *prog, const char *name);

#endif
