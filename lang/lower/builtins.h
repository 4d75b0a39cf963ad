/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of built-in variables, and of the kernel structures that they are read from.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_BUILTINS_H
#define LANG_LOWER_BUILTINS_H

#include "lang/lower/lower.h"

/* ---- lower/builtin.c ---- */
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

/* ---- lower/kfield.c ---- */
/* Offset and size of a member (KF_*). Reports nothing. */
const struct kfield *lower_kfield_find(struct lower *l, unsigned which);
/* A member of a kernel structure at `base` (zero-extended) for the built-in variable n, and its address. */
struct ir_arg lower_kfield(struct lower *l, const struct node *n, struct ir_arg base, unsigned which);
struct ir_arg lower_kfield_addr(struct lower *l, const struct node *n, struct ir_arg base, unsigned which);
/* The same for a structure that a pointer to any address space points to. */
struct ir_arg lower_kfield_at(struct lower *l, const struct node *n, const struct node *ptr, unsigned which);

/* ---- lower/pids.c ---- */
/* IDs of a thread in dtr's PID name space: of the thread, its process, its process group, its session. 0: it has none
 * there. `n` as above. */
enum { ID_THREAD, ID_PROCESS, ID_GROUP, ID_SESSION, NIDS };
struct ir_arg lower_task_id(struct lower *l, const struct node *n, struct ir_arg task, unsigned which);
/* The same for the thread at the end of a path, which changes. False: not possible, use lower_task_id. */
struct task_path;
bool lower_path_id(struct lower *l, struct task_path *p, unsigned which, struct ir_arg *id);

/* The level of dtr's PID name space, which is not the initial one (compile_env.pidns). Asks the kernel once. */
unsigned lower_pidns_level(struct lower *l);

/* ---- lower/args.c ---- */
void lower_execargs(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);

/* ---- lower/vtime.c ---- */
struct ir_arg lower_vtimestamp(struct lower *l, const struct node *n);
/* The program that runs at context switches. Only if l->vtime. */
struct ir_func *lower_vtime_switch(struct lower *l);

#endif
