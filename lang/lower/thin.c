/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -x maxcost: of N firings only one runs, chosen at random, and stands for N. N is a power of two, so that chance is
 * exact, and a word that the engine may change at any time. So a firing notes the N by which it was chosen.
 * Before that the clock of a probe is made slower; then each of its firings stands for several, too.
 */
#include "lang/lower/thin.h"

#include "lang/check/thin.h"
#include "lang/lower/lower.h"

/* tick-N and sweep-N are the script's own clocks: they print, clear or end. */
static bool is_thinnable(const struct probe *p)
{
	enum ir_ctx ctx = probe_ctx(p);

	return probe_state(p) == IR_S_ACTIVE && !probe_has_alt(p) && ctx != IR_C_RUN && ctx != IR_C_ERROR;
}

static int64_t add_object(struct lower *l, enum ir_objkind kind, const char *what, uint32_t size)
{
	return ir_obj_add(l->ir, &(struct ir_obj){
		.name = arena_printf(l->arena, "%s@%s", l->b.func->name, what), .kind = kind, .size = size,
	});
}

void lower_thin_begin(struct lower *l, const struct probe_info *pi)
{
	struct enabled_probe *e = l->enabled;

	l->weight = 0;
	if (!e || !l->c->opts.thin || !is_thinnable(pi->probe))
		return;
	for (const struct enabling *en = pi->first; en && !e->obstacle.what; en = en->next)
		thin_obstacle(en->info->clause, &e->obstacle);
	if (!e->obstacle.what && l->error)
		e->obstacle = (struct thin_obstacle){
			pi->first->info->clause->loc, "a clause of ERROR handles its errors", NULL
		};
	if (e->obstacle.what)
		return;
	e->slows = probe_slowest(pi->probe) > 1;
	e->thin = add_object(l, IR_O_GLOBAL, "thin", 8);
	e->thinned = add_object(l, IR_O_GLOBAL, "thinned", THINNED_WORDS * 8);
	l->weight = (uint32_t)add_object(l, IR_O_LOCAL, "weight", 8) + 1;
}

/* Multiplies the weight by what a firing of this CPU's event stands for. The words are the CPU's own, and the engine
 * writes them only while no event can fire. */
static void weigh_by_rate(struct lower *l, ir_reg thin)
{
	uint32_t obj = (uint32_t)ir_obj_find(l->ir, arena_printf(l->arena, "%s" PROBE_FIRED, l->enabled->probe->name));
	uint32_t slower = ir_newblock(&l->b, "slower"), go = ir_newblock(&l->b, NULL);
	ir_reg cell = ir_emit(&l->b, IR_CELL0, ir_o(obj)), rate, n;

	rate = ir_emit(&l->b, IR_LD64, ir_mc(cell, obj, FIRED_RATE * 8));
	ir_emit(&l->b, IR_BEQ, ir_r(rate), ir_i(0), ir_b(go), ir_b(slower));
	ir_enter(&l->b, slower);
	n = ir_emit(&l->b, IR_ADD, ir_r(rate), ir_r(ir_emit(&l->b, IR_LD64, ir_mc(cell, obj, FIRED_MORE * 8))));
	n = ir_emit(&l->b, IR_ADD, ir_r(n), ir_i(1));
	ir_emit(&l->b, IR_ST64, ir_mc(cell, obj, FIRED_MORE * 8), ir_i(0));
	ir_emit(&l->b, IR_ST64, ir_m(l->weight - 1, 0), ir_r(ir_emit(&l->b, IR_MUL, ir_r(thin), ir_r(n))));
	ir_emit(&l->b, IR_JMP, ir_b(go));
	ir_enter(&l->b, go);
}

void lower_thin_choose(struct lower *l, uint32_t skip)
{
	uint32_t some, go;
	ir_reg less, low, thin;

	if (!l->weight)
		return;
	some = ir_newblock(&l->b, "thin");
	go = ir_newblock(&l->b, NULL);
	less = ir_emit(&l->b, IR_LD64, ir_m((uint32_t)l->enabled->thin, 0));
	thin = ir_emit(&l->b, IR_ADD, ir_r(less), ir_i(1));
	ir_emit(&l->b, IR_ST64, ir_m(l->weight - 1, 0), ir_r(thin));
	if (l->enabled->slows)
		weigh_by_rate(l, thin);
	ir_emit(&l->b, IR_BEQ, ir_r(less), ir_i(0), ir_b(go), ir_b(some));
	ir_enter(&l->b, some);
	low = ir_emit(&l->b, IR_AND, ir_r(ir_emit0(&l->b, IR_RANDOM)), ir_r(less));
	ir_emit(&l->b, IR_BEQ, ir_r(low), ir_i(0), ir_b(go), ir_b(skip));
	ir_enter(&l->b, go);
}

static void add_to_count(struct lower *l, unsigned word, struct ir_arg v)
{
	ir_emit_to(&l->b, IR_XADD, 0, ir_m((uint32_t)l->enabled->thinned, 8 * (int64_t)word), v);
}

void lower_thin_count(struct lower *l)
{
	uint32_t some, go;
	ir_reg n;

	if (!l->weight)
		return;
	some = ir_newblock(&l->b, "thinned");
	go = ir_newblock(&l->b, NULL);
	n = ir_emit(&l->b, IR_LD64, ir_m(l->weight - 1, 0));
	ir_emit(&l->b, IR_BEQ, ir_r(n), ir_i(1), ir_b(go), ir_b(some));
	ir_enter(&l->b, some);
	add_to_count(l, THINNED_RUN, ir_i(1));
	add_to_count(l, THINNED_FIRINGS, ir_r(n));
	add_to_count(l, THINNED_SQUARES, ir_r(ir_emit(&l->b, IR_MUL, ir_r(n), ir_r(n))));
	ir_enter(&l->b, go);
}
