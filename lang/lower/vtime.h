/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of vtimestamp.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_VTIME_H
#define LANG_LOWER_VTIME_H

#include "lang/lower/lower.h"

struct ir_arg lower_vtimestamp(struct lower *l, const struct node *n);
/* The program that runs at context switches. Only if l->vtime. */
struct ir_func *lower_vtime_switch(struct lower *l);

#endif
