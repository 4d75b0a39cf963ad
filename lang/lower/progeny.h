/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of questions about the ancestors of a process.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_PROGENY_H
#define LANG_LOWER_PROGENY_H

#include "lang/lower/lower.h"

/* 1 if the process of the firing is the one whose number is call->args[0], or a descendant of it; else 0. */
struct ir_arg lower_progeny(struct lower *l, const struct node *call);
/* -x onlytarget: jumps to `skip` if the process is none of the targets and none of their descendants. Not for probes
 * that fire for the session (BEGIN, END, tick). */
void lower_target_only(struct lower *l, uint32_t skip);

#endif
