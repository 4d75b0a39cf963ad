/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses the command line like dtrace(1M): options and operands may be mixed; "--" ends the options.
 *
 * Ownership: strings point into argv; the arena owns the lists.
 * Errors: options that are unknown, contradictory or not supported: a line on standard error, -1.
 */
#ifndef CMD_DTR_ARGS_H
#define CMD_DTR_ARGS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "engine/dtr.h"

/* The options of dtr, in getopt's format. */
#define ARGS_LETTERS "3:6:aAb:c:CD:d:ef:FGhHi:I:lL:m:n:o:O:p:P:qr:s:SU:vVwx:X:Z"

struct arg_text {
	char opt;			/* s n P m f i */
	const char *value;
};

struct arg_option {
	const char *name, *value;	/* value may be NULL */
};

struct cmd_args {
	const char *prog;		/* the name dtr was called by */
	const char *argv0;		/* $0: the script, or our name */
	const char *made, *maker;	/* set before args_parse: the script of a command, its name; or NULL */
	struct dtr_recording *record;	/* likewise, of `dtr record`; or NULL */
	VEC(struct arg_text) texts;
	VEC(struct arg_option) options;
	VEC(const char *) operands;	/* $1... */
	bool compile_only, list, verbose, show, version, help;
	char declare;			/* h (-h), G (-G), or 0 */
	bool narrow;			/* -32, with -G: an object of 32 bits */
	bool tools;			/* list the tools */
	const char *unknown;		/* nothing to do, and this first word may be a tool's name */
	const char *output;		/* -o */
	const char *command;		/* -c */
	pid_t pid;			/* the first of -p, or 0 */
	VEC(pid_t) pids;		/* all of them */
	char dump;			/* -d, or 0 */
	const char *query;		/* -r */
	bool report;			/* -r without a script: a summary */
};

/* "name" or "name=value"; the name is in the arena. */
struct arg_option args_setting(struct arena *arena, const char *text);
/* Parses a decimal number from 0 to `most`. Returns -1 if it is not one. */
long args_number(const char *text, long most);
/* After getopt_long has returned '?': stores the option that it did not accept in out[n], as the user wrote it, and
 * returns out. Of a long option with a value that it does not take, the whole word. */
char *args_refused(char *const *argv, char *out, size_t n);
/* Returns n words as one command for -c, each in quotes; in the arena. */
const char *args_quoted(struct arena *arena, int n, char *const *words);
/* True for -x profsrc=help. */
bool args_asks_for_sources(const struct cmd_args *a);
/* a->prog, made, maker and record are set before. Returns 0, or -1. */
int args_parse(struct cmd_args *a, struct arena *arena, int argc, char **argv);

#endif
