/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that use the kernel's structures: ancestors of processes, device numbers, locks. */
#include "lang/check_conversions.h"
#include "lang/func.h"
#include "lang/lower_builtins.h"
#include "lang/type_find.h"

/* ---- progenyof ---- */
enum { ANCESTORS = 32 };	/* generations to check: D has no loops */

struct type *func_progenyof_check(struct checker *ck, struct node *call)
{
	return func_int_arg(ck, call, 0, ck->t->t_int) ? ck->t->t_int : NULL;
}

struct ir_arg func_progenyof(struct lower *l, const struct node *call)
{
	uint32_t yes = ir_newblock(&l->b, "progeny"), end = ir_newblock(&l->b, NULL), next;
	struct ir_arg pid = lower_fit(l, lower_expr(l, call->args[0]), NULL, l->c->types.t_uint), task, id;
	ir_reg result = ir_newreg(&l->b);

	ir_emit_to(&l->b, IR_MOV, result, ir_i(0));
	id = lower_pid(l, call);
	task = lower_task(l);
	for (int i = 0; i < ANCESTORS; i++) {
		next = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BEQ, id, pid, ir_b(yes), ir_b(next));
		ir_enter(&l->b, next);
		next = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BEQ, id, ir_i(0), ir_b(end), ir_b(next));
		ir_enter(&l->b, next);
		task = lower_kfield(l, call, task, KF_REAL_PARENT);
		id = lower_task_id(l, call, task, ID_PROCESS);
	}
	ir_emit(&l->b, IR_BEQ, id, pid, ir_b(yes), ir_b(end));
	ir_enter(&l->b, yes);
	ir_emit_to(&l->b, IR_MOV, result, ir_i(1));
	ir_enter(&l->b, end);
	return ir_r(result);
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
