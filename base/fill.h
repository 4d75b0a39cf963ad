/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats text for a terminal: no line is longer than FILL_WIDTH, unless a single word is.
 * Ownership: everything is appended to the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef BASE_FILL_H
#define BASE_FILL_H

#include "base/buf.h"

enum { FILL_WIDTH = 79 };

/* A row of two columns: two blanks and the head, then the text from column `at` on (on the next line if the head is
 * too long). */
void fill_row(struct buf *out, const char *head, unsigned at, const char *text);
/*
 * A text of paragraphs, whose lines do not begin with a blank, and rows, whose lines do. In a row, the text after the
 * first tab is a second column, aligned with that of neighbouring rows; a row without a tab is unchanged. A line
 * "usage: ..." is a paragraph of its own.
 */
void fill_text(struct buf *out, const char *text);
/* The column in which fill_text begins the texts of the rows with which `text` begins. */
unsigned fill_column(const char *text);

#endif
