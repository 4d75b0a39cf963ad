/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks on every path that each register is written before it is read, and that each cell was compared with 0.
 *
 * Sets of registers for each block would be quadratic in the size of a script. Instead, each use that its own block
 * does not satisfy is followed back through the predecessors until a write satisfies it. Registers are short-lived, so
 * these searches are short. All uses of one register share one search.
 */
#include "ir/flow.h"

#include <string.h>

enum { NO_OBJ = UINT32_MAX, BUDGET = 1 << 25 };

enum need { NEED_CELL, NEED_CHECKED, NEED_KINDS };	/* a cell of the object; one that cannot be 0 */

struct flow_place {
	uint32_t block, ins;
};

struct use {
	ir_reg reg;
	uint32_t obj;		/* object of the cell; NO_OBJ: any register value is valid */
	struct flow_place at;
};

struct todo {
	uint32_t block;
	enum need need;
};

struct ir_flow {
	const struct ir_prog *prog;
	const struct ir_func *func;
	struct diags *diags;
	struct arena mem;
	uint32_t *pred_start, *pred;	/* predecessors of block b: pred[pred_start[b]] .. pred[pred_start[b + 1]] */
	uint32_t *def_start;		/* likewise for writes of a register, in order */
	struct flow_place *def;
	VEC(struct use) uses;
	uint32_t *use_start;
	const struct use **use;		/* sorted by register */
	uint8_t *holds_cell;		/* register -> some write of it is a cell */
	uint32_t *seen[NEED_KINDS];	/* block -> last search that visited it */
	uint32_t walk;
	struct todo *todo;
	size_t ntodo;
	long budget;
};

bool ir_gives_place(enum ir_op op)
{
	return op == IR_CELL0 || op == IR_CELLN;
}

bool ir_gives_cell(enum ir_op op)
{
	return op == IR_CELL || ir_gives_place(op) || op == IR_DYN || op == IR_TLS;
}

static const struct ir_ins *ins_at(const struct ir_flow *fl, struct flow_place at)
{
	return &fl->func->blocks.v[at.block].ins.v[at.ins];
}

static const struct ir_ins *last_ins(const struct ir_flow *fl, uint32_t block)
{
	const struct ir_block *k = &fl->func->blocks.v[block];

	return &k->ins.v[k->ins.n - 1];
}

static void report_use(struct ir_flow *fl, const struct use *u, const char *what)
{
	const struct ir_ins *ins = ins_at(fl, u->at);

	diag(fl->diags, ins->loc, D_BPF, "%s: b%u: %s: r%u %s", fl->func->name, (unsigned)u->at.block,
	     ir_opinfo[ins->op].text, (unsigned)u->reg, what);
}

/* ---- tables ---- */
/* Turns counts at [i + 1] into starts at [i + 1]; filling the table then advances each to the start of the next. */
static void counts_to_starts(uint32_t *start, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 1; i <= n; i++) {
		uint32_t c = start[i];

		start[i] = sum;
		sum += c;
	}
}

static void tables_preds(struct ir_flow *fl)
{
	size_t n = fl->func->blocks.n;
	uint32_t out[2];

	fl->pred_start = arena_calloc(&fl->mem, n + 1, sizeof *fl->pred_start);
	fl->pred = arena_calloc(&fl->mem, 2 * n, sizeof *fl->pred);
	for (uint32_t b = 0; b < n; b++)
		for (unsigned i = ir_succ(last_ins(fl, b), out); i; i--)
			fl->pred_start[out[i - 1] + 1]++;
	counts_to_starts(fl->pred_start, n);
	for (uint32_t b = 0; b < n; b++)
		for (unsigned i = ir_succ(last_ins(fl, b), out); i; i--)
			fl->pred[fl->pred_start[out[i - 1] + 1]++] = b;
}

static void tables_defs(struct ir_flow *fl)
{
	const struct ir_func *f = fl->func;
	size_t n = 0;

	fl->def_start = arena_calloc(&fl->mem, (size_t)f->nregs + 2, sizeof *fl->def_start);
	fl->holds_cell = arena_alloc(&fl->mem, (size_t)f->nregs + 1);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		for (uint32_t i = 0; i < f->blocks.v[b].ins.n; i++, n++) {
			const struct ir_ins *ins = &f->blocks.v[b].ins.v[i];

			fl->def_start[ins->dst + 1]++;
			fl->holds_cell[ins->dst] |= ir_gives_cell(ins->op);
		}
	}
	fl->holds_cell[0] = 0;
	counts_to_starts(fl->def_start, (size_t)f->nregs + 1);
	fl->def = arena_calloc(&fl->mem, n, sizeof *fl->def);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (uint32_t i = 0; i < f->blocks.v[b].ins.n; i++)
			fl->def[fl->def_start[f->blocks.v[b].ins.v[i].dst + 1]++] = (struct flow_place){ b, i };
}

struct local {
	uint32_t *written, *noted;	/* register -> block + 1 of its last write, of its last noted use */
};

static void note_use(struct ir_flow *fl, const struct local *lo, ir_reg r, uint32_t obj, struct flow_place at)
{
	if (obj == NO_OBJ) {
		if (lo->written[r] == at.block + 1 || lo->noted[r] == at.block + 1)
			return;
		lo->noted[r] = at.block + 1;
	}
	*VEC_ADD(&fl->mem, &fl->uses) = (struct use){ r, obj, at };
}

/* An address must not be used as data: it differs between runs and between engines. */
static bool compares_with_0(const struct ir_ins *ins)
{
	return (ins->op == IR_EQ || ins->op == IR_NE || ins->op == IR_BEQ || ins->op == IR_BNE) &&
	       ((ins->arg[0].kind == IR_IMM && !ins->arg[0].imm) || (ins->arg[1].kind == IR_IMM && !ins->arg[1].imm));
}

static void note_uses(struct ir_flow *fl, const struct local *lo, struct flow_place at)
{
	const struct ir_ins *ins = ins_at(fl, at);

	for (unsigned i = 0; i < ins->nargs; i++) {
		const struct ir_arg *a = &ins->arg[i];
		ir_reg r = a->kind == IR_REG ? a->reg : a->kind == IR_MEM ? a->idx : 0;
		struct use u = { r, NO_OBJ, at };

		if (r && fl->holds_cell[r] && !compares_with_0(ins))
			report_use(fl, &u, "is a cell and may only be compared with 0");
		if (r)
			note_use(fl, lo, r, NO_OBJ, at);
		if (a->kind == IR_MEM && a->reg)
			note_use(fl, lo, a->reg, a->obj, at);
	}
}

static void tables_uses(struct ir_flow *fl)
{
	const struct ir_func *f = fl->func;
	struct local lo = {
		.written = arena_calloc(&fl->mem, (size_t)f->nregs + 1, sizeof *lo.written),
		.noted = arena_calloc(&fl->mem, (size_t)f->nregs + 1, sizeof *lo.noted),
	};

	for (uint32_t b = 0; b < f->blocks.n; b++) {
		for (uint32_t i = 0; i < f->blocks.v[b].ins.n; i++) {
			note_uses(fl, &lo, (struct flow_place){ b, i });
			lo.written[f->blocks.v[b].ins.v[i].dst] = b + 1;
		}
	}
	fl->use_start = arena_calloc(&fl->mem, (size_t)f->nregs + 2, sizeof *fl->use_start);
	fl->use = arena_calloc(&fl->mem, fl->uses.n, sizeof *fl->use);
	for (size_t i = 0; i < fl->uses.n; i++)
		fl->use_start[fl->uses.v[i].reg + 1]++;
	counts_to_starts(fl->use_start, (size_t)f->nregs + 1);
	for (size_t i = 0; i < fl->uses.n; i++)
		fl->use[fl->use_start[fl->uses.v[i].reg + 1]++] = &fl->uses.v[i];
}

/* The last write of a register in block at.block before at.ins, or NULL. */
static const struct ir_ins *write_before(const struct ir_flow *fl, ir_reg r, struct flow_place at)
{
	uint32_t lo = fl->def_start[r], hi = fl->def_start[r + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct flow_place *d = &fl->def[mid];

		if (d->block < at.block || (d->block == at.block && d->ins < at.ins))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == fl->def_start[r] || fl->def[lo - 1].block != at.block)
		return NULL;
	return ins_at(fl, fl->def[lo - 1]);
}

/* ---- backward search ---- */
/* True if this terminator only branches to `to` when r is not 0. */
static bool edge_checks(const struct ir_ins *term, ir_reg r, uint32_t to)
{
	unsigned yes = term->op == IR_BNE ? 2 : 3;

	if (term->op != IR_BEQ && term->op != IR_BNE)
		return false;
	if (!compares_with_0(term) || (term->arg[0].reg != r && term->arg[1].reg != r))
		return false;
	return term->arg[yes].imm == to && term->arg[5 - yes].imm != to;
}

static bool write_will_do(const struct ir_ins *def, const struct use *u, enum need need)
{
	return u->obj == NO_OBJ || (ir_gives_cell(def->op) && def->arg[0].obj == u->obj &&
				    (need == NEED_CELL || ir_gives_place(def->op)));
}

static void walk_to(struct ir_flow *fl, uint32_t block, enum need need)
{
	fl->seen[need][block] = fl->walk;
	fl->todo[fl->ntodo++] = (struct todo){ block, need };
}

/* Continues from `from` to one predecessor. Returns false if a write there contradicts the use. */
static bool walk_back(struct ir_flow *fl, const struct use *u, struct todo from, uint32_t pred)
{
	const struct ir_ins *term = last_ins(fl, pred), *def;
	enum need need = from.need;

	if (need == NEED_CHECKED && edge_checks(term, u->reg, from.block))
		need = NEED_CELL;
	if (fl->seen[need][pred] == fl->walk)
		return true;
	def = write_before(fl, u->reg, (struct flow_place){ pred, UINT32_MAX });
	if (def)
		return write_will_do(def, u, need);
	walk_to(fl, pred, need);
	return true;
}

static bool search_back(struct ir_flow *fl, const struct use *u)
{
	fl->ntodo = 0;
	if (fl->seen[NEED_CHECKED][u->at.block] != fl->walk)
		walk_to(fl, u->at.block, NEED_CHECKED);
	while (fl->ntodo && fl->budget > 0) {
		struct todo t = fl->todo[--fl->ntodo];

		if (t.block == 0)
			return false;
		for (uint32_t i = fl->pred_start[t.block]; i < fl->pred_start[t.block + 1]; i++) {
			fl->budget--;
			if (!walk_back(fl, u, t, fl->pred[i]))
				return false;
		}
	}
	return true;
}

/* All uses of a register with the same object share one search: it does not visit a block twice. */
static void check_reg(struct ir_flow *fl, ir_reg r)
{
	uint32_t obj = NO_OBJ;

	fl->walk++;
	for (uint32_t i = fl->use_start[r]; i < fl->use_start[r + 1]; i++) {
		const struct use *u = fl->use[i];
		const struct ir_ins *def = u->obj == NO_OBJ ? NULL : write_before(fl, u->reg, u->at);

		if (u->obj != obj)
			fl->walk++;
		obj = u->obj;
		fl->budget--;
		if (def ? write_will_do(def, u, NEED_CHECKED) : search_back(fl, u))
			continue;
		report_use(fl, u, obj == NO_OBJ ? "is not written on every path" :
			   "is not, on every path, a cell of this object that was compared with 0");
		fl->walk++;
	}
}

void ir_flow_check(const struct ir_prog *p, const struct ir_func *f, struct diags *d)
{
	struct ir_flow fl = { .prog = p, .func = f, .diags = d, .budget = BUDGET };

	arena_init(&fl.mem, p->arena->oom, p->arena->oom_arg);
	tables_preds(&fl);
	tables_defs(&fl);
	tables_uses(&fl);
	for (unsigned i = 0; i < NEED_KINDS; i++)
		fl.seen[i] = arena_calloc(&fl.mem, f->blocks.n, sizeof *fl.seen[i]);
	fl.todo = arena_calloc(&fl.mem, NEED_KINDS * f->blocks.n, sizeof *fl.todo);
	for (ir_reg r = 1; r <= f->nregs && fl.budget > 0; r++)
		check_reg(&fl, r);
	if (fl.budget <= 0)
		diag(d, (struct loc){ 0 }, D_LIMIT, "%s: too large to be checked", f->name);
	arena_free(&fl.mem);
}
