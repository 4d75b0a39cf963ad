/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tools: D scripts installed with the command, share/tools/NAME.d, run as `dtr NAME ...`; `dtr -s` can run them too.
 * Their summary, help and options are data in the header of the script (header.h). A script without a header has no
 * options of its own.
 *
 * A tool accepts only some of dtr's options. A missing argument of the script before a given one is empty: see
 * -x argdefaults.
 *
 * Ownership: the arena. Errors: no such tool (reported by the caller), a malformed header and usage errors (a message
 * on standard error).
 */
#ifndef CMD_DTR_TOOL_TOOL_H
#define CMD_DTR_TOOL_TOOL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/word.h"
#include "cmd/dtr/tool/header.h"

struct cmd;
struct command;

struct tool {
	const char *name, *path;
	struct tool_header header;
	bool malformed;			/* the header is: `fault` says how */
	struct diag fault;
};

/* Finds a tool. Returns 0; -ENOENT if no tool has this name; another -errno if its script cannot be read. */
int tool_find(struct tool *t, struct arena *a, const char *share, const char *name);
/* Returns 0, or -1 after a message if the header is malformed. */
int tool_check(const struct tool *t, const char *prog);

struct tool_line {
	VEC(char *) v;
	bool picture;			/* it writes a picture, to be described at the end; not with -q */
	int status;			/* the exit status, if there is no line */
};
/* Translates argv (of `dtr NAME ...`) to a plain dtr command line. Returns 0, or -1 after an answer (help) or a
 * message. */
int tool_expand(const struct tool *t, struct cmd *c, int argc, char **argv, struct tool_line *out);
/* The tool as a row of the table of commands, for its help and for completion. */
struct command tool_command(const struct tool *t, struct arena *a, const char *prog);

/* Lists all tools on standard output, one line each (json: one object each), and commands with a script in share/tools.
 * Returns 0; 1 after messages about malformed headers; -errno if the directory cannot be read. */
int tool_list(struct arena *a, const char *share, const char *prog, bool json);
/* The names of all tools, sorted, in *names. Returns their number, or -errno. */
int tool_names(struct arena *a, const char *share, const char ***names);
/* Offers the names of all tools as the right spelling of a word. */
void tool_offer(struct arena *a, const char *share, struct word_near *near);
/* Reports an unknown tool, with the nearest name. */
void tool_unknown(struct arena *a, const char *share, const char *prog, const char *name);

#endif
