/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The expansion of a row of `dtr top` into stacks: those of its own keys, or the most frequent ones of the tab's table
 * of stacks, since the start.
 * Ownership: the lines are the row's. Errors: without memory, v->arena->oom is called, which does not return.
 */
#ifndef CMD_DTR_TOP_STACKS_H
#define CMD_DTR_TOP_STACKS_H

#include "cmd/dtr/top/view.h"

/* True if the row can be expanded into stacks. */
bool top_stacks_has(const struct top_tab *tab, const struct top_row *r);
/* True if a row on the screen is expanded into rows of tab->stacks, which must then be up to date. */
bool top_stacks_wanted(const struct top_view *v, const struct top_tab *tab);
/* Makes the lines of the rows that are expanded. */
void top_stacks_refresh(struct top_view *v, struct top_tab *tab);

#endif
