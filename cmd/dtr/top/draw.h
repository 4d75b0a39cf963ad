/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Draws the view of `dtr top` on a canvas of characters: a terminal (term.h) or the memory of a test. Only visible
 * rows are formatted.
 *
 *	[1 processes] 2 other              tabs
 *	dtr top: since the start, 3.0 s    the window, the number of rows, the filter
 *	kernel 12.3 % (11.1-13.6)  ...     the summary, if there is one
 *	 SHARE   95 % INTERVAL ...         columns; the sorted one has a "v" or "^"
 *	 12.3 %  ...                       rows, and the expansions of open ones
 *	h help  q quit                     messages, or what the keys mean
 *
 * Ownership: the canvas is the caller's. Errors: text that cannot be formatted without memory is left out.
 */
#ifndef CMD_DTR_TOP_DRAW_H
#define CMD_DTR_TOP_DRAW_H

#include "base/buf.h"
#include "cmd/dtr/top/view.h"

enum top_style {
	TOP_PLAIN, TOP_BOLD, TOP_DIM, TOP_REVERSE, TOP_WRONG,
	TOP_HEAT,			/* TOP_HEAT + 0 to TOP_LEVELS - 1: density */
};
enum { TOP_LEVELS = 10 };

struct top_canvas {
	unsigned rows, cols;
	/* Puts n bytes of text, without control characters, within the canvas. */
	void (*put)(void *arg, unsigned y, unsigned x, const char *text, size_t n, enum top_style style);
	void *arg;
};

/* Draws everything on an empty canvas, scrolled so that the selected row is visible. */
void top_draw(struct top_view *v, const struct top_canvas *c);

/* ---- shared with page.h ---- */
/* Appends the text of a column of a row. */
void top_cell(struct buf *b, const struct top_view *v, const struct top_tab *tab, const struct top_column *column,
	      const struct top_row *r);
/* Appends the window, the number of rows, the filter. */
void top_describe(struct buf *b, const struct top_view *v);
/* Appends the summary to an empty buffer, its shares with their intervals if wanted. Returns false if there is none. */
bool top_summary(struct buf *b, const struct top_view *v, bool intervals);
/* The level of a bucket's density, from 0 (nothing) to TOP_LEVELS - 1 (the most in any interval of the row). */
unsigned top_level(int64_t count, int64_t most);
/* The most that any bucket of a row got in one of the last n intervals. */
int64_t top_row_most(const struct top_table *t, const struct top_row *r, unsigned n);
/* The character of a level. */
char top_level_char(unsigned level);

#endif
