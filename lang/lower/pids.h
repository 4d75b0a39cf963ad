/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of IDs of threads and processes in dtr's PID name space.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_PIDS_H
#define LANG_LOWER_PIDS_H

#include "lang/lower/lower.h"
#include "lang/lower/task.h"

enum { ID_THREAD, ID_PROCESS, ID_GROUP, ID_SESSION, NIDS };

/* An ID of a thread in dtr's PID name space: of the thread, its process, its process group, its session. 0: it has none
 * there. n: the call or variable. */
struct ir_arg lower_task_id(struct lower *l, const struct node *n, struct ir_arg task, unsigned which);
/* The same for the thread at the end of a path, which changes. False: not possible, use lower_task_id. */
bool lower_path_id(struct lower *l, struct task_path *p, unsigned which, struct ir_arg *id);
/* The level of dtr's PID name space, which is not the initial one (compile_env.pidns). Asks the kernel once. */
unsigned lower_pidns_level(struct lower *l);

#endif
