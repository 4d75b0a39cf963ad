/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/lower/progeny.h"

#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/pids.h"

enum { ANCESTORS = 32 };	/* generations to check: D has no loops */

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

struct ir_arg lower_progeny(struct lower *l, const struct node *call)
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
	ir_emit(&l->b, IR_BNE, lower_progeny(l, &call), ir_i(0), ir_b(go), ir_b(skip));
	ir_enter(&l->b, go);
}
