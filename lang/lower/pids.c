/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IDs of processes. In the initial PID name space the thread's structure has them. In others (in a container) each ID
 * has a number at every level from the initial name space (0) down to its own. The one at the level of dtr's name space
 * is used, if it is a number in that name space and not in another one beside it.
 */
#include "lang/lower/pids.h"

#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/task.h"
#include "lang/types/type_find.h"

enum {
	UPID_BYTES = 16,	/* size of one number in struct pid */
	POINTER = 8,
};

/* The struct pid of an ID. An exiting process notifies its parent after its last thread has lost its IDs, so the ID of
 * the process comes from its first thread. */
static struct ir_arg pid_of(struct lower *l, const struct node *n, struct ir_arg task, unsigned which)
{
	struct ir_arg pids;

	if (which == ID_THREAD)
		return lower_kfield(l, n, task, KF_THREAD_PID);
	if (which == ID_PROCESS)
		return lower_kfield(l, n, lower_kfield(l, n, task, KF_LEADER), KF_THREAD_PID);
	pids = lower_kfield_addr(l, n, lower_kfield(l, n, task, KF_SIGNAL), KF_SIGNAL_PIDS);
	return lower_kread(l, lower_op(l, IR_ADD, pids, ir_i(POINTER * which)), POINTER);
}

static struct ir_arg number_at(struct lower *l, const struct node *n, struct ir_arg pid, unsigned level)
{
	return lower_op(l, IR_ADD, lower_kfield_addr(l, n, pid, KF_PID_NUMBERS), ir_i((int64_t)level * UPID_BYTES));
}

/* Jumps to `end` if the condition holds, else continues. */
static void leave_if(struct lower *l, enum ir_op op, struct ir_arg a, struct ir_arg b, uint32_t end)
{
	uint32_t next = ir_newblock(&l->b, NULL);

	ir_emit(&l->b, op, a, b, ir_b(end), ir_b(next));
	ir_enter(&l->b, next);
}

unsigned lower_pidns_level(struct lower *l)
{
	struct types *t = &l->c->types;
	int level = -1;

	if (!l->pidns_level && l->c->env.pidns_level)
		level = l->c->env.pidns_level(l->arena, type_kernel_offset(t, "task_struct", "thread_pid", NULL),
					      type_kernel_offset(t, "pid", "level", NULL));
	if (!l->pidns_level)
		l->pidns_level = level > 0 ? (unsigned)level : 1;
	return l->pidns_level;
}

/* The number in dtr's name space, which is identified by its inode. */
static struct ir_arg number_here(struct lower *l, const struct node *n, struct ir_arg pid)
{
	uint32_t end = ir_newblock(&l->b, NULL);
	ir_reg result = ir_newreg(&l->b);
	unsigned level = lower_pidns_level(l);
	struct ir_arg at, ns;

	ir_emit_to(&l->b, IR_MOV, result, ir_i(0));
	leave_if(l, IR_BEQ, pid, ir_i(0), end);
	leave_if(l, IR_BULT, lower_kfield(l, n, pid, KF_PID_LEVEL), ir_i(level), end);
	at = number_at(l, n, pid, level);
	ns = lower_kfield_addr(l, n, lower_kfield(l, n, at, KF_UPID_NS), KF_PIDNS_NS);
	leave_if(l, IR_BNE, lower_kfield(l, n, ns, KF_NS_INUM), ir_i(l->c->env.pidns), end);
	ir_emit_to(&l->b, IR_MOV, result, lower_kfield(l, n, at, KF_UPID_NR));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, end);
	return ir_r(result);
}

struct ir_arg lower_task_id(struct lower *l, const struct node *n, struct ir_arg task, unsigned which)
{
	if (l->c->env.pidns)
		return number_here(l, n, pid_of(l, n, task, which));
	if (which <= ID_PROCESS)
		return lower_kfield(l, n, task, which == ID_THREAD ? KF_PID : KF_TGID);
	return lower_kfield(l, n, number_at(l, n, pid_of(l, n, task, which), 0), KF_UPID_NR);
}

/* ---- the same for the current thread, or one that it points to ---- */
static bool path_add(struct lower *l, struct task_path *p, unsigned which, uint64_t more)
{
	const struct kfield *f = lower_kfield_find(l, which);

	return !f->missing && !f->ours && task_path_add(p, f->off + more);
}

static bool pid_path(struct lower *l, struct task_path *p, unsigned which)
{
	if (which <= ID_PROCESS)
		return (which == ID_THREAD || path_add(l, p, KF_LEADER, 0)) && path_add(l, p, KF_THREAD_PID, 0);
	return path_add(l, p, KF_SIGNAL, 0) && path_add(l, p, KF_SIGNAL_PIDS, POINTER * which);
}

/* Paths from a struct pid: its level; inode of the name space and number at the level of dtr's. */
struct pid_paths {
	struct task_path level, inum, nr;
};

static bool paths_find(struct lower *l, const struct task_path *pid, struct pid_paths *to)
{
	uint64_t numbers = lower_kfield_find(l, KF_PID_NUMBERS)->off, inum = lower_kfield_find(l, KF_NS_INUM)->off;

	if (!lower_kfield_find(l, KF_PID_NUMBERS)->flexible)
		return false;
	numbers += lower_pidns_level(l) * UPID_BYTES;
	to->level = to->inum = to->nr = *pid;
	return path_add(l, &to->level, KF_PID_LEVEL, 0) && path_add(l, &to->nr, KF_UPID_NR, numbers) &&
	       path_add(l, &to->inum, KF_UPID_NS, numbers) && path_add(l, &to->inum, KF_PIDNS_NS, inum);
}

/* See number_here(). Without a struct pid, the level reads as 0. */
static struct ir_arg path_here(struct lower *l, const struct pid_paths *paths)
{
	uint32_t end = ir_newblock(&l->b, NULL);
	ir_reg result = ir_newreg(&l->b), failed;

	ir_emit_to(&l->b, IR_MOV, result, ir_i(0));
	leave_if(l, IR_BULT, ir_r(task_path_read(l, &paths->level, 4, &failed)), ir_i(lower_pidns_level(l)), end);
	leave_if(l, IR_BNE, ir_r(task_path_read(l, &paths->inum, 4, &failed)), ir_i(l->c->env.pidns), end);
	ir_emit_to(&l->b, IR_MOV, result, ir_r(task_path_read(l, &paths->nr, 4, &failed)));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, end);
	return ir_r(result);
}

bool lower_path_id(struct lower *l, struct task_path *p, unsigned which, struct ir_arg *id)
{
	struct pid_paths paths;
	bool ok;

	if (l->c->env.pidns) {
		ok = pid_path(l, p, which) && paths_find(l, p, &paths);
		if (ok)
			*id = path_here(l, &paths);
		return ok;
	}
	if (which <= ID_PROCESS)
		ok = path_add(l, p, which == ID_THREAD ? KF_PID : KF_TGID, 0);
	else
		ok = pid_path(l, p, which) && !lower_kfield_find(l, KF_PID_NUMBERS)->missing &&
		     path_add(l, p, KF_UPID_NR, lower_kfield_find(l, KF_PID_NUMBERS)->off);
	if (ok)
		*id = lower_task_read(l, p, 4);
	return ok;
}
