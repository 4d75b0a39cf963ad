/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr help [TOPIC]`: the installed documentation on a terminal. A topic is one of a table (help.c), a page, a tool
 * (whose own help is shown first), a tag of an error, or a word that has a heading, a row of a table or a paragraph.
 *
 * Ownership: the arena. Errors: an unknown topic, pages that cannot be read: a message on standard error.
 */
#ifndef CMD_DTR_HELP_HELP_H
#define CMD_DTR_HELP_HELP_H

#include <stdbool.h>

#include "base/arena.h"

struct help {
	struct arena *arena;
	const char *share, *prog;
	bool colour;
	bool failed;		/* a page could not be read */
};

/* True for "help". */
bool help_is(const char *name);
/* The command whose --help describes the topic: a tool or a subcommand; NULL: none. */
const char *help_command(const struct help *h, int nwords, char **words);
/* Prints the topic on standard output; without words the list of topics; after the help of a command only what the
 * pages add to it. Returns 0, or 1 after a message. */
int help_show(struct help *h, int nwords, char **words, bool after_command);

/* The commands that are no tools, ended by NULL. */
extern const char *const help_commands[];

/* Calls topic() for each topic of the table and each page: for completion. */
void help_topics(const struct help *h, void (*topic)(void *arg, const char *name, const char *text), void *arg);

#endif
