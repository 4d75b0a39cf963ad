/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Typed tree to IR: one function for each probe or gate, from the clauses that name it. */
#include <inttypes.h>
#include <string.h>

#include "lang/lower/act.h"
#include "lang/lower/builtin.h"
#include "lang/lower/cgroup.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/lower.h"
#include "lang/lower/progeny.h"
#include "lang/lower/rec.h"
#include "lang/lower/share.h"
#include "lang/lower/space.h"
#include "lang/lower/task.h"
#include "lang/lower/thin.h"
#include "lang/lower/var.h"
#include "lang/lower/vtime.h"
#include "lang/types/type_find.h"

/* ---- clauses of each probe ---- */
static struct probe_info *probe_info(struct lower *l, struct map *known, struct probe *p)
{
	struct gate *g = lower_gate(l, p);
	void **slot = g ? (void **)&g->info : map_put(known, &p, sizeof p);
	struct probe_info *pi = *slot;

	if (pi)
		return pi;
	*slot = pi = arena_alloc(l->arena, sizeof *pi);
	pi->gate = g;
	pi->probe = p;
	pi->tail = &pi->first;
	if (probe_ctx(p) == IR_C_ERROR)
		l->error = pi;
	else
		*VEC_ADD(l->arena, &l->probes) = pi;
	return pi;
}

static uint32_t add_epid(struct lower *l, const struct clause_info *ci, struct probe *p)
{
	uint32_t epid = (uint32_t)l->prog->epids.n + 1;
	struct epid_desc *e = VEC_ADD(l->arena, &l->prog->epids);

	*e = (struct epid_desc){
		.epid = epid, .probe = p, .clause = ci->clause, .acts = ci->acts.v, .nacts = (unsigned)ci->acts.n,
		.recobj = UINT32_MAX, .recsize = ci->varies ? ci->varies : ci->size, .recmost = ci->size,
		.speculates = ci->speculates,
	};
	if (ci->size) {
		e->recobj = ir_obj_add(l->ir, &(struct ir_obj){
			.name = arena_printf(l->arena, "rec@%" PRIu32, epid), .kind = IR_O_REC, .size = ci->size,
			.tag = epid,
		});
		l->prog->has_records = true;
	}
	return epid;
}

/* A clause at a gate: one enabling for all of the gate's probes that it names. */
static void add_to_gate(struct lower *l, const struct clause_info *ci, struct enabling *en, const struct gate *g)
{
	en->set = arena_calloc(l->arena, g->members.n / 64 + 1, sizeof *en->set);
	en->epid = add_epid(l, ci, g->members.v[0]);
	for (size_t i = 1; i < g->members.n; i++) {
		struct epid_desc *e = VEC_ADD(l->arena, &l->prog->epids);

		*e = l->prog->epids.v[en->epid - 1];
		e->epid = (uint32_t)l->prog->epids.n;
		e->probe = g->members.v[i];
	}
}

static bool enabled_for(const struct enabling *en, uintptr_t member)
{
	return en->set[member / 64] >> member % 64 & 1;
}

static void add_probe(struct lower *l, struct map *known, struct clause_info *ci, struct probe *p)
{
	struct probe_info *pi = probe_info(l, known, p);
	uintptr_t member = pi->gate ? (uintptr_t)*map_find(&pi->gate->index, &p, sizeof p) - 1 : 0;
	struct enabling *en = pi->last;

	if (!pi->gate || !en || en->info != ci || enabled_for(en, member)) {
		pi->last = en = arena_alloc(l->arena, sizeof *en);
		en->info = ci;
		if (pi->gate)
			add_to_gate(l, ci, en, pi->gate);
		else
			en->epid = add_epid(l, ci, p);
		*pi->tail = en;
		pi->tail = &en->next;
	}
	if (pi->gate) {
		en->nset++;
		en->set[member / 64] |= 1ull << member % 64;
	}
	l->error_exits |= ci->exits && pi == l->error;
}

static void add_clause(struct lower *l, struct map *known, const struct clause *c)
{
	struct clause_info *ci = arena_alloc(l->arena, sizeof *ci);

	ci->clause = c;
	lower_clause_info(l, ci);
	for (size_t i = 0; i < c->probes.n && !compile_full(l->c, c->loc); i++) {
		add_probe(l, known, ci, c->probes.v[i]);
		l->prog->uses_exit |= ci->exits;
	}
	for (size_t i = 0; i < c->anchors.n; i++)
		add_probe(l, known, ci, c->anchors.v[i]);
	l->prog->uses_exit |= ci->exits && c->anchors.n;
}

/* ---- functions ---- */
/* Continues in a new block if the session is in the probe's state; else jumps to `skip`. */
static void check_state(struct lower *l, uint32_t skip)
{
	uint32_t go = ir_newblock(&l->b, NULL);
	ir_reg st = ir_emit0(&l->b, IR_STATE);

	ir_emit(&l->b, IR_BEQ, ir_r(st), ir_i(probe_state(l->probe)), ir_b(go), ir_b(skip));
	ir_enter(&l->b, go);
}

/* -x cpu: does nothing on other CPUs. BEGIN and END run on that CPU. */
static void check_cpu(struct lower *l, uint32_t skip)
{
	uint32_t go;
	ir_reg cpu;

	if (l->c->opts.cpu < 0 || probe_state(l->probe) != IR_S_ACTIVE)
		return;
	go = ir_newblock(&l->b, NULL);
	l->prog->uses_cpu = true;
	cpu = ir_emit0(&l->b, IR_CPU);
	ir_emit(&l->b, IR_BEQ, ir_r(cpu), ir_i(l->c->opts.cpu), ir_b(go), ir_b(skip));
	ir_enter(&l->b, go);
}

/* The clauses of a probe, in order. Several share one time of the firing, read before the first. A single one reads it
 * only if its predicate holds, unless the predicate needs it. */
static void lower_clauses(struct lower *l, const struct probe_info *pi, uint32_t skip)
{
	unsigned timed = 0;

	for (const struct enabling *en = pi->first; en; en = en->next)
		timed += en->info->pred_time || en->info->body_time;
	lower_scratch_share(l, pi);
	l->ts = 0;
	l->nth = 0;
	if (timed > 1)
		lower_time(l);
	for (const struct enabling *en = pi->first; en && !compile_full(l->c, en->info->clause->loc); en = en->next) {
		const struct clause *c = en->info->clause;
		uint32_t body;

		l->en = en;
		l->action = 0;
		l->act = 0;
		l->faults = false;
		l->b.loc = c->loc;
		l->next = ir_newblock(&l->b, NULL);
		lower_gate_clause(l, l->next);
		lower_scratch_begin(l, en->info->scratch);
		l->ts = timed == 1 ? 0 : l->ts;
		if (timed == 1 && en->info->pred_time)
			lower_time(l);
		if (c->pred) {
			body = ir_newblock(&l->b, NULL);
			lower_branch(l, c->pred, body, l->next);
			ir_enter(&l->b, body);
			l->b.loc = c->loc;
		}
		if (timed == 1 && en->info->body_time)
			lower_time(l);
		lower_record_begin(l);
		lower_statements(l, c->body);
		l->b.loc = c->loc;
		lower_record_end(l);
		ir_enter(&l->b, l->next);
		if (en->next && l->b.func->ctx != IR_C_ERROR && (en->info->exits || (l->faults && l->error_exits)))
			check_state(l, skip);
	}
}

static void begin_func(struct lower *l, const struct probe *p, const char *name, enum ir_ctx ctx, uint32_t tag)
{
	l->b = (struct ir_builder){ .prog = l->ir, .func = ir_func_add(l->ir, name, ctx) };
	l->b.func->tag = tag;
	l->probe = p;
	l->ts = l->top = 0;
	l->weight = 0;
	l->own_self = p->prov->firing && p->prov->firing->self_option && !l->c->opts.share_self ? p->prov : NULL;
}

static struct ir_func *end_func(struct lower *l, uint32_t skip)
{
	ir_enter(&l->b, skip);
	ir_emit0(&l->b, IR_RET);
	ir_func_order(l->ir, l->b.func);
	return l->b.func;
}

/* One cell for each process. */
static uint32_t process_object(struct lower *l)
{
	const char *name = arena_printf(l->arena, "%s@once", l->info->probe->name);
	int64_t o = ir_obj_find(l->ir, name);
	uint64_t bitoff = 0;

	if (o >= 0)
		return (uint32_t)o;
	type_member(&l->c->types, type_lookup(&l->c->types, "struct task_struct"), "group_leader", &bitoff);
	return ir_obj_add(l->ir, &(struct ir_obj){ .name = name, .kind = IR_O_THREAD, .size = 8, .tag = UINT32_MAX,
						   .leader = (uint32_t)(bitoff / 8) });
}

/*
 * Of several firings in one process, only the first counts. It marks the process's first thread, where the others
 * check; the mark disappears with that thread. If no other firing can follow, no mark is needed. If the kernel has no
 * space for the mark, that is counted as a drop and another firing also counts.
 */
static void check_once(struct lower *l, uint32_t skip)
{
	uint32_t o = process_object(l), found = ir_newblock(&l->b, NULL), none = ir_newblock(&l->b, NULL);
	uint32_t more = ir_newblock(&l->b, NULL), made = ir_newblock(&l->b, NULL), go = ir_newblock(&l->b, NULL);
	ir_reg mark = ir_emit(&l->b, IR_TLS, ir_o(o), ir_i(CELL_FIND));

	ir_emit(&l->b, IR_BNE, ir_r(mark), ir_i(0), ir_b(found), ir_b(none));
	ir_enter(&l->b, found);
	ir_emit(&l->b, IR_BEQ, ir_r(ir_emit(&l->b, IR_XADD, ir_mc(mark, o, 0), ir_i(1))), ir_i(0), ir_b(go),
		ir_b(skip));
	ir_enter(&l->b, none);
	lower_branch(l, map_gets(&l->c->exprs, l->site->once), more, go);
	ir_enter(&l->b, more);
	mark = ir_emit(&l->b, IR_TLS, ir_o(o), ir_i(CELL_CREATE));
	ir_emit(&l->b, IR_BNE, ir_r(mark), ir_i(0), ir_b(made), ir_b(go));
	ir_enter(&l->b, made);
	ir_emit(&l->b, IR_BEQ, ir_r(ir_emit(&l->b, IR_XADD, ir_mc(mark, o, 0), ir_i(1))), ir_i(0), ir_b(go),
		ir_b(skip));
	ir_enter(&l->b, go);
}

/* Continues if the site's condition holds; else jumps to `skip`. A fault in it is reported for the first clause. */
static void check_site(struct lower *l, uint32_t skip)
{
	uint32_t go;

	l->en = l->info->first;
	l->next = skip;
	l->action = 0;
	if (!l->site || !l->site->when)
		return;
	go = ir_newblock(&l->b, NULL);
	if (l->site->timed)
		lower_time(l);	/* on all paths */
	lower_branch(l, map_gets(&l->c->exprs, l->site->when), go, skip);
	ir_enter(&l->b, go);
	if (l->site->once)
		check_once(l, skip);
}

/* A function for the probe's clauses, of which l->site, l->alt and l->enabled say more. */
static struct ir_func *probe_function(struct lower *l, const struct probe_info *pi, const char *name, uint32_t tag)
{
	const struct probe *p = pi->probe;
	uint32_t skip;

	begin_func(l, p, name, l->alt ? IR_C_RUN : l->site && l->site->ctx ? l->site->ctx : probe_ctx(p), tag);
	l->info = pi;
	if (l->site && l->site->task) {
		l->b.func->task = l->site->task_word + 1;
		l->b.func->tracepoint = l->site->at;
	}
	l->b.loc = pi->first->info->clause->loc;
	l->b.func->turns = pi->gate && pi->gate->desc->turns;
	skip = ir_newblock(&l->b, "skip");
	if (p->prov->firing && p->prov->firing->early)
		p->prov->firing->early(&l->b, p);
	check_state(l, skip);
	if (p->prov->prologue)
		p->prov->prologue(&l->b, p, l->alt, skip);
	lower_gate_enter(l, skip);
	lower_thin_begin(l, pi);
	/* before conditions and predicates, so that firings that do not run are cheap; but the first firing of a
	 * process must be the first of all */
	if (!l->site || !l->site->once)
		lower_thin_choose(l, skip);
	check_site(l, skip);
	check_cpu(l, skip);
	lower_cgroup_only(l, skip);
	lower_target_only(l, skip);
	if (l->site && l->site->once)
		lower_thin_choose(l, skip);
	lower_thin_count(l);
	lower_clauses(l, pi, skip);
	return end_func(l, skip);
}

/* It runs inside a clause, in any state, so it does not check the state. */
static void error_function(struct lower *l)
{
	uint32_t skip;

	begin_func(l, l->error->probe, "error", IR_C_ERROR, UINT32_MAX);
	l->info = l->error;
	l->alt = false;
	skip = ir_newblock(&l->b, "skip");
	lower_clauses(l, l->error, skip);
	l->prog->error = end_func(l, skip);
}

/* Probes of two providers may have the same name; names of functions are unique. */
static const char *func_name(struct lower *l, struct map *names, const struct probe *p)
{
	const char *name = probe_gate_of(p) ? probe_gate_of(p)->name : p->name;

	if (map_gets(names, name) || !strcmp(name, "error"))
		name = arena_printf(l->arena, "%s:%" PRIu32, name, p->id);
	for (unsigned i = 1; map_gets(names, name); i++)
		name = arena_printf(l->arena, "%s:%" PRIu32 ".%u", p->name, p->id, i);
	map_sets(names, name, (void *)name);
	return name;
}

/* The functions of a probe: for each of its sites one, and one for its second form. */
static void probe_functions(struct lower *l, struct map *names, const struct probe_info *pi)
{
	const struct probe *p = pi->probe;
	unsigned n = 1;
	const struct probe_site *sites = p->prov->sites ? p->prov->sites->list(p, &n) : NULL;

	for (unsigned site = 0; site < n; site++) {
		const char *name = func_name(l, names, p);
		struct enabled_probe enabled = { .probe = pi->probe, .site = site, .thin = -1, .thinned = -1 };
		uint32_t tag = (uint32_t)l->prog->probes.n;

		l->site = sites ? &sites[site] : NULL;
		l->enabled = &enabled;
		l->alt = false;
		enabled.func = probe_function(l, pi, name, tag);
		l->enabled = NULL;
		l->alt = true;
		if (probe_has_alt(p))
			enabled.alt = probe_function(l, pi, arena_printf(l->arena, "%s@run", name), tag);
		*VEC_ADD(l->arena, &l->prog->probes) = enabled;
	}
	l->site = NULL;
	l->alt = false;
}

static struct lower *lower_new(struct compiler *c)
{
	struct lower *l = arena_alloc(c->arena, sizeof *l);

	l->c = c;
	l->arena = c->arena;
	l->diags = c->diags;
	l->prog = arena_alloc(c->arena, sizeof *l->prog);
	l->ir = arena_alloc(c->arena, sizeof *l->ir);
	l->strsize = ((uint32_t)c->opts.strsize + 7) & ~7u;
	l->scratchsize = ((compile_scratch(&c->opts) + 7) & ~7u) + 16;
	ir_prog_init(l->ir, c->arena);
	map_init(&l->strings, c->arena);
	map_init(&l->own_tls, c->arena);
	map_init(&l->gates, c->arena);
	l->prog->places = l->prog->owners = -1;
	l->prog->cgroups.marks = l->prog->cgroups.only = -1;
	l->prog->types = &l->c->types;
	l->prog->target = l->c->env.target;
	l->prog->ntargets = l->c->env.ntargets;
	l->prog->arena = c->arena;
	l->prog->script = c->script;
	l->prog->ir = l->ir;
	l->prog->strsize = l->strsize;
	return l;
}

struct d_prog *lang_lower(struct compiler *c)
{
	struct lower *l = lower_new(c);
	size_t before = c->diags->nerrors;
	struct map known, names;

	lower_find_gates(l);
	lower_find_reached(l);
	lower_agg_objects(l);
	if (c->opts.followfork)
		lower_family_layout(l);
	map_init(&known, c->arena);
	for (const struct clause *k = c->script->clauses; k; k = k->next)
		add_clause(l, &known, k);
	if (c->diags->nerrors > before)
		return NULL;
	map_init(&names, c->arena);
	for (size_t i = 0; i < l->probes.n; i++)
		probe_functions(l, &names, l->probes.v[i]);
	if (l->error)
		error_function(l);
	if (l->vtime)
		l->prog->vtime = lower_vtime_switch(l);
	l->prog->thread_end = lower_thread_end(l);
	return c->diags->nerrors == before ? l->prog : NULL;
}
