/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text laid out for a terminal: no line is longer than FILL_WIDTH, unless a word is.
 * Ownership: everything is appended to the caller's buffer. Errors: memory only (buf->failed).
 */
#ifndef BASE_FILL_H
#define BASE_FILL_H

#include "base/buf.h"

enum { FILL_WIDTH = 79 };

/* A row of two columns: the head after two blanks, the text from column `at` on; it begins below a head that is too long. */
void fill_row(struct buf *out, const char *head, unsigned at, const char *text);
/*
 * A text of paragraphs, whose lines begin without a blank, and rows, which begin with one: in a row the text after the first
 * tab is a column, aligned with those of the rows around it; one without a tab stays as it is. A line "usage: ..." stands alone.
 */
void fill_text(struct buf *out, const char *text);

#endif
