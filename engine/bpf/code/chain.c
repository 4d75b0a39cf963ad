/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/chain.h"

#include <string.h>

#include "engine/bpf/code/regalloc.h"

/* Where the function mentions a register. */
struct chain_span {
	uint32_t first, last;	/* blocks that mention it; first = UINT32_MAX: none */
	bool cell;		/* it holds a pointer at some point, which cannot be stored in memory */
};

static const struct ir_ins *last_ins(const struct ir_func *f, uint32_t b)
{
	return &f->blocks.v[b].ins.v[f->blocks.v[b].ins.n - 1];
}

static bool only_returns(const struct ir_func *f, uint32_t b)
{
	return f->blocks.v[b].ins.n == 1 && f->blocks.v[b].ins.v[0].op == IR_RET;
}

static void mention_block(struct chain_span *s, uint32_t b)
{
	if (s->first == UINT32_MAX)
		s->first = b;
	s->last = b;
}

static struct chain_span *scan_spans(struct arena *a, const struct ir_func *f, const bool *reached)
{
	struct chain_span *s = arena_calloc(a, f->nregs + 1, sizeof *s);

	for (uint32_t r = 0; r <= f->nregs; r++)
		s[r].first = UINT32_MAX;
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; reached[b] && i < f->blocks.v[b].ins.n; i++) {
			const struct ir_ins *ins = &f->blocks.v[b].ins.v[i];
			ir_reg use[8];

			for (unsigned n = ir_uses(ins, use); n-- > 0;)
				mention_block(&s[use[n]], b);
			if (ins->dst)
				mention_block(&s[ins->dst], b);
			for (unsigned k = 0; k < ins->nargs; k++) {
				if (ins->arg[k].kind == IR_MEM && ins->arg[k].reg)
					s[ins->arg[k].reg].cell = true;
			}
		}
	}
	return s;
}

struct planner {
	struct chain *c;
	struct arena *a;
	const struct ir_func *f;
	const bool *reached;
	const struct chain_span *spans;
	uint32_t *index;	/* by register: number of the candidate + 1 */
	uint32_t *seen;		/* by map: part + 1 that last named it */
};

/* live[b * n + k]: candidate k is live into block b. Computed backwards, down to block `cut`. */
static bool *live_into(const struct planner *p, uint32_t cut, uint32_t n)
{
	const struct ir_func *f = p->f;
	bool *live = arena_calloc(p->a, (f->blocks.n - cut) * n + 1, sizeof *live);

	for (uint32_t b = (uint32_t)f->blocks.n; b-- > cut;) {
		bool *mine = &live[(b - cut) * n];
		uint32_t succ[2];

		if (!p->reached[b])
			continue;
		for (unsigned s = ir_succ(last_ins(f, b), succ); s-- > 0;) {
			for (uint32_t k = 0; k < n; k++)
				mine[k] |= live[(succ[s] - cut) * n + k];
		}
		for (size_t i = f->blocks.v[b].ins.n; i-- > 0;) {
			const struct ir_ins *ins = &f->blocks.v[b].ins.v[i];
			ir_reg use[8];

			if (ins->dst && p->index[ins->dst])
				mine[p->index[ins->dst] - 1] = false;
			for (unsigned u = ir_uses(ins, use); u-- > 0;) {
				if (p->index[use[u]])
					mine[p->index[use[u]] - 1] = true;
			}
		}
	}
	return live;
}

/* The registers that are live into block `cut`, terminated by 0; NULL if one is a pointer or there are too many. */
static ir_reg *live_regs(const struct planner *p, uint32_t cut)
{
	enum { MANY = 64 };
	ir_reg *out = arena_calloc(p->a, MANY + 1, sizeof *out), cand[MANY];
	uint32_t n = 0, kept = 0;
	bool *live, ok = true;

	for (ir_reg r = 1; r <= p->f->nregs; r++) {
		const struct chain_span *span = &p->spans[r];

		if (span->first == UINT32_MAX || span->first >= cut || span->last < cut)
			continue;
		if (n == MANY)
			ok = false;
		else
			cand[n++] = r;
	}
	for (uint32_t k = 0; k < n; k++)
		p->index[cand[k]] = k + 1;
	live = live_into(p, cut, n);
	for (uint32_t k = 0; k < n; k++) {
		p->index[cand[k]] = 0;
		if (live[k])
			out[kept++] = cand[k];
		ok &= !live[k] || !p->spans[cand[k]].cell;
	}
	return ok ? out : NULL;
}

/* Number of maps that a block names and its part has not named yet. */
static uint32_t new_maps(struct planner *p, const struct block_cost *cost)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cost->nmaps; i++) {
		n += p->seen[cost->map[i]] != p->c->n;
		p->seen[cost->map[i]] = p->c->n;
	}
	return n;
}

static void add_cut(struct planner *p, uint32_t block, ir_reg *regs)
{
	struct chain *c = p->c;
	uint32_t many = 0;

	c->from[c->n] = block;
	c->saved[c->n++] = regs;
	while (regs[many])
		many++;
	if (c->most_saved < many)
		c->most_saved = many;
}

/* The cost of a part. */
struct part_cost {
	uint32_t insns, branches, maps;
};

/* Visits the blocks in order. Once a part is expensive enough, cuts at the next block that no open branch jumps
 * over. If a cut is not possible there, tries again only some blocks later: trying every block would take too long. */
static void find_cuts(struct planner *p, const struct block_cost *cost, uint32_t insns, uint32_t branches)
{
	enum { RETRY = 1024, RETRY_MAPS = 4 };
	struct part_cost have = { 0 };
	uint32_t far = 0;

	for (uint32_t b = 0; b < p->f->blocks.n; b++) {
		bool enough = have.insns >= insns || have.branches >= branches || have.maps >= CHAIN_MAPS;
		uint32_t succ[2];

		if (!p->reached[b])
			continue;
		if (enough && far <= b && !only_returns(p->f, b) && p->c->n < CHAIN_MAX) {
			ir_reg *regs = live_regs(p, b);

			if (regs)
				add_cut(p, b, regs);
			have.insns = regs || insns < RETRY ? 0 : insns - RETRY;
			have.branches = 0;
			have.maps = regs ? 0 : CHAIN_MAPS - RETRY_MAPS;
		}
		have.insns += cost[b].insns;
		have.branches += cost[b].branches;
		have.maps += new_maps(p, &cost[b]);
		for (unsigned s = ir_succ(last_ins(p->f, b), succ); s-- > 0;) {
			if (succ[s] > far && !only_returns(p->f, succ[s]))
				far = succ[s];
		}
	}
}

static void find_positions(struct planner *p)
{
	uint32_t pos = POS_FIRST, part = 0;

	for (uint32_t b = 0; b < p->f->blocks.n; b++) {
		if (part < p->c->n && p->c->from[part] == b)
			p->c->cut[part++] = pos;
		if (p->reached[b])
			pos += (uint32_t)p->f->blocks.v[b].ins.n;
	}
	p->c->cut[p->c->n] = pos;
}

void chain_plan(struct chain *c, struct arena *a, const struct chain_want *w)
{
	struct planner p = { .c = c, .a = a, .f = w->f, .reached = w->reached };
	uint32_t insns = 0, branches = 0, maps = 0, most = CHAIN_MAX - 1;

	*c = (struct chain){ .f = w->f, .reached = w->reached };
	c->from = arena_calloc(a, CHAIN_MAX + 1, sizeof *c->from);
	c->cut = arena_calloc(a, CHAIN_MAX + 1, sizeof *c->cut);
	c->saved = arena_calloc(a, CHAIN_MAX + 1, sizeof *c->saved);
	c->n = 1;
	p.seen = arena_calloc(a, w->nmaps + 1, sizeof *p.seen);
	for (size_t b = 0; b < w->f->blocks.n; b++) {
		insns += w->cost[b].insns;
		branches += w->cost[b].branches;
		maps += new_maps(&p, &w->cost[b]);
	}
	if (insns > 2 * w->insns || branches > 2 * CHAIN_BRANCHES || maps > CHAIN_MAPS) {
		memset(p.seen, 0, w->nmaps * sizeof *p.seen);
		/* if that makes too many parts: fewer and larger ones */
		insns = insns / most > w->insns ? insns / most : w->insns;
		branches = branches / most > CHAIN_BRANCHES ? branches / most : CHAIN_BRANCHES;
		p.spans = scan_spans(a, w->f, w->reached);
		p.index = arena_calloc(a, w->f->nregs + 1, sizeof *p.index);
		find_cuts(&p, w->cost, insns, branches);
	}
	c->from[c->n] = (uint32_t)w->f->blocks.n;
	find_positions(&p);
}

/* ---- parts ---- */
struct slicer {
	struct ir_prog prog;	/* only its arena is used */
	struct ir_builder b;
	const struct chain *c;
	uint32_t part, first, save_block, ret_block;
};

/* The number that block b of the whole function has in the part. */
static uint32_t part_block(const struct slicer *s, uint32_t b)
{
	if (b < s->c->from[s->part + 1])
		return b - s->c->from[s->part] + s->first;
	return b == s->c->from[s->part + 1] ? s->save_block : s->ret_block;
}

static void copy_block(struct slicer *s, uint32_t b)
{
	const struct ir_block *old = &s->c->f->blocks.v[b];
	struct ir_ins *term;

	s->b.block = part_block(s, b);
	for (size_t i = 0; i < old->ins.n; i++)
		*VEC_ADD(s->prog.arena, &s->b.func->blocks.v[s->b.block].ins) = old->ins.v[i];
	term = &s->b.func->blocks.v[s->b.block].ins.v[old->ins.n - 1];
	for (unsigned k = 0; k < term->nargs; k++) {
		if (term->arg[k].kind == IR_BLOCK)
			term->arg[k].imm = part_block(s, (uint32_t)term->arg[k].imm);
	}
}

static void load_saved(struct slicer *s, uint32_t save)
{
	const ir_reg *r = s->c->saved[s->part];

	for (uint32_t i = 0; r && r[i]; i++)
		ir_emit_to(&s->b, IR_LD64, r[i], ir_m(save, 8 * (int64_t)i));
}

/* For the next part. */
static void store_saved(struct slicer *s, uint32_t save)
{
	const ir_reg *r = s->c->saved[s->part + 1];

	for (uint32_t i = 0; r && r[i]; i++)
		ir_emit(&s->b, IR_ST64, ir_m(save, 8 * (int64_t)i), ir_r(r[i]));
}

struct ir_func *chain_part(const struct chain *c, struct arena *a, uint32_t i, uint32_t save, uint32_t *next)
{
	uint32_t n = c->from[i + 1] - c->from[i];
	struct slicer s = { .c = c, .part = i, .first = i > 0, .save_block = n + (i > 0) };
	struct ir_func *out;

	ir_prog_init(&s.prog, a);
	out = ir_func_add(&s.prog, c->f->name, c->f->ctx);
	out->nregs = c->f->nregs;
	out->tag = c->f->tag;
	out->task = c->f->task;
	out->tracepoint = c->f->tracepoint;
	s.b = (struct ir_builder){ .prog = &s.prog, .func = out };
	s.ret_block = s.save_block + 1;
	for (uint32_t k = 0; k < s.ret_block; k++)
		ir_newblock(&s.b, NULL);
	if (i > 0) {
		load_saved(&s, save);
		ir_emit(&s.b, IR_JMP, ir_b(1));
	}
	for (uint32_t b = c->from[i]; b < c->from[i + 1]; b++) {
		if (c->reached[b])
			copy_block(&s, b);
	}
	s.b.block = s.save_block;
	if (i + 1 < c->n)
		store_saved(&s, save);
	ir_emit0(&s.b, IR_RET);
	s.b.block = s.ret_block;
	ir_emit0(&s.b, IR_RET);
	*next = i + 1 < c->n ? s.save_block : UINT32_MAX;
	return out;
}
