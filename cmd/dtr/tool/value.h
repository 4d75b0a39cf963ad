/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kinds of values of tools' options: how they are checked, and what the script gets for them.
 *
 *	period	a time; a number alone is seconds, as in vmstat(8)
 *	rate	what follows "profile-"
 *	us, ns, ms	a number of microseconds, of nanoseconds, of milliseconds
 *	count	a number of anything, from 1
 *	pid	a process
 *	port	of TCP
 *	rows, stacks, depth	numbers of rows, of stacks, of frames
 *	signal	a number, or a name with or without SIG
 *	function	of a library, a program or the kernel, as in probe.h: a description without its name
 *	probe	the same, or another probe: a whole description
 *	file, command, text	not checked
 *	one|two|three	one of these words
 *
 * Ownership: kinds are constant, values the arena's. Errors: a value that is not of its kind, with a reason.
 */
#ifndef CMD_DTR_TOOL_VALUE_H
#define CMD_DTR_TOOL_VALUE_H

#include "base/arena.h"
#include "base/word.h"
#include "cmd/dtr/option.h"

struct tool_kind {
	const char *name;
	const char *shown;		/* what the help calls such a value, if the header does not say */
	const char *what;		/* in messages; NULL: every value is accepted */
	/* Returns what the script gets for `text`, or NULL and the reason. */
	const char *(*check)(struct arena *a, const char *text, char *reason, size_t n);
	enum value_kind completed;
};

/* NULL: there is no kind of this name. */
const struct tool_kind *tool_kind_find(const char *name);
/* Offers the names of all kinds as the right spelling of a word. */
void tool_kind_offer(struct word_near *near);
/* Is the text one of "one|two|three"? */
bool tool_word_listed(const char *words, const char *text);

#endif
