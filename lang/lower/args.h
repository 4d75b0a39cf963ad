/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of the arguments of a command (execargs).
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_ARGS_H
#define LANG_LOWER_ARGS_H

#include "lang/lower/lower.h"

void lower_execargs(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);

#endif
