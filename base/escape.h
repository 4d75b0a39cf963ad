/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes untrusted text (names of processes and files, traced strings and keys, contents of files) safe for a terminal.
 * Control characters (\n, \033; also DEL, and U+0080 to U+009F, encoded as \302\200 to \302\237) and bytes that are not
 * valid UTF-8 (\377) become C escape sequences. Everything else is unchanged, backslashes too, so escaping twice is the
 * same as once.
 *
 * Ownership: the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

enum escape_set {
	ESCAPE_NOTHING,	/* nothing: for output that is not for a terminal */
	ESCAPE_TEXT,	/* everything except tabs and newlines */
	ESCAPE_LINE,	/* tabs and newlines too */
	ESCAPE_C,	/* as in a C constant: also quotes, backslashes and non-ASCII bytes */
};

void escape_put(struct buf *b, const char *s, size_t n, enum escape_set set);
/* The same for a NUL-terminated string. */
void escape_puts(struct buf *b, const char *s, enum escape_set set);
/* Also pads with blanks to `width` bytes: on the left, or on the right if it is negative. */
void escape_column(struct buf *b, const char *s, size_t n, int width, enum escape_set set);
/* The same, truncated to at most `most` bytes as by escape_width. */
struct escape_field {
	int width;
	size_t most;
	enum escape_set set;
};
void escape_field(struct buf *b, const char *s, size_t n, struct escape_field f);
/* Returns how many bytes escape_put appends. If they exceed `most`, reduces *n so that they fit, without splitting a
 * character or escape sequence. */
size_t escape_width(const char *s, size_t *n, size_t most, enum escape_set set);
/* Returns the bytes of the character at s (n > 0 bytes available) if it needs no escape, else 0. */
size_t escape_plain(const char *s, size_t n, enum escape_set set);

#endif
