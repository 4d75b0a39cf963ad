/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pages of the documentation (the parts of Markdown that docs/ uses), divided into blocks and shown on a terminal.
 *
 * Ownership: blocks point into the page's text. Errors: no memory (buf->failed).
 */
#ifndef CMD_DTR_HELP_PAGE_H
#define CMD_DTR_HELP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum page_kind { PAGE_HEADING, PAGE_TEXT, PAGE_ITEM, PAGE_TABLE, PAGE_CODE };

struct page_block {
	enum page_kind kind;
	const char *text;		/* a heading without its #, code without its fences */
	size_t n;
	unsigned level;			/* of a heading, from 1 */
};

/* A row of a table: its cells, without blanks around them. */
enum { PAGE_CELLS = 8 };
struct page_row {
	struct { const char *text; size_t n; } cell[PAGE_CELLS];
	unsigned n;
};

/* Stores the block at *at and moves *at to its end. Returns false at the end of the page (a NUL). */
bool page_next(const char **at, struct page_block *b);
/* Divides the line at `line` into cells and returns the next line. */
const char *page_row(struct page_row *r, const char *line);
/* True for the line between the head of a table and its rows. */
bool page_is_rule(const struct page_row *r);

/* Appends a block for a terminal of 79 columns. colour: with bold headings and code. */
void page_show(struct buf *out, const struct page_block *b, bool colour);
/* The same for one row; titles: the first row of its table. */
void page_show_row(struct buf *out, const struct page_row *r, const struct page_row *titles, bool colour);

#endif
