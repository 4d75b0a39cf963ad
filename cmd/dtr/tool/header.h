/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of a tool's script: what `dtr NAME` needs to know, as data. It consists of the lines that begin with
 * "#pragma dtr"; the D language ignores them, so that `dtr -s` can run the script too. Texts are in double quotes (\"
 * and \\ as in C). Each line is one of these:
 *
 *	#pragma dtr tool "SUMMARY"		for lists
 *	#pragma dtr usage "[-i PERIOD] PID"	what follows "usage: dtr NAME "
 *	#pragma dtr about "SENTENCES"		a paragraph of the help
 *	#pragma dtr option NAME [VALUE] EFFECT ["HELP"]
 *	#pragma dtr operand VALUE EFFECT ["HELP"]	[VALUE] in brackets: an optional one
 *	#pragma dtr more "TEXT"			continues the text of the line before
 *
 * NAME is -L, a letter, or --WORD. VALUE is KIND or KIND:SHOWN: a kind of value (value.h), and what the help calls it.
 * Without it the option is a flag. EFFECT is one of these:
 *
 *	$1		the value is macro argument $1 of the script
 *	$2=1		$2 is 1 if the option is given
 *	pass "WORDS"	these words are added to dtr's command line; %s in them is the value
 *	target		the value is the process or command to trace: not needed with -p or -c
 *	all, all $1=199	all processes: not with -p or -c; without both, $1 is 199 unless it is given
 *	script FILE	runs share/tools/NAME/FILE instead
 *	picture		the value is the file of the picture that the tool writes, by default NAME.html
 *
 * The defaults of the arguments are those of the script's option argdefaults, because `dtr -s` needs them too.
 *
 * Ownership: the arena. Errors: the first line that is malformed, as a diagnostic.
 */
#ifndef CMD_DTR_TOOL_HEADER_H
#define CMD_DTR_TOOL_HEADER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/dtr/tool/value.h"

enum { TOOL_ARGUMENTS = 32 };

enum tool_effect { TOOL_ARGUMENT, TOOL_PASS, TOOL_TARGET, TOOL_ALL, TOOL_SCRIPT, TOOL_VARIANT, TOOL_PICTURE };

struct tool_row {
	char letter;			/* 'i'; 0: none */
	const char *name;		/* "json"; an operand has neither letter nor name */
	const struct tool_kind *kind;	/* NULL: a flag */
	const char *shown;		/* what the help calls the value */
	bool optional;			/* an operand in brackets */
	enum tool_effect effect;
	unsigned argument;		/* TOOL_ARGUMENT, TOOL_ALL: its number; 0: none */
	const char *text;		/* the value of the argument, NULL: that of the option; otherwise words */
	const char *help;		/* "": nothing */
};

struct tool_header {
	const char *summary, *usage;	/* "" */
	VEC(const char *) about;	/* paragraphs */
	VEC(struct tool_row) rows;
};

bool tool_row_is_operand(const struct tool_row *r);
/* Parses the header in a script. Returns 0, or -1 with the error in *fault. */
int tool_header_parse(struct tool_header *h, struct arena *a, const struct source *script, struct diag *fault);

#endif
