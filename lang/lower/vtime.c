/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vtimestamp. The kernel updates a thread's CPU time only at ticks and context switches, so between them it is
 * milliseconds late. Therefore a program runs at every context switch if the script uses vtimestamp. It maintains:
 *
 *	each CPU	since: when its thread was switched in; 0 = not known yet
 *			before: the kernel's CPU time of that thread at that moment
 *			who: that thread's task
 *	each thread	its CPU time when it was last switched out; 0 = not switched out in this session
 *
 * vtimestamp is the time before the thread was switched in plus the time since then. At a context switch a probe can
 * fire before or after this program, for the previous or the next thread; there, the time since then only counts for
 * the thread in `who`. Elsewhere it counts for the current thread without a check: if a thread cannot be traced, no
 * program runs when it is switched out. All times are from one clock, so a thread's CPU time never decreases.
 */
#include "lang/lower/vtime.h"

#include <string.h>

#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/var.h"

#define VTIME_CPU "vtime@cpu"
#define VTIME_THREAD "vtime@thread"
#define VTIME_SWITCH "vtime@switch"

enum { SINCE = 0, BEFORE = 8, WHO = 16, CPU_BYTES = 24 };
enum { SWITCH_NEXT = 16 };	/* sched_switch: offset of the next thread in its context */

struct lower_vtime {
	uint32_t cpu, thread;	/* objects */
	ir_reg cell;
};

static uint32_t vtime_object(struct lower *l, const char *name, enum ir_objkind kind, uint32_t size)
{
	int64_t o = ir_obj_find(l->ir, name);

	return o >= 0 ? (uint32_t)o :
	       ir_obj_add(l->ir, &(struct ir_obj){ .name = name, .kind = kind, .size = size, .tag = UINT32_MAX });
}

static struct lower_vtime vtime_enter(struct lower *l)
{
	struct lower_vtime v = {
		.cpu = vtime_object(l, VTIME_CPU, IR_O_AGG, CPU_BYTES),
		.thread = vtime_object(l, VTIME_THREAD, IR_O_THREAD, 8),
	};

	v.cell = ir_emit(&l->b, IR_CELL0, ir_o(v.cpu));
	return v;
}

static struct ir_arg cpu_word(const struct lower_vtime *v, uint32_t off)
{
	return ir_mc(v->cell, v->cpu, off);
}

/* The thread's CPU time when it was switched in. *m, if not NULL: the place of the thread's own account. */
static ir_reg had_run(struct lower *l, const struct lower_vtime *v, enum cell_lookup how, struct ir_arg *m)
{
	uint32_t has = ir_newblock(&l->b, NULL), known = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	ir_reg result = ir_newreg(&l->b), own, place = ir_emit(&l->b, IR_TLS, ir_o(v->thread), ir_i(how));

	ir_emit_to(&l->b, IR_LD64, result, cpu_word(v, BEFORE));
	ir_emit(&l->b, IR_BNE, ir_r(place), ir_i(0), ir_b(has), ir_b(end));
	ir_enter(&l->b, has);
	own = ir_emit(&l->b, IR_LD64, ir_mc(place, v->thread, 0));
	ir_emit(&l->b, IR_BNE, ir_r(own), ir_i(0), ir_b(known), ir_b(end));
	ir_enter(&l->b, known);
	ir_emit_to(&l->b, IR_MOV, result, ir_r(own));
	ir_enter(&l->b, end);
	if (m)
		*m = ir_mc(place, v->thread, 0);
	return result;
}

/* The CPU time, at its last switch, of a thread that is not in `who`; jumps to `unknown` if it was never switched
 * out. */
static void switched_out(struct lower *l, const struct lower_vtime *v, ir_reg r, uint32_t unknown, uint32_t end)
{
	uint32_t has = ir_newblock(&l->b, NULL);
	ir_reg place = ir_emit(&l->b, IR_TLS, ir_o(v->thread), ir_i(CELL_FIND));

	ir_emit(&l->b, IR_BNE, ir_r(place), ir_i(0), ir_b(has), ir_b(unknown));
	ir_enter(&l->b, has);
	ir_emit_to(&l->b, IR_LD64, r, ir_mc(place, v->thread, 0));
	ir_emit(&l->b, IR_BNE, ir_r(r), ir_i(0), ir_b(end), ir_b(unknown));
}

/* Reads the time of the firing before the CPU's data: if a switch comes between them, `since` is later and no time is
 * added. */
struct ir_arg lower_vtimestamp(struct lower *l, const struct node *n)
{
	uint32_t counted = ir_newblock(&l->b, NULL), plain = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	struct ir_arg now = lower_time(l), kernel;
	struct lower_vtime v = vtime_enter(l);
	ir_reg since = ir_emit(&l->b, IR_LD64, cpu_word(&v, SINCE)), result = ir_newreg(&l->b), before;
	uint32_t late;

	l->vtime = n;
	ir_emit(&l->b, IR_BNE, ir_r(since), ir_i(0), ir_b(counted), ir_b(plain));
	ir_enter(&l->b, counted);
	if (l->site && !strcmp(l->site->at, "sched_switch")) {
		uint32_t same = ir_newblock(&l->b, NULL), other = ir_newblock(&l->b, NULL);
		ir_reg who = ir_emit(&l->b, IR_LD64, cpu_word(&v, WHO));

		ir_emit(&l->b, IR_BEQ, ir_r(who), lower_task(l), ir_b(same), ir_b(other));
		ir_enter(&l->b, other);
		switched_out(l, &v, result, plain, end);
		ir_enter(&l->b, same);
	}
	/* the thread runs: the time since the switch is added to its earlier time */
	late = ir_newblock(&l->b, NULL);
	before = had_run(l, &v, CELL_FIND, NULL);
	ir_emit_to(&l->b, IR_MOV, result, ir_r(before));
	ir_emit(&l->b, IR_BUGT, now, ir_r(since), ir_b(late), ir_b(end));
	ir_enter(&l->b, late);
	ir_emit_to(&l->b, IR_ADD, result, ir_r(before), lower_op(l, IR_SUB, now, ir_r(since)));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	/* no switch has been seen on this CPU */
	ir_enter(&l->b, plain);
	kernel = lower_kfield(l, n, lower_kfield_addr(l, n, lower_task(l), KF_SE), KF_SUM_EXEC);
	ir_emit_to(&l->b, IR_MOV, result, kernel);
	ir_enter(&l->b, end);
	return ir_r(result);
}

/* ---- the program at context switches ---- */
/* Adds the time since the previous thread (the current one) was switched in. */
static void switch_out(struct lower *l, const struct lower_vtime *v, ir_reg now, ir_reg since)
{
	uint32_t add = ir_newblock(&l->b, NULL), store = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	struct ir_arg own;
	ir_reg before;

	ir_emit(&l->b, IR_BNE, ir_r(since), ir_i(0), ir_b(add), ir_b(end));
	ir_enter(&l->b, add);
	before = had_run(l, v, CELL_CREATE, &own);
	ir_emit(&l->b, IR_BNE, ir_r(own.reg), ir_i(0), ir_b(store), ir_b(end));
	ir_enter(&l->b, store);
	ir_emit(&l->b, IR_ST64, own, lower_op(l, IR_ADD, ir_r(before), lower_op(l, IR_SUB, ir_r(now), ir_r(since))));
	ir_enter(&l->b, end);
}

static void switch_in(struct lower *l, const struct lower_vtime *v, ir_reg now, struct ir_arg task)
{
	uint32_t account = lower_temp(l, 8);
	struct ir_arg at = lower_kfield_addr(l, l->vtime, lower_kfield_addr(l, l->vtime, task, KF_SE), KF_SUM_EXEC);

	ir_emit(&l->b, IR_KREAD, ir_m(account, 0), ir_i(8), at);
	ir_emit(&l->b, IR_ST64, cpu_word(v, BEFORE), ir_r(ir_emit(&l->b, IR_LD64, ir_m(account, 0))));
	ir_emit(&l->b, IR_ST64, cpu_word(v, WHO), task);
	ir_emit(&l->b, IR_ST64, cpu_word(v, SINCE), ir_r(now));
}

/*
 * Runs at sched_switch; also once on every CPU after it was attached, without a next thread, for the threads that are
 * already running.
 */
struct ir_func *lower_vtime_switch(struct lower *l)
{
	uint32_t first, begin, changes, end;
	ir_reg now, next, since;
	struct lower_vtime v;

	l->b = (struct ir_builder){ .prog = l->ir, .func = ir_func_add(l->ir, VTIME_SWITCH, IR_C_RAWTP) };
	l->b.func->tag = UINT32_MAX;
	l->b.loc = l->vtime->loc;
	first = ir_newblock(&l->b, NULL);
	begin = ir_newblock(&l->b, NULL);
	changes = ir_newblock(&l->b, NULL);
	end = ir_newblock(&l->b, NULL);
	now = ir_emit0(&l->b, IR_CLOCK);
	next = ir_emit(&l->b, IR_CTX, ir_i(SWITCH_NEXT));
	v = vtime_enter(l);
	since = ir_emit(&l->b, IR_LD64, cpu_word(&v, SINCE));
	ir_emit(&l->b, IR_BEQ, ir_r(next), ir_i(0), ir_b(first), ir_b(changes));
	ir_enter(&l->b, first);
	ir_emit(&l->b, IR_BEQ, ir_r(since), ir_i(0), ir_b(begin), ir_b(end));
	ir_enter(&l->b, begin);
	switch_in(l, &v, now, ir_r(ir_emit0(&l->b, IR_TASK)));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, changes);
	switch_out(l, &v, now, since);
	switch_in(l, &v, now, ir_r(next));
	ir_enter(&l->b, end);
	ir_emit0(&l->b, IR_RET);
	ir_func_order(l->ir, l->b.func);
	return l->b.func;
}
