/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/chain.h"

#include <string.h>

#include "engine/bpf/regalloc.h"

/* Where the function mentions a register. */
struct chain_span {
	uint32_t first, last;	/* blocks that mention it; first = UINT32_MAX: none */
	bool cell;		/* it holds a pointer at some point, which cannot be stored in memory */
};

static const struct ir_ins *terminator(const struct ir_func *f, uint32_t b)
{
	return &f->blocks.v[b].ins.v[f->blocks.v[b].ins.n - 1];
}

static bool only_returns(const struct ir_func *f, uint32_t b)
{
	return f->blocks.v[b].ins.n == 1 && f->blocks.v[b].ins.v[0].op == IR_RET;
}

static void mention(struct chain_span *s, uint32_t b)
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
				mention(&s[use[n]], b);
			if (ins->dst)
				mention(&s[ins->dst], b);
			for (unsigned k = 0; k < ins->nargs; k++) {
				if (ins->arg[k].kind == IR_MEM && ins->arg[k].reg)
					s[ins->arg[k].reg].cell = true;
			}
		}
	}
	return s;
}

/* live[b * n + k]: candidate k is live into block b. Computed backwards, down to block `cut`. */
static bool *live_into(struct arena *a, const struct ir_func *f, const bool *reached, uint32_t cut,
		       const uint32_t *index, uint32_t n)
{
	bool *live = arena_calloc(a, (f->blocks.n - cut) * n + 1, sizeof *live);

	for (uint32_t b = (uint32_t)f->blocks.n; b-- > cut;) {
		bool *mine = &live[(b - cut) * n];
		uint32_t succ[2];

		if (!reached[b])
			continue;
		for (unsigned s = ir_succ(terminator(f, b), succ); s-- > 0;) {
			for (uint32_t k = 0; k < n; k++)
				mine[k] |= live[(succ[s] - cut) * n + k];
		}
		for (size_t i = f->blocks.v[b].ins.n; i-- > 0;) {
			const struct ir_ins *ins = &f->blocks.v[b].ins.v[i];
			ir_reg use[8];

			if (ins->dst && index[ins->dst])
				mine[index[ins->dst] - 1] = false;
			for (unsigned u = ir_uses(ins, use); u-- > 0;) {
				if (index[use[u]])
					mine[index[use[u]] - 1] = true;
			}
		}
	}
	return live;
}

/* The registers that are live into block `cut`, terminated by 0; NULL if one is a pointer or there are too many. */
static ir_reg *live_regs(struct arena *a, const struct ir_func *f, const bool *reached, uint32_t cut,
			 const struct chain_span *spans, uint32_t *index)
{
	enum { MANY = 64 };
	ir_reg *out = arena_calloc(a, MANY + 1, sizeof *out), cand[MANY];
	uint32_t n = 0, kept = 0;
	bool *live, ok = true;

	for (ir_reg r = 1; r <= f->nregs; r++) {
		if (spans[r].first == UINT32_MAX || spans[r].first >= cut || spans[r].last < cut)
			continue;
		if (n == MANY)
			ok = false;
		else
			cand[n++] = r;
	}
	for (uint32_t k = 0; k < n; k++)
		index[cand[k]] = k + 1;
	live = live_into(a, f, reached, cut, index, n);
	for (uint32_t k = 0; k < n; k++) {
		index[cand[k]] = 0;
		if (live[k])
			out[kept++] = cand[k];
		ok &= !live[k] || !spans[cand[k]].cell;
	}
	return ok ? out : NULL;
}

struct planner {
	struct chain *c;
	struct arena *a;
	const struct ir_func *f;
	const bool *reached;
	const struct chain_span *spans;
	uint32_t *index;
	uint32_t *seen;		/* by map: part + 1 that last named it */
};

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

enum { RETRY = 1024, RETRY_MAPS = 4 };

/* The cost of the current part. */
struct have {
	uint32_t insns, branches, maps;
};

static bool is_enough(const struct have *h, uint32_t insns, uint32_t branches)
{
	return h->insns >= insns || h->branches >= branches || h->maps >= CHAIN_MAPS;
}

/* Cuts before block b if possible. If not, tries again only some blocks later: trying every block would take too
 * long. */
static void try_cut(struct planner *p, struct have *h, uint32_t b, uint32_t insns)
{
	ir_reg *regs = live_regs(p->a, p->f, p->reached, b, p->spans, p->index);

	if (regs)
		add_cut(p, b, regs);
	h->insns = regs || insns < RETRY ? 0 : insns - RETRY;
	h->branches = 0;
	h->maps = regs ? 0 : CHAIN_MAPS - RETRY_MAPS;
}

/* Visits the blocks in order. Once a part is expensive enough, cuts at the next block that no open branch jumps
 * over. */
static void find_cuts(struct planner *p, const struct block_cost *cost, uint32_t insns, uint32_t branches)
{
	struct have h = { 0 };
	uint32_t far = 0;

	for (uint32_t b = 0; b < p->f->blocks.n; b++) {
		uint32_t succ[2];

		if (!p->reached[b])
			continue;
		if (is_enough(&h, insns, branches) && far <= b && !only_returns(p->f, b) && p->c->n < CHAIN_MAX)
			try_cut(p, &h, b, insns);
		h.insns += cost[b].insns;
		h.branches += cost[b].branches;
		h.maps += new_maps(p, &cost[b]);
		for (unsigned s = ir_succ(terminator(p->f, b), succ); s-- > 0;) {
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

void chain_plan(struct chain *c, struct arena *a, const struct ir_func *f, const bool *reached,
		const struct block_cost *cost, uint32_t nmaps, uint32_t want)
{
	struct planner p = { .c = c, .a = a, .f = f, .reached = reached };
	uint32_t insns = 0, branches = 0, maps = 0;

	*c = (struct chain){ 0 };
	c->from = arena_calloc(a, CHAIN_MAX + 1, sizeof *c->from);
	c->cut = arena_calloc(a, CHAIN_MAX + 1, sizeof *c->cut);
	c->saved = arena_calloc(a, CHAIN_MAX + 1, sizeof *c->saved);
	c->n = 1;
	p.seen = arena_calloc(a, nmaps + 1, sizeof *p.seen);
	for (size_t b = 0; b < f->blocks.n; b++) {
		insns += cost[b].insns;
		branches += cost[b].branches;
		maps += new_maps(&p, &cost[b]);
	}
	if (insns > 2 * want || branches > 2 * CHAIN_BRANCHES || maps > CHAIN_MAPS) {
		memset(p.seen, 0, nmaps * sizeof *p.seen);
		/* if that makes too many parts: fewer and larger ones */
		insns = insns / (CHAIN_MAX - 1) > want ? insns / (CHAIN_MAX - 1) : want;
		branches = branches / (CHAIN_MAX - 1) > CHAIN_BRANCHES ? branches / (CHAIN_MAX - 1) : CHAIN_BRANCHES;
		p.spans = scan_spans(a, f, reached);
		p.index = arena_calloc(a, f->nregs + 1, sizeof *p.index);
		find_cuts(&p, cost, insns, branches);
	}
	c->from[c->n] = (uint32_t)f->blocks.n;
	find_positions(&p);
}

/* ---- parts ---- */
struct slicer {
	struct ir_prog prog;	/* only its arena is used */
	struct ir_builder b;
	const struct chain *c;
	const struct ir_func *f;
	uint32_t part, first, save_block, ret_block;
};

/* The number that block b of the whole function has in the part. */
static uint32_t renumbered(const struct slicer *s, uint32_t b)
{
	if (b < s->c->from[s->part + 1])
		return b - s->c->from[s->part] + s->first;
	return b == s->c->from[s->part + 1] ? s->save_block : s->ret_block;
}

static void copy_block(struct slicer *s, uint32_t b)
{
	const struct ir_block *old = &s->f->blocks.v[b];
	struct ir_ins *term;

	s->b.block = renumbered(s, b);
	for (size_t i = 0; i < old->ins.n; i++)
		*VEC_ADD(s->prog.arena, &s->b.func->blocks.v[s->b.block].ins) = old->ins.v[i];
	term = &s->b.func->blocks.v[s->b.block].ins.v[old->ins.n - 1];
	for (unsigned k = 0; k < term->nargs; k++) {
		if (term->arg[k].kind == IR_BLOCK)
			term->arg[k].imm = renumbered(s, (uint32_t)term->arg[k].imm);
	}
}

static void move_saved(struct slicer *s, uint32_t part, uint32_t save, bool store)
{
	const ir_reg *r = s->c->saved[part];

	for (uint32_t i = 0; r && r[i]; i++) {
		if (store)
			ir_emit(&s->b, IR_ST64, ir_m(save, 8 * (int64_t)i), ir_r(r[i]));
		else
			ir_emit_to(&s->b, IR_LD64, r[i], ir_m(save, 8 * (int64_t)i));
	}
}

struct ir_func *chain_part(const struct chain *c, struct arena *a, const struct ir_func *f, const bool *reached,
			   uint32_t i, uint32_t save, uint32_t *next)
{
	uint32_t n = c->from[i + 1] - c->from[i];
	struct slicer s = { .c = c, .f = f, .part = i, .first = i > 0, .save_block = n + (i > 0) };
	struct ir_func *out;

	ir_prog_init(&s.prog, a);
	out = ir_func_add(&s.prog, f->name, f->ctx);
	out->nregs = f->nregs;
	out->tag = f->tag;
	out->task = f->task;
	out->tracepoint = f->tracepoint;
	s.b = (struct ir_builder){ .prog = &s.prog, .func = out };
	s.ret_block = s.save_block + 1;
	for (uint32_t k = 0; k < s.ret_block; k++)
		ir_newblock(&s.b, NULL);
	if (i > 0) {
		move_saved(&s, i, save, false);
		ir_emit(&s.b, IR_JMP, ir_b(1));
	}
	for (uint32_t b = c->from[i]; b < c->from[i + 1]; b++) {
		if (reached[b])
			copy_block(&s, b);
	}
	s.b.block = s.save_block;
	if (i + 1 < c->n)
		move_saved(&s, i + 1, save, true);
	ir_emit0(&s.b, IR_RET);
	s.b.block = s.ret_block;
	ir_emit0(&s.b, IR_RET);
	*next = i + 1 < c->n ? s.save_block : UINT32_MAX;
	return out;
}
