/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of command lines as data: rows from which the parser, the help and the completion of words are made. Commands
 * have them as tables, tools (tool/header.h) from the header of their script, dtr itself in own.h.
 *
 * Ownership: rows are constant, or the arena's. Errors: none.
 */
#ifndef CMD_DTR_OPTION_H
#define CMD_DTR_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

struct command_line;

/* What a value is: how its words are completed. */
enum value_kind {
	VALUE_OTHER,			/* nothing is known */
	VALUE_WORDS,			/* one of the words that are its name: text|json */
	VALUE_FILE,
	VALUE_COMMAND,
	VALUE_PID,
	VALUE_PROBE,
	VALUE_FORMAT,			/* of the output, as for -O */
	VALUE_SETTING,			/* NAME=VALUE, as for -x */
	VALUE_STAGE,			/* of the compiler, as for -d */
	VALUE_EVENTS,			/* that are counted */
	VALUE_LISTED,			/* words that the command lists */
};

enum option_effect {
	OPTION_CALL,			/* calls `set` */
	OPTION_FLAG,			/* sets a bool of the command's structure */
	OPTION_TEXT,			/* stores its value there, a const char * */
	OPTION_PASS,			/* is one of dtr's own, and is passed on with its value */
};

struct command_option {
	char letter;			/* 0: none */
	const char *name;		/* of --NAME; NULL: none */
	const char *value;		/* what the help calls its value; NULL: it has none */
	const char *text;		/* its row in the help; NULL: it has none */
	enum option_effect effect;
	size_t at;			/* offset in the command's structure */
	int code;			/* for `set`: what distinguishes options with the same function */
	/* Returns 0, 1 after an answer (help), -1 after a message. */
	int (*set)(struct command_line *l, const char *value);
	bool loose;			/* the value can be missing: --NAME[=VALUE] */
	bool (*valued)(const struct command_line *l);	/* whether it has its value now; NULL: always */
	enum value_kind kind;		/* of its value */
	const char *head;		/* what its row in the help begins with; NULL: the option and its value */
	bool joins;			/* its row is that of the option after it */
};

#define OPTION_IS_FLAG(type, member) .effect = OPTION_FLAG, .at = offsetof(type, member)
#define OPTION_IS_PASSED .effect = OPTION_PASS
#define OPTION_IS_TEXT(type, member) .effect = OPTION_TEXT, .at = offsetof(type, member)

/* True at the end of a table. */
bool option_is_last(const struct command_option *o);
/* The name of an option as a word: "-F", "--arcs". */
const char *option_word(struct arena *a, const struct command_option *o);
/* Appends the rows of the help, up to the end of the table, as base/fill.h takes them. */
void option_rows(struct buf *out, struct arena *a, const struct command_option *options);
/* The first line of a text that the help shows from `column` on. */
const char *option_first_line(struct arena *a, unsigned column, const char *text);
/* That of the text of option *o of the table `options`; "" if it has none. */
const char *option_line(struct arena *a, const struct command_option *options, const struct command_option *o);

#endif
