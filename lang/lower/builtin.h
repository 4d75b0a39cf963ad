/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of built-in variables.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_BUILTIN_H
#define LANG_LOWER_BUILTIN_H

#include "lang/lower/lower.h"

struct ir_arg lower_builtin(struct lower *l, const struct node *n);
/* The text of a string built-in if it is constant, else NULL. */
const char *lower_builtin_text(const struct lower *l, const struct node *n);
struct ir_arg lower_time(struct lower *l);
/* The struct task_struct of the thread that the probe fires for. */
struct ir_arg lower_task(struct lower *l);
/* The ID of that thread's process, for the call or variable n. */
struct ir_arg lower_pid(struct lower *l, const struct node *n);
/* Call this where a user stack is used. */
void lower_user_stack(struct lower *l);
/* Call this also for frames of interpreted functions. */
void lower_interpreted_stack(struct lower *l);
/* The first word of a key with an address in process `pid` (ir/value.h), which includes a time. Elsewhere it is the
 * number of the process. */
struct ir_arg lower_key_owner(struct lower *l, struct ir_arg pid);

#endif
