/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * printf and printa formats: parsed and checked at compile time, used by the printer (engine/output/print.c) at run
 * time.
 *
 * Ownership: the arena owns the result. Errors: diagnostics.
 */
#ifndef LANG_SYNTAX_FORMAT_H
#define LANG_SYNTAX_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum conv_kind {
	CONV_TEXT,	/* literal text (escapes resolved, %% is text) */
	CONV_INT,	/* d i o u x X: spec is that letter */
	CONV_CHAR,	/* c, C: raw, or with C escapes */
	CONV_WCHAR,	/* wc, lc: a character by its code point */
	CONV_STR,	/* s, S, J: raw, with C escapes, with JSON escapes; not for integers */
	CONV_WSTR,	/* ws, ls: an array of code points */
	CONV_PTR,	/* p: hexadecimal digits */
	CONV_TIME,	/* Y, T: walltimestamp as "2026 Nov 21 03:52:33", as "Sat, 21 Nov 2026 03:52:33 UTC" */
	CONV_PORT,	/* P: the name of a port's service */
	CONV_FLOAT,	/* e E f g G: a float, double or long double */
	CONV_STACK,	/* k: a stack, on separate lines */
	CONV_SYM,	/* a: kernel address as module`symbol+0x1a */
	CONV_USYM,	/* A: an address in a process, likewise */
	CONV_AGG,	/* @ in printa: the aggregation's value; d i o u x X, f: with decimals, r: before normalize() */
};

struct conv {
	enum conv_kind kind;
	char spec;			/* conversion letter */
	const char *text;		/* CONV_TEXT */
	size_t len;
	bool minus, zero, plus, space, alt, group;	/* flags - 0 + space # ' */
	int width, prec;		/* -1 = none */
	bool dynwidth, dynprec;		/* '*': taken from the arguments, before the value */
	bool at;			/* '@' given: %@d */
	uint8_t bits;			/* number of low bits to show: 8 (hh), 16 (h); 0 = the whole integer */
};

struct fmt {
	struct conv *conv;
	unsigned n;
	const char *text;		/* the whole format */
	struct loc loc;
};

/* Parses a format (the lexer has resolved its escapes). NULL after diagnostics D_SYNTAX ... if it is malformed.
 * FMT_PRINTA: '@' is allowed. */
enum fmt_user { FMT_PRINTF, FMT_PRINTA };
struct fmt *fmt_parse(struct arena *a, const char *text, size_t len, struct loc loc, enum fmt_user user,
		      struct diags *d);


#endif
