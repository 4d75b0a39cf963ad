/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that use the kernel's structures: ancestors of processes, device numbers, locks. */
#include "lang/check/conversions.h"
#include "lang/func/func.h"
#include "lang/lower/builtins.h"
#include "lang/types/type_find.h"

/* ---- progenyof ---- */
enum { ANCESTORS = 32 };	/* generations to check: D has no loops */

struct type *func_progenyof_check(struct checker *ck, struct node *call)
{
	return func_int_arg(ck, call, 0, ck->t->t_int) ? ck->t->t_int : NULL;
}

/* The processes that the argument means: several, if it is $target, and there are several. */
static unsigned progenitors(struct lower *l, const struct node *n, struct ir_arg out[ENV_TARGETS])
{
	const struct compile_env *env = &l->c->env;

	if (n->kind != N_INT || env->ntargets < 2 || (int64_t)n->value != env->target) {
		out[0] = lower_fit(l, lower_expr(l, n), NULL, l->c->types.t_uint);
		return 1;
	}
	for (size_t i = 0; i < env->ntargets; i++)
		out[i] = ir_i(env->targets[i]);
	return (unsigned)env->ntargets;
}

/* Jumps to `yes` if the process is one of n. */
static void leave_if_one(struct lower *l, struct ir_arg id, const struct ir_arg *pid, unsigned n, uint32_t yes)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t next = ir_newblock(&l->b, NULL);

		ir_emit(&l->b, IR_BEQ, id, pid[i], ir_b(yes), ir_b(next));
		ir_enter(&l->b, next);
	}
}

struct ir_arg func_progenyof(struct lower *l, const struct node *call)
{
	uint32_t yes = ir_newblock(&l->b, "progeny"), end = ir_newblock(&l->b, NULL), next;
	struct ir_arg pid[ENV_TARGETS], task, id;
	unsigned n = progenitors(l, call->args[0], pid);
	ir_reg result = ir_newreg(&l->b);

	ir_emit_to(&l->b, IR_MOV, result, ir_i(0));
	id = lower_pid(l, call);
	task = lower_task(l);
	for (int i = 0; i < ANCESTORS; i++) {
		leave_if_one(l, id, pid, n, yes);
		next = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BEQ, id, ir_i(0), ir_b(end), ir_b(next));
		ir_enter(&l->b, next);
		task = lower_kfield(l, call, task, KF_REAL_PARENT);
		id = lower_task_id(l, call, task, ID_PROCESS);
	}
	leave_if_one(l, id, pid, n, yes);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, yes);
	ir_emit_to(&l->b, IR_MOV, result, ir_i(1));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, end);
	return ir_r(result);
}

void lower_target_only(struct lower *l, uint32_t skip)
{
	const struct clause *c = l->info->first->info->clause;
	struct node target = {
		.kind = N_INT, .loc = c->loc, .type = l->c->types.t_int, .value = (uint64_t)l->c->env.target,
	}, *args[] = { &target };
	const struct node call = { .kind = N_CALL, .loc = c->loc, .str = "-x onlytarget", .args = args, .nargs = 1,
				   .type = l->c->types.t_int };
	uint32_t go;

	if (!l->c->opts.onlytarget || l->c->env.target <= 0 || probe_state(l->probe) != IR_S_ACTIVE ||
	    probe_has_alt(l->probe))
		return;
	go = ir_newblock(&l->b, NULL);
	l->en = l->info->first;
	l->next = skip;
	l->action = 0;
	ir_emit(&l->b, IR_BNE, func_progenyof(l, &call), ir_i(0), ir_b(go), ir_b(skip));
	ir_enter(&l->b, go);
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
