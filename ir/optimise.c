/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The optimiser: passes that change blocks, and the order of all passes. */
#include "ir/opt.h"
#include "ir/flow.h"

#include <string.h>

enum { MAX_ROUNDS = 6, DEAD = IR_NOPS };

static struct ir_ins *last_ins(struct ir_block *k)
{
	return &k->ins.v[k->ins.n - 1];
}

/* ---- jumps to jumps ---- */
/* One block with only a ret is enough, because ret may need several instructions. */
void opt_thread(struct opt *o)
{
	struct ir_func *f = o->func;
	uint32_t *final = arena_calloc(&o->mem, f->blocks.n, sizeof *final), ret = 0;

	for (size_t b = f->blocks.n; b-- > 0;) {
		struct ir_block *k = &f->blocks.v[b];
		struct ir_ins *t = last_ins(k);

		for (unsigned i = 0; i < t->nargs; i++) {
			if (t->arg[i].kind != IR_BLOCK || final[t->arg[i].imm] == t->arg[i].imm)
				continue;
			t->arg[i].imm = final[t->arg[i].imm];
			o->changed = true;
		}
		final[b] = (uint32_t)b;
		if (k->ins.n == 1 && t->op == IR_JMP)
			final[b] = (uint32_t)t->arg[0].imm;
		else if (k->ins.n == 1 && t->op == IR_RET)
			final[b] = ret = ret ? ret : (uint32_t)b;
	}
}

/* ---- blocks ---- */
static void count_preds(struct opt *o)
{
	struct ir_func *f = o->func;
	uint32_t out[2];

	memset(o->npreds, 0, f->blocks.n * sizeof *o->npreds);
	o->npreds[0] = 1;	/* the entry */
	for (size_t b = 0; b < f->blocks.n; b++) {
		if (!o->npreds[b])
			continue;
		for (unsigned i = ir_succ(last_ins(&f->blocks.v[b]), out); i; i--)
			o->npreds[out[i - 1]]++;
	}
}

/* Appends blocks that only this one jumps to. They come later and are marked as removed. */
static void merge_into(struct opt *o, struct ir_block *k)
{
	struct ir_func *f = o->func;

	while (last_ins(k)->op == IR_JMP && o->npreds[last_ins(k)->arg[0].imm] == 1) {
		uint32_t next = (uint32_t)last_ins(k)->arg[0].imm;

		k->ins.n--;
		for (size_t i = 0; i < f->blocks.v[next].ins.n; i++)
			*VEC_ADD(o->prog->arena, &k->ins) = f->blocks.v[next].ins.v[i];
		o->npreds[next] = 0;
		o->changed = true;
	}
}

void opt_compact(struct opt *o)
{
	struct ir_func *f = o->func;
	uint32_t *number = arena_calloc(&o->mem, f->blocks.n, sizeof *number), n = 0;

	count_preds(o);
	for (size_t b = 0; b < f->blocks.n; b++) {
		if (!o->npreds[b])
			continue;
		merge_into(o, &f->blocks.v[b]);
		number[b] = n;
		f->blocks.v[n++] = f->blocks.v[b];
	}
	if (n != f->blocks.n)
		o->changed = true;
	f->blocks.n = n;
	for (size_t b = 0; b < n; b++)
		ir_retarget(last_ins(&f->blocks.v[b]), number);
	count_preds(o);
}

/* ---- operations ---- */
struct opt_life {
	uint8_t *read;		/* register -> a later operation reads it */
	uint32_t *killed;	/* register -> block + 1 of a later write without a read before it */
};

static bool dead_ins(struct opt_life *l, struct ir_ins *ins, uint32_t block)
{
	bool self_move = ins->op == IR_MOV && ins->arg[0].kind == IR_REG && ins->arg[0].reg == ins->dst;
	bool wanted = ins->dst && l->read[ins->dst] && l->killed[ins->dst] != block + 1 && !self_move;
	ir_reg use[8];

	if (!wanted && !ir_has_effect(ins))
		return true;
	if (!wanted)
		ins->dst = 0;
	l->killed[ins->dst] = block + 1;
	for (unsigned n = ir_uses(ins, use); n; n--) {
		l->read[use[n - 1]] = 1;
		l->killed[use[n - 1]] = 0;
	}
	return false;
}

static void remove_dead(struct opt *o, struct ir_block *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->ins.n; i++)
		if (k->ins.v[i].op != DEAD)
			k->ins.v[n++] = k->ins.v[i];
	if (n != k->ins.n)
		o->changed = true;
	k->ins.n = n;
}

/* Every branch goes forward, so one backward pass visits each read before the writes that it depends on. */
void opt_dead(struct opt *o)
{
	struct ir_func *f = o->func;
	struct opt_life l = {
		.read = arena_alloc(&o->mem, (size_t)f->nregs + 1),
		.killed = arena_calloc(&o->mem, (size_t)f->nregs + 1, sizeof *l.killed),
	};

	for (size_t b = f->blocks.n; b-- > 0;) {
		struct ir_block *k = &f->blocks.v[b];

		for (size_t i = k->ins.n; i-- > 0;)
			if (dead_ins(&l, &k->ins.v[i], (uint32_t)b))
				k->ins.v[i].op = DEAD;
		remove_dead(o, k);
	}
}

static void count_regs(struct opt *o)
{
	struct ir_func *f = o->func;
	ir_reg use[8];

	memset(o->ndefs, 0, ((size_t)f->nregs + 1) * sizeof *o->ndefs);
	memset(o->nuses, 0, ((size_t)f->nregs + 1) * sizeof *o->nuses);
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++) {
			struct ir_ins *ins = &f->blocks.v[b].ins.v[i];

			o->ndefs[ins->dst]++;
			for (unsigned n = ir_uses(ins, use); n; n--)
				o->nuses[use[n - 1]]++;
		}
	}
}

/* `t = ...; v = mov t`, where t has no other use: the operation writes v itself. */
static void fuse_moves(struct opt *o, struct ir_block *k)
{
	for (size_t i = 1; i < k->ins.n; i++) {
		struct ir_ins *mov = &k->ins.v[i], *from = mov - 1;
		ir_reg t = mov->arg[0].reg;

		if (mov->op != IR_MOV || mov->arg[0].kind != IR_REG || from->op == DEAD || from->dst != t)
			continue;
		if (o->ndefs[t] != 1 || o->nuses[t] != 1 || ir_gives_cell(from->op))
			continue;
		from->dst = mov->dst;
		*mov = *from;
		from->op = DEAD;
	}
	remove_dead(o, k);
}

/* ---- all passes ---- */
static void opt_func(struct ir_prog *p, struct ir_func *f)
{
	struct opt o = { .prog = p, .func = f, .changed = true };
	size_t nregs = (size_t)f->nregs + 1;

	arena_init(&o.mem, p->arena->oom, p->arena->oom_arg);
	o.ndefs = arena_calloc(&o.mem, nregs, sizeof *o.ndefs);
	o.nuses = arena_calloc(&o.mem, nregs, sizeof *o.nuses);
	o.writes = arena_calloc(&o.mem, nregs, sizeof *o.writes);
	o.facts = arena_calloc(&o.mem, nregs, sizeof *o.facts);
	o.npreds = arena_calloc(&o.mem, f->blocks.n, sizeof *o.npreds);
	opt_compact(&o);
	for (unsigned round = 0; o.changed && round < MAX_ROUNDS; round++) {
		o.changed = false;
		count_regs(&o);
		opt_propagate(&o);
		opt_thread(&o);
		opt_compact(&o);
		opt_dead(&o);
		if (!round) {
			count_regs(&o);
			opt_share(&o);
		}
	}
	count_regs(&o);
	for (size_t b = 0; b < f->blocks.n; b++)
		fuse_moves(&o, &f->blocks.v[b]);
	arena_free(&o.mem);
}

void ir_optimise(struct ir_prog *p)
{
	for (size_t i = 0; i < p->funcs.n; i++)
		opt_func(p, p->funcs.v[i]);
}
