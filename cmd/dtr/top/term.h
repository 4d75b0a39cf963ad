/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The terminal of `dtr top`: ncurses, opened at run time, so that other commands start without it. Signals of the
 * terminal (a new size, Ctrl-Z) are blocked and read from a descriptor, so no handler runs in another thread.
 *
 *	top_term_block(t);		// before the first thread is started
 *	top_term_open(t, reason, n);
 *	while (...) { top_term_key(t); top_term_draw(t, view); }
 *	top_term_close(t);		// the terminal is as before
 *
 * Ownership: the terminal owns its descriptors and the library until top_term_close (idempotent).
 * Errors: top_term_open gives a sentence.
 */
#ifndef CMD_DTR_TOP_TERM_H
#define CMD_DTR_TOP_TERM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/dtr/top/view.h"

struct top_curses;

struct top_term {
	struct top_curses *curses;	/* NULL: not open */
	FILE *in, *out;			/* of the terminal */
	int signals;			/* a descriptor, or -1 */
	sigset_t before;		/* the signals that were blocked */
	bool blocked;
	unsigned rows, cols;
	bool colour, gone;		/* gone: the terminal has been closed */
};

/* Blocks the signals of the terminal in this thread and those that it starts later. Returns 0 or -errno. */
int top_term_block(struct top_term *t);
/* True if standard output is a terminal that a program can draw on, as far as can be known without the library; false:
 * a sentence in reason[n]. */
bool top_term_possible(char *reason, size_t n);
/* Opens the terminal. Returns 0, or -1 with a sentence in reason[n]. */
int top_term_open(struct top_term *t, char *reason, size_t n);
void top_term_close(struct top_term *t);
/* Gives the terminal its modes back, for a process that is about to end in the middle of something. Does not allocate;
 * may be called from another thread. arg: the struct top_term. */
void top_term_abandon(void *arg);
/* The next key that was pressed (enum top_key or a character), TOP_KEY_NONE if there is none. Does not wait. */
int top_term_key(struct top_term *t);
/* Handles signals of the terminal: a new size; Ctrl-Z stops this process, and the screen is drawn again after that.
 * Returns true if the screen must be drawn. */
bool top_term_signals(struct top_term *t);
/* Draws the view; `all`: also what has not changed. */
void top_term_draw(struct top_term *t, struct top_view *v, bool all);

#endif
