/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves the tab of `dtr top` that is on the screen as an HTML page: all rows that the filter shows, with the expansions
 * that are open. The page refers to no other file.
 * Ownership: the caller's buffers. Errors: a sentence.
 */
#ifndef CMD_DTR_TOP_PAGE_H
#define CMD_DTR_TOP_PAGE_H

#include "base/buf.h"
#include "cmd/dtr/top/view.h"

/* Appends the page. title: its heading. */
void top_page(struct buf *b, const struct top_view *v, const char *title);
/* Writes it to a new file in the current directory, named after the program and the time. Returns 0 and the name, or
 * -1 and a sentence in reason[reason_n]. */
int top_page_save(const struct top_view *v, const char *prog, char *name, size_t n, char *reason, size_t reason_n);

#endif
