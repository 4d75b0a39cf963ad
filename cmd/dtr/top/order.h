/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which rows of a tab of `dtr top` are shown, and in which order.
 * Ownership: v->order is the view's. Errors: without memory, v->arena->oom is called, which does not return.
 */
#ifndef CMD_DTR_TOP_ORDER_H
#define CMD_DTR_TOP_ORDER_H

#include "cmd/dtr/top/view.h"

/* Computes the values of all rows in the window, their total, and v->order: rows that match the filter and are active
 * in the window. Keys ascend, numbers descend, unless the tab is reversed; equal rows are in the order of their keys.
 * The selected row stays selected. */
void top_order(struct top_view *v, struct top_tab *tab);
/* Compares rows by the keys from `from` on. */
int top_order_keys(const struct top_table *t, const struct top_row *a, const struct top_row *b, unsigned from);

#endif
