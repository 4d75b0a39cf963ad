/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks and symbols: stack() ustack() jstack(), their numbers, sym() func() mod(), usym() ufunc() umod() uaddr(). */
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/func/family.h"
#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/stack.h"

enum { MAX_FRAMES = 127 };	/* kernel.perf_event_max_stack */

static bool positive_constant(const struct node *n, int64_t *v)
{
	return n->type && type_is_int(n->type) && node_const(n, v) && (!n->type->is_signed || *v > 0) && *v;
}

/* The number of frames, at most maxframes. */
static uint64_t limited_frames(struct checker *ck, int64_t asked)
{
	uint64_t max = ck->c->opts.maxframes;

	return (uint64_t)asked < max ? (uint64_t)asked : max;
}

/* More frames than that would be missing without a sign. */
static void warn_limited(struct checker *ck, const struct node *call, int64_t asked)
{
	uint64_t most = limited_frames(ck, asked);

	if (call->nargs && (uint64_t)asked > most)
		diag_warn(ck->d, call->args[0]->loc, D_LIMIT,
			  "at most %llu frames of a stack are recorded (-x maxframes)", (unsigned long long)most);
}

/* The size of a stack of `asked` frames, at most maxframes, and, if required, a mark of truncation. */
static uint64_t stack_bytes(struct checker *ck, int64_t asked)
{
	return STACK_PC_BYTES * (limited_frames(ck, asked) + ck->c->env.mark_truncated);
}

static bool at_most(struct checker *ck, const struct node *call, unsigned n, enum diag_tag tag)
{
	if (call->nargs <= n)
		return true;
	check_fail(ck, call->loc, tag, "%s( ) prototype mismatch: too many arguments", call->str);
	return false;
}

/* ---- stacks ---- */
struct type *func_stack_check(struct checker *ck, struct node *call)
{
	int64_t n = ck->c->opts.stackframes;

	if (!at_most(ck, call, 1, D_STACK_PROTO) || (call->nargs && !check_value(ck, &call->args[0])))
		return NULL;
	if (call->nargs && !positive_constant(call->args[0], &n))
		return check_fail(ck, call->args[0]->loc, D_STACK_SIZE,
				  "%s( ) size must be a non-zero positive integral constant expression", call->str);
	warn_limited(ck, call, n);
	return type_symbolic(ck->t, VAL_STACK, stack_bytes(ck, n));
}

/* kinds: number of kinds of frames, each of which has room for n frames. The second argument is the space for names of
 * a virtual machine's frames. Such names are not collected. */
static struct type *check_ustack(struct checker *ck, struct node *call, int64_t n, unsigned kinds)
{
	int64_t strsize;

	if (!at_most(ck, call, 2, D_USTACK_PROTO))
		return NULL;
	for (unsigned i = 0; i < call->nargs; i++)
		if (!check_value(ck, &call->args[i]))
			return NULL;
	if (call->nargs > 0 && !positive_constant(call->args[0], &n))
		return check_fail(ck, call->args[0]->loc, D_USTACK_FRAMES,
				  "%s( ) argument #1 must be a non-zero positive integer constant", call->str);
	if (call->nargs > 1 && !(node_is_zero(call->args[1]) || positive_constant(call->args[1], &strsize)))
		return check_fail(ck, call->args[1]->loc, D_USTACK_STRSIZE,
				  "%s( ) argument #2 must be a positive integer constant", call->str);
	warn_limited(ck, call, n);
	return type_symbolic(ck->t, VAL_USTACK,
			     STACK_OWNER_BYTES + stack_bytes(ck, n) +
			     (kinds - 1) * STACK_PC_BYTES * limited_frames(ck, n));
}

struct type *func_ustack_check(struct checker *ck, struct node *call)
{
	return check_ustack(ck, call, ck->c->opts.ustackframes, 1);
}

struct type *func_jstack_check(struct checker *ck, struct node *call)
{
	return check_ustack(ck, call, ck->c->opts.jstackframes, ck->c->env.keep_native ? 2 : 1);
}

void func_stack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	lower_stack(l, call, dst);
}

void func_ustack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	lower_ustack(l, call, dst);
}

/* ---- saved stacks: a number now, the frames in a key later ---- */
struct type *func_stackid_check(struct checker *ck, struct node *call)
{
	struct type *t = stack_is_interpreted(call->str) ? func_jstack_check(ck, call) :
			 stack_is_users(call->str) ? func_ustack_check(ck, call) : func_stack_check(ck, call);

	call->shown = t;
	return t ? ck->t->t_ulong : NULL;
}

struct ir_arg func_stackid(struct lower *l, const struct node *call)
{
	return lower_stack_id(l, call);
}

/* Only valid as a key: the argument is a number, not frames. */
struct type *func_stackof_check(struct checker *ck, struct node *call)
{
	bool user = stack_is_users(call->str);

	if (!ck->in_key)
		return check_fail(ck, call->loc, D_KEY_TYPE, "%s( ) can only be a key of an aggregation", call->str);
	if (!func_int_arg(ck, call, 0, ck->t->t_ulong))
		return NULL;
	return type_symbolic(ck->t, user ? VAL_USTACK : VAL_STACK,
			     (user ? STACK_OWNER_BYTES : 0) + stack_bytes(ck, MAX_FRAMES));
}

void func_stackof(struct lower *l, const struct node *call, struct ir_arg dst)
{
	lower_stack_of(l, call, dst);
}

/* ---- symbols ---- */
/* The value is the address or, in a process, the address after its owner. */
static struct type *check_address(struct checker *ck, struct node *call, uint8_t kind, enum mem_owner owner)
{
	if (!func_address_arg(ck, call, 0, owner))
		return NULL;
	return type_symbolic(ck->t, kind, owner == MEM_PROCESS ? STACK_OWNER_BYTES + STACK_PC_BYTES : STACK_PC_BYTES);
}

struct type *func_sym_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_SYM, MEM_KERNEL);
}

struct type *func_mod_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_MOD, MEM_KERNEL);
}

struct type *func_usym_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_USYM, MEM_PROCESS);
}

struct type *func_umod_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_UMOD, MEM_PROCESS);
}

struct type *func_uaddr_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_UADDR, MEM_PROCESS);
}

void func_sym(struct lower *l, const struct node *call, struct ir_arg dst)
{
	ir_emit(&l->b, IR_ST64, dst, lower_expr(l, call->args[0]));
}

void func_usym(struct lower *l, const struct node *call, struct ir_arg dst)
{
	struct ir_arg at = dst, pc = lower_expr(l, call->args[0]), pid = lower_pid(l, call);

	at.imm += STACK_OWNER_BYTES;
	ir_emit(&l->b, IR_ST64, dst, l->keyed ? lower_key_owner(l, pid) : pid);
	ir_emit(&l->b, IR_ST64, at, pc);
}
