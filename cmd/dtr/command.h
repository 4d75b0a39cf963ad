/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands `dtr NAME ...` that are not scripts of share/tools. Each is one file or folder; COMMANDS of cmd/local.mk
 * names the files. NAME.c defines command_NAME, a row of the table that is used to run it, for its help, for
 * `dtr help`, for the completion of words, and for suggestions.
 *
 * Ownership: rows are constant; the arena of struct cmd has the strings of a command line.
 * Errors: a command line that is not accepted: one line on standard error; the exit status is 2.
 */
#ifndef CMD_DTR_COMMAND_H
#define CMD_DTR_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/word.h"
#include "cmd/dtr/option.h"

struct cmd;
struct command;
struct command_line;

struct command {
	const char *name;
	const char *summary;		/* in lists */
	bool tool;			/* listed with the tools, too; its help begins with its name and summary */
	/* The help: the usage after "dtr NAME ", sentences, the rows of the options, more sentences. Lines as for
	 * fill_text. */
	const char *usage, *about, *more;
	const struct command_option *options;	/* up to one for which option_is_last; or NULL */
	const char *passes;		/* letters of dtr's own options that are passed on, as for getopt; or NULL */
	bool words;			/* the first operand ends the options: a command line follows */
	bool operands;			/* it has operands; without, they are errors */
	/* Takes operands at once: the first of words[count], or more. Returns how many, or -1 after a message. NULL:
	 * they are collected. */
	int (*operand)(struct command_line *l, int count, char **words);
	/* For completion: passes the words that a value of kind VALUE_LISTED can have to offer(). */
	void (*list_words)(void (*offer)(void *arg, const char *word), void *arg);
	/* argv[0]: the program's name; argv[1]: the command's. Returns the exit status. */
	int (*run)(struct cmd *c, const struct command *self, int argc, char **argv);
};

/* All that were built, in the order of lists; the last is NULL. */
extern const struct command *const commands[];
/* NULL: there is none of this name. */
const struct command *command_find(const char *name);
/* True for a command that was left out when dtr was built (./configure --with-commands=LIST). */
bool command_is_left_out(const char *name);
/* Offers all names as the right spelling of a word. */
void command_offer(struct word_near *near);

/* A command line while it is parsed. */
struct command_line {
	const struct command *command;
	struct cmd *cmd;
	struct arena *arena;
	const char *prog, *share;	/* how dtr was called; the directory of the scripts */
	void *self;			/* the command's structure */
	const struct command_option *option;	/* that was given last; NULL: one that is passed on */
	VEC(char *) operands;
	VEC(char *) passed;		/* words for dtr: argv[0], then options */
	const char *given[128];		/* of letters that are passed on: the last value, "" if it has none */
	bool target;			/* -p or -c is among them */
	bool script;			/* one that gives a script is: -s -n -P -m -f -i */
	int status;			/* the exit status, if command_parse does not return 0 */
};

/* Parses argv: sets what the rows say in *self. Returns 0; otherwise l->status is the exit status, and an answer or a
 * message was printed. */
int command_parse(struct command_line *l, struct cmd *c, const struct command *command, void *self, int argc,
		  char **argv);
/* The same for the words of a file, while its option is performed. Returns 0, 1 or -1, as command_option.set. */
int command_parse_more(struct command_line *l, int argc, char **argv);
/* Reports "PROG NAME: TEXT (see PROG NAME -h)". Returns -1. */
int command_misused(const struct command_line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same as an exit status: 2. */
#define command_refuse(l, ...) (command_misused(l, __VA_ARGS__), 2)
/* Reports "PROG NAME: TEXT". Returns 1. */
int command_failed(const struct command_line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a word for dtr. */
void command_pass(struct command_line *l, const char *word);
/* Adds an option and its value: "-x", "quiet". */
void command_pass_option(struct command_line *l, const char *option, const char *value);
/* The last value of dtr's option `letter`, if it was passed on ("" if it has none), or NULL. */
const char *command_passed(const struct command_line *l, char letter);
/* Appends the help. */
void command_describe(struct buf *out, struct arena *a, const char *prog, const struct command *c);

#endif
