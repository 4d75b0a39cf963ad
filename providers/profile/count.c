/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts firings in a cell per CPU, which the probe's program increments before its clauses. */
#include "providers/profile/timer.h"

void count_emit(struct ir_builder *b, const struct probe *p, bool alt)
{
	const char *name = arena_printf(b->prog->arena, "%s" PROBE_FIRED, p->name);
	int64_t found = ir_obj_find(b->prog, name);
	/* a cell like that of an aggregation: on a cache line of its CPU, and without atomics if only the event's
	 * program counts */
	uint32_t obj = found >= 0 ? (uint32_t)found : ir_obj_add(b->prog, &(struct ir_obj){
		.name = name, .kind = IR_O_AGG, .size = FIRED_WORDS * sizeof(uint64_t), .tag = UINT32_MAX,
	});
	ir_reg cell = ir_emit(b, IR_CELL0, ir_o(obj));

	ir_emit_to(b, IR_XADD, 0, ir_mc(cell, obj, (alt ? FIRED_ALT : FIRED_SELF) * sizeof(uint64_t)), ir_i(1));
}

static void forward(void *arg, const struct perf_change *n)
{
	struct timer *t = arg;

	t->env->changed(t->env, n);
}

void count_listen(struct timer *t)
{
	t->events.changed = t->env->changed && source_is_clock(t->env->clock_source) ? forward : NULL;
	t->events.changed_arg = t;
}
