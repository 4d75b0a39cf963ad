/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the user of `dtr top` has chosen (the tab, the order, the filter, the window, the selected row) and what follows
 * from that: which rows are shown, in which order. keys.h changes it, draw.h and page.h show it.
 *
 * Ownership: the view owns its state until top_view_free; tables and texts are the caller's.
 * Errors: without memory, arena->oom is called, which does not return. A bad filter is reported in `message`.
 */
#ifndef CMD_DTR_TOP_VIEW_H
#define CMD_DTR_TOP_VIEW_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/interval.h"
#include "cmd/dtr/top/table.h"

enum { TOP_COLUMNS = 40, TOP_PROMPT = 128 };

/* Keys that are not characters. */
enum top_key {
	TOP_KEY_NONE = -1,
	TOP_KEY_UP = 0x1000, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME, TOP_KEY_END,
	TOP_KEY_LEFT, TOP_KEY_RIGHT, TOP_KEY_BACKTAB, TOP_KEY_BACKSPACE,
};

enum top_column_kind { TOP_SHARE, TOP_INTERVAL, TOP_VALUE, TOP_KEY };

struct top_column {
	enum top_column_kind kind;
	unsigned key;			/* TOP_KEY: which one */
	const char *title;
	bool number;			/* aligned to the right */
};

/* A table and how it is shown. */
struct top_tab {
	struct top_table *table;
	struct top_table *stacks;	/* the stacks of its rows (rows whose first keys are equal), or NULL */
	const char *const *titles;	/* of its keys; NULL: KEY 1... */
	bool sampled;			/* counts of samples: shares have intervals */
	bool apart;			/* `stacks` is of a session that begins when a row is first expanded */
	bool exact;			/* sums of time: the value is not of interest */
	unsigned sort;			/* a column */
	bool reverse;			/* the other direction than the usual one of the column */
	size_t cursor;			/* an index into `order` */
	const struct top_row *held;	/* the selected row; NULL: the first, whichever it is */
	size_t first;			/* the first visible line, of all lines of the table */
};

struct top_view {
	struct arena *arena;
	struct top_tab *tabs;
	unsigned n_tabs, tab;
	struct top_table *summary;	/* a table shown as a line: its rows as shares; or NULL */
	const char *title;
	unsigned window;		/* an index into top_windows */
	bool paused, help, quit;
	bool save;			/* the user wants a page */
	bool redraw;			/* the user wants the whole screen again */
	char filter[TOP_PROMPT];	/* "": none */
	unsigned filters;		/* the number of the filter */
	bool filtering;
	regex_t regex;
	bool asking;			/* the filter is being typed */
	char prompt[TOP_PROMPT];
	char message[256];		/* "": none */
	bool wrong;			/* it is an error */
	struct top_row **order;		/* the rows that are shown */
	size_t n, cap;
	double total;			/* the sum of all rows in the window, also of hidden ones */
	unsigned page;			/* lines of the table on the screen, as last drawn */
};

/* Numbers of intervals; 0: since the start. */
extern const unsigned top_windows[];
enum { TOP_WINDOWS = 4 };

void top_view_init(struct top_view *v, struct arena *a, const char *title);
void top_view_free(struct top_view *v);

/* The tab on the screen, or NULL if there is none. */
struct top_tab *top_view_tab(const struct top_view *v);
/* Sets the message. */
void top_view_say(struct top_view *v, bool wrong, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The columns of the tab. Returns how many. */
unsigned top_view_columns(const struct top_tab *tab, struct top_column out[TOP_COLUMNS]);
/* The intervals of the window: 0 is since the start. */
unsigned top_view_intervals(const struct top_view *v);
/* The 95 % interval of a row's share of the samples. */
struct share_interval top_view_interval(const struct top_view *v, const struct top_row *r);
/* The lines of a row: one, and those of its expansion. */
size_t top_row_height(const struct top_tab *tab, const struct top_row *r);
/* The buckets of a row from the first to the last that is not empty. Returns their number, and the first. */
unsigned top_row_range(const struct top_table *t, const struct top_row *r, unsigned *first);
/* True if the row is shown with its expansion: as the user has chosen, otherwise only histograms, if there are few. */
bool top_row_open(const struct top_tab *tab, const struct top_row *r);

#endif
