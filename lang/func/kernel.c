/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that use the kernel's structures: IDs and ancestors of processes, device numbers, locks. */
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/func/family.h"
#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/pids.h"
#include "lang/lower/progeny.h"
#include "lang/lower/task.h"
#include "lang/types/type_find.h"

/* ---- processes ---- */
struct type *func_progenyof_check(struct checker *ck, struct node *call)
{
	return func_int_arg(ck, call, 0, ck->t->t_int) ? ck->t->t_int : NULL;
}

struct ir_arg func_progenyof(struct lower *l, const struct node *call)
{
	return lower_progeny(l, call);
}

/* _id(task, which), for the translators */
struct type *func_id_check(struct checker *ck, struct node *call)
{
	struct type *t = check_operand(ck, &call->args[0]);

	if (!t || t->kind != T_PTR || !func_int_arg(ck, call, 1, ck->t->t_int))
		return NULL;
	call->args[0] = check_cast(ck, call->args[0], ck->t->t_ulong);
	return ck->t->t_int;
}

struct ir_arg func_id(struct lower *l, const struct node *call)
{
	const struct node *task = call->args[0];
	struct task_path p;
	struct ir_arg id;
	int64_t n = ID_THREAD;
	unsigned which;

	node_const(call->args[1], &n);
	which = (uint64_t)n % NIDS;
	while (task->kind == N_CAST)
		task = task->a;
	if (!task_path_pointer(l, task, &p) || !lower_path_id(l, &p, which, &id))
		id = lower_task_id(l, call, lower_expr(l, call->args[0]), which);
	return lower_fit(l, id, l->c->types.t_uint, call->type);
}

/* ---- device numbers, in the kernel's format: 12 and 20 bits ---- */
enum { MINOR_BITS = 20 };

struct type *func_device_check(struct checker *ck, struct node *call)
{
	return func_int_arg(ck, call, 0, ck->t->t_uint) ? ck->t->t_uint : NULL;
}

struct ir_arg func_getmajor(struct lower *l, const struct node *call)
{
	return lower_op(l, IR_LSHR, lower_expr(l, call->args[0]), ir_i(MINOR_BITS));
}

struct ir_arg func_getminor(struct lower *l, const struct node *call)
{
	return lower_op(l, IR_AND, lower_expr(l, call->args[0]), ir_i((1 << MINOR_BITS) - 1));
}

/* ---- locks: struct mutex and struct rw_semaphore ---- */
enum {
	MUTEX_FLAGS = 7,	/* low bits of a mutex's owner */
	RWSEM_WRITER = 1, RWSEM_WAITERS = 2, RWSEM_READERS_SHIFT = 8,	/* fields of a semaphore's count */
};

static struct type *check_lock(struct checker *ck, struct node *call, const char *type, struct type *result)
{
	struct type *t = check_operand(ck, &call->args[0]), *lock = type_lookup(ck->t, type);

	if (!t)
		return NULL;
	if (!lock)
		return check_fail(ck, call->loc, D_KTYPE, "%s( ) needs the kernel's %s: %s", call->str, type,
				  ck->t->error ? ck->t->error : "this kernel has no such type");
	if (!type_is_scalar(t) || (t->kind == T_PTR && t->ref->kind != T_VOID && !type_same(t->ref, lock)))
		return check_fail(ck, call->args[0]->loc, D_PROTO_ARG,
				  "%s( ) argument #1 is incompatible with prototype: \"%s\" where \"%s *\" is expected",
				  call->str, check_text(ck, t), type);
	return result;
}

struct type *func_mutex_check(struct checker *ck, struct node *call)
{
	return check_lock(ck, call, "struct mutex", ck->t->t_int);
}

struct type *func_mutex_owner_check(struct checker *ck, struct node *call)
{
	struct type *task = type_lookup(ck->t, "struct task_struct");

	return check_lock(ck, call, "struct mutex", type_pointer(ck->t, task ? task : ck->t->t_void));
}

struct type *func_rwlock_check(struct checker *ck, struct node *call)
{
	return check_lock(ck, call, "struct rw_semaphore", ck->t->t_int);
}

/* The struct task_struct of the owner; 0 if the mutex is free. */
struct ir_arg func_mutex_owner(struct lower *l, const struct node *call)
{
	struct ir_arg owner = lower_kfield_at(l, call, call->args[0], KF_MUTEX_OWNER);

	return lower_op(l, IR_AND, owner, ir_i(~(int64_t)MUTEX_FLAGS));
}

struct ir_arg func_mutex_owned(struct lower *l, const struct node *call)
{
	return lower_op(l, IR_EQ, func_mutex_owner(l, call), lower_task(l));
}

/* All mutexes of Linux are adaptive: they spin while their owner runs and sleep otherwise. */
struct ir_arg func_mutex_adaptive(struct lower *l, const struct node *call)
{
	lower_effect(l, call->args[0]);
	return ir_i(1);
}

struct ir_arg func_mutex_spin(struct lower *l, const struct node *call)
{
	lower_effect(l, call->args[0]);
	return ir_i(0);
}

static struct ir_arg rwsem_count(struct lower *l, const struct node *call)
{
	return lower_kfield_at(l, call, call->args[0], KF_RWSEM_COUNT);
}

static struct ir_arg has_readers(struct lower *l, struct ir_arg count)
{
	return lower_op(l, IR_SGT, lower_op(l, IR_ASHR, count, ir_i(RWSEM_READERS_SHIFT)), ir_i(0));
}

struct ir_arg func_rw_read_held(struct lower *l, const struct node *call)
{
	return has_readers(l, rwsem_count(l, call));
}

struct ir_arg func_rw_write_held(struct lower *l, const struct node *call)
{
	return lower_op(l, IR_AND, rwsem_count(l, call), ir_i(RWSEM_WRITER));
}

/* Held by a writer, or by readers while another thread waits: only a writer waits then. */
struct ir_arg func_rw_iswriter(struct lower *l, const struct node *call)
{
	struct ir_arg count = rwsem_count(l, call);
	struct ir_arg waits = lower_op(l, IR_NE, lower_op(l, IR_AND, count, ir_i(RWSEM_WAITERS)), ir_i(0));

	return lower_op(l, IR_OR, lower_op(l, IR_AND, count, ir_i(RWSEM_WRITER)),
			lower_op(l, IR_AND, waits, has_readers(l, count)));
}

/* ---- `jiffies ---- */
static struct ir_arg read_jiffies(struct lower *l, const struct node *call)
{
	(void)call;
	return ir_r(ir_emit0(&l->b, IR_JIFFIES));
}

const struct func func_jiffies = { .name = "`jiffies", .value = read_jiffies };
