/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text that others control (names of processes and files, strings and keys of what is traced, contents of files) made
 * safe for a terminal. What a terminal might obey is written as C escape sequences: control characters (\n, \033; also
 * DEL, and U+0080 to U+009F, which are \302\200 to \302\237) and bytes that are not valid UTF-8 (\377). The rest stays as
 * it is, backslashes too: safe text escaped again does not change.
 *
 * Ownership: the caller's buffer. Errors: memory only (buf->failed).
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

enum escape_set {
	ESCAPE_NOTHING,	/* bytes as they are, for what no terminal reads */
	ESCAPE_TEXT,	/* all but tabs and ends of lines */
	ESCAPE_LINE,	/* tabs and ends of lines, too */
	ESCAPE_C,	/* as a constant of C: quotes, backslashes and all that is not ASCII, too */
};

void escape_put(struct buf *b, const char *s, size_t n, enum escape_set set);
/* The same up to the NUL. */
void escape_puts(struct buf *b, const char *s, enum escape_set set);
/* Padded with blanks to `width` bytes: on the left, or on the right if it is negative. */
void escape_column(struct buf *b, const char *s, size_t n, int width, enum escape_set set);
/* The same of at most `most` bytes, as many as escape_width finds room for. */
void escape_field(struct buf *b, const char *s, size_t n, int width, size_t most, enum escape_set set);
/* How many bytes escape_put appends. *n becomes less if they would be more than `most`: no character and no escape
 * sequence is cut. */
size_t escape_width(const char *s, size_t *n, size_t most, enum escape_set set);
/* Bytes of the character at s, of which n > 0 are there, if it may be shown as it is; or 0. */
size_t escape_plain(const char *s, size_t n, enum escape_set set);

#endif
