/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The keys of `dtr top`: what each changes in the view.
 * Ownership: the view is the caller's. Errors: without memory, v->arena->oom is called, which does not return. A bad
 * filter is reported in v->message, and the one before remains.
 */
#ifndef CMD_DTR_TOP_KEYS_H
#define CMD_DTR_TOP_KEYS_H

#include "cmd/dtr/top/view.h"

/* Applies a key: a character, or enum top_key. */
void top_keys_press(struct top_view *v, int key);
/* Chooses and sorts the rows of the tab, and makes their expansions. Call it after each snapshot and key. */
void top_keys_refresh(struct top_view *v);

#endif
