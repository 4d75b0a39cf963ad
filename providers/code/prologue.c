/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of a gate do before the clauses. */
#include <unistd.h>

#include "providers/code/code.h"
#include "providers/family.h"

/* The cookie: the number of the probe, the offset of the instruction, whether the function is Go's, whether the kernel
 * emulates the instruction. */
enum { NUMBER_BITS = 32, AT_BITS = 30, GO_BIT = NUMBER_BITS + AT_BITS, EMULATED_BIT };

#define COOKIE "code.cookie"
#define NUMBER "code.number"

uint64_t code_cookie(const struct code_probe *d, const struct code_site *s)
{
	return (uint64_t)s->emulated << EMULATED_BIT | (uint64_t)s->go << GO_BIT |
	       (s->at & ((1ull << AT_BITS) - 1)) << NUMBER_BITS | d->number;
}

uint32_t code_word(struct ir_builder *b, const char *name)
{
	int64_t found = ir_obj_find(b->prog, name);

	return found >= 0 ? (uint32_t)found :
	       ir_obj_add(b->prog, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = 8 });
}

ir_reg code_at(struct ir_builder *b)
{
	ir_reg cookie = ir_emit(b, IR_LD64, ir_m(code_word(b, COOKIE), 0));

	return ir_emit(b, IR_AND, ir_r(ir_emit(b, IR_LSHR, ir_r(cookie), ir_i(NUMBER_BITS))),
		       ir_i((1ll << AT_BITS) - 1));
}

ir_reg code_go(struct ir_builder *b)
{
	ir_reg up = ir_emit(b, IR_SHL, ir_r(ir_emit(b, IR_LD64, ir_m(code_word(b, COOKIE), 0))), ir_i(63 - GO_BIT));

	return ir_emit(b, IR_ASHR, ir_r(up), ir_i(63));
}

ir_reg code_emulated(struct ir_builder *b)
{
	return ir_emit(b, IR_LSHR, ir_r(ir_emit(b, IR_LD64, ir_m(code_word(b, COOKIE), 0))), ir_i(EMULATED_BIT));
}

/* The name of the object with the process or family of each probe, by number. */
static const char *processes_name(struct arena *a, const struct code_gate *g)
{
	return arena_printf(a, "%s.process", g->gate.name);
}

static uint32_t processes_object(struct ir_builder *b, const struct code_gate *g)
{
	const char *name = processes_name(b->prog->arena, g);
	int64_t found = ir_obj_find(b->prog, name);
	uint64_t *pids;

	if (found >= 0)
		return (uint32_t)found;
	pids = arena_calloc(b->prog->arena, g->probes.n, sizeof *pids);
	for (size_t i = 0; i < g->probes.n; i++)
		pids[i] = (uint64_t)family_word(g->state->set, code_of(g->probes.v[i])->pid);
	return ir_obj_add(b->prog, &(struct ir_obj){
		.name = name, .kind = IR_O_GLOBAL, .size = (uint32_t)(g->probes.n * sizeof *pids), .init = pids,
	});
}

static bool one_process(const struct code_gate *g)
{
	if (g->state->of_all)
		return false;
	for (size_t i = 1; i < g->probes.n; i++)
		if (code_of(g->probes.v[i])->pid != code_of(g->probes.v[0])->pid)
			return false;
	return true;
}

void code_set_process(struct code_gate *g, const struct probe *p)
{
	const struct ir_prog *prog = g->env->prog;
	uint64_t *pids = g->env->global(g->env, processes_name(prog->arena, g));

	if (pids)
		__atomic_store_n(&pids[code_of(p)->number],
				 (uint64_t)family_word(g->state->set, code_of(p)->pid), __ATOMIC_RELEASE);
}

ir_reg code_select(struct ir_builder *b, const struct probe *p)
{
	if (code_of(p)->gate->gate.turns)
		return ir_emit(b, IR_LD64, ir_m(code_word(b, NUMBER), 0));
	return ir_emit(b, IR_ZEXT32, ir_r(ir_emit(b, IR_LD64, ir_m(code_word(b, COOKIE), 0))));
}

static const char *firings_name(struct arena *a, const struct code_gate *g)
{
	return arena_printf(a, "%s.firings", g->gate.name);
}

static void count_firing(struct ir_builder *b, const struct probe *p)
{
	struct code_gate *g = code_of(p)->gate;
	const char *name = firings_name(b->prog->arena, g);
	int64_t found = ir_obj_find(b->prog, name);
	uint32_t n = (uint32_t)g->probes.n, obj = found >= 0 ? (uint32_t)found : ir_obj_add(b->prog, &(struct ir_obj){
		.name = name, .kind = IR_O_GLOBAL, .size = n * (uint32_t)sizeof(uint64_t),
	});

	ir_emit_to(b, IR_XADD, 0, ir_mx(0, obj, 0, code_select(b, p), n), ir_i(1));
}

const uint64_t *code_firings(struct code_gate *g)
{
	return g->env && g->state->of_all ? g->env->global(g->env, firings_name(g->env->prog->arena, g)) : NULL;
}

/* All processes, but not dtr, whose own work would make its probes fire. */
static void other_check(struct ir_builder *b, const struct probe *p, uint32_t skip)
{
	uint32_t go = ir_newblock(b, NULL);
	ir_reg process = ir_emit(b, IR_LSHR, ir_r(ir_emit0(b, IR_PIDTGID)), ir_i(32));

	ir_emit(b, IR_BEQ, ir_r(process), ir_i(getpid()), ir_b(skip), ir_b(go));
	ir_enter(b, go);
	if (code_of(p)->gate->state->set->maxfirings)
		count_firing(b, p);
}

/* Other processes execute the same instructions of a file; so does a child of vfork() in the process's memory. */
void code_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	struct code_gate *g = code_of(p)->gate;
	struct ir_arg want = ir_i(family_word(g->state->set, code_of(p)->pid));
	uint32_t all = 0, one = 0, go = 0;

	(void)alt;
	if (g->gate.turns)
		ir_emit(b, IR_ST64, ir_m(code_word(b, NUMBER), 0), ir_r(code_member(b, g)));
	else
		ir_emit(b, IR_ST64, ir_m(code_word(b, COOKIE), 0), ir_r(ir_emit0(b, IR_COOKIE)));
	if (g->state->of_all && !g->state->of_one) {
		other_check(b, p, skip);
		return;
	}
	if (!one_process(g))
		want = ir_r(ir_emit(b, IR_LD64, ir_mx(0, processes_object(b, g), 0, code_select(b, p),
						     (uint32_t)g->probes.n)));
	if (g->state->of_all) {
		all = ir_newblock(b, NULL);
		one = ir_newblock(b, NULL);
		go = ir_newblock(b, NULL);
		ir_emit(b, IR_BEQ, want, ir_i(0), ir_b(all), ir_b(one));
		ir_enter(b, all);
		other_check(b, p, skip);
		ir_emit(b, IR_JMP, ir_b(go));
		ir_enter(b, one);
	}
	family_check(b, g->state->set, want, skip);
	if (g->state->of_all) {
		ir_emit(b, IR_JMP, ir_b(go));
		ir_enter(b, go);
	}
}
