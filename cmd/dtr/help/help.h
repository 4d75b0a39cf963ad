/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr help [TOPIC]`: the installed documentation on a terminal. A topic is one of a table (help.c), a page, a command
 * or tool (whose own help is shown first), a tag of an error, or a word that has a heading, a row of a table or a
 * paragraph.
 *
 * Ownership: the arena. Errors: an unknown topic, pages that cannot be read: a message on standard error.
 */
#ifndef CMD_DTR_HELP_HELP_H
#define CMD_DTR_HELP_HELP_H

/* Calls topic() for each topic of the table: for completion. */
void help_topics(void (*topic)(void *arg, const char *name, const char *text), void *arg);

#endif
