/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of test cases. Empty lines separate blocks. A case is a block of three lines: the program, what it writes, the
 * reason. A block that begins with "#" is a section: comments, and what all its cases have in common:
 *
 *	# Indexes of arrays
 *	setup int a[3];
 *	event profile-97 pid=1
 *
 *	BEGIN { a[3] = 1; }
 *	! dtr: error on enabled probe ID 1 ...
 *	an index outside of the array is a fault
 *
 * "setup" lines precede each program. "event" lines are its events (tests/lib/events.h), without firings of probes
 * that it does not name. Option quiet is on. The second line of a case is the output, then, after " ! ", the messages
 * without their last newline. Newlines and other bytes that are not printable are written as in C ("\n", "\t",
 * "\377", "\\").
 * "(nothing)": neither output nor messages.
 *
 * Ownership: the arena of *t owns everything.
 * Errors: cases_read returns -1 after it has printed the place and the reason as a comment of TAP.
 */
#ifndef TESTS_LIB_CASES_H
#define TESTS_LIB_CASES_H

#include "base/arena.h"
#include "base/buf.h"

struct table_case {
	unsigned line;		/* of the program; the others follow */
	const char *program, *reason;
	const char *section;	/* its first line, without "# " */
	const char *script;	/* the whole text, with options and setup; the program is its line 1 */
	const char *events;
	const char *output, *messages;
};

struct case_table {
	struct arena arena;
	const char *path;
	VEC(struct table_case) list;
};

int cases_read(struct case_table *t, const char *path);
void cases_free(struct case_table *t);
/* The second line of a case that writes this. */
void case_expected(struct buf *b, const char *output, const char *messages);

#endif
