/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack limit of dtr itself: enough for the deepest expressions that a script may contain, and for libraries.
 *
 * Ownership: plain data. Errors: stack_ensure fails if the hard limit is too low.
 */
#ifndef CMD_DTR_STACK_H
#define CMD_DTR_STACK_H

#include <stdbool.h>
#include <sys/resource.h>

enum { STACK_LEAST = 512 << 10 };	/* bytes */

/* Raises the soft limit to STACK_LEAST if it is lower; *before: the previous limits. Returns false if the hard limit
 * is lower. */
bool stack_ensure(struct rlimit *before);
/* Restores the limits, for a command that dtr runs. */
void stack_restore(const struct rlimit *before);

#endif
