/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/rewrite.h"

/* A copy of f without its blocks, but with n empty blocks. */
static struct ir_func *func_like(struct arena *a, const struct ir_func *f, uint32_t n)
{
	struct ir_func *out = arena_memdup(a, f, sizeof *f);

	out->blocks.v = arena_calloc(a, n + 1, sizeof *out->blocks.v);
	out->blocks.n = out->blocks.cap = n;
	return out;
}

static void renumber_targets(struct ir_ins *term, const uint32_t *number)
{
	for (unsigned k = 0; k < term->nargs; k++)
		if (term->arg[k].kind == IR_BLOCK)
			term->arg[k].imm = number[term->arg[k].imm];
}

/* Where the piece that starts at `from` ends. The verifier checks a library function at each call, so a call counts as
 * several operations. */
static size_t piece_end(const struct ir_block *k, size_t from, uint32_t most)
{
	enum { CALL = 64 };
	size_t to = from;

	for (uint32_t have = 0; to < k->ins.n && have < most; to++)
		have += ir_opinfo[k->ins.v[to].op].flags & IR_F_RT ? CALL : 1;
	return to;
}

/* Finds the number of the first new block of each old block. Returns how many new blocks there are. */
static uint32_t number_blocks(const struct ir_func *f, uint32_t most, uint32_t *number)
{
	uint32_t n = 0;

	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];
		size_t at = piece_end(k, 0, most);

		number[b] = n++;
		for (; at < k->ins.n; at = piece_end(k, at, most))
			n++;
	}
	return n;
}

const struct ir_func *rewrite_blocks(struct arena *a, const struct ir_func *f, uint32_t most)
{
	uint32_t *number = arena_calloc(a, f->blocks.n + 1, sizeof *number), n = number_blocks(f, most, number);
	struct ir_func *out;

	if (n == f->blocks.n)
		return f;
	out = func_like(a, f, n);
	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *old = &f->blocks.v[b];
		struct ir_block *last = NULL;

		for (size_t from = 0, to; from < old->ins.n; from = to) {
			uint32_t at = last ? (uint32_t)(last + 1 - out->blocks.v) : number[b];

			to = piece_end(old, from, most);
			last = &out->blocks.v[at];
			last->label = from ? NULL : old->label;
			for (size_t i = from; i < to; i++)
				*VEC_ADD(a, &last->ins) = old->ins.v[i];
			if (to < old->ins.n)	/* the old block continues */
				*VEC_ADD(a, &last->ins) = (struct ir_ins){
					.op = IR_JMP, .nargs = 1, .arg = { ir_b(at + 1) }, .loc = old->ins.v[to].loc,
				};
		}
		if (last)
			renumber_targets(&last->ins.v[last->ins.n - 1], number);
	}
	return out;
}

/* ---- registers in memory ---- */
struct mover {
	struct arena *arena;
	struct ir_func *out;
	struct ir_block *to;
	const uint32_t *slot;
	uint32_t obj;
};

static struct ir_arg place_of(const struct mover *m, ir_reg r)
{
	return ir_m(m->obj, 8 * ((int64_t)m->slot[r] - 1));
}

/* Loads *r into a new register, unless r stays in a register or was loaded for this operation already (`done`). */
static void move_read(struct mover *m, ir_reg *r, struct loc loc, ir_reg (*done)[2], unsigned *n)
{
	if (!*r || !m->slot[*r])
		return;
	for (unsigned i = 0; i < *n; i++) {
		if (done[i][0] == *r) {
			*r = done[i][1];
			return;
		}
	}
	done[*n][0] = *r;
	done[*n][1] = ++m->out->nregs;
	*VEC_ADD(m->arena, &m->to->ins) = (struct ir_ins){ .op = IR_LD64, .nargs = 1, .dst = m->out->nregs,
							   .arg = { place_of(m, *r) }, .loc = loc };
	*r = done[(*n)++][1];
}

static void move_ins(struct mover *m, const struct ir_ins *old)
{
	ir_reg done[2 * IR_MAXARGS][2], dst = old->dst;
	struct ir_ins ins = *old;
	unsigned n = 0;

	for (unsigned k = 0; k < ins.nargs; k++) {
		if (ins.arg[k].kind != IR_REG && ins.arg[k].kind != IR_MEM)
			continue;
		move_read(m, &ins.arg[k].reg, ins.loc, done, &n);
		if (ins.arg[k].kind == IR_MEM)
			move_read(m, &ins.arg[k].idx, ins.loc, done, &n);
	}
	if (dst && m->slot[dst])
		ins.dst = ++m->out->nregs;
	*VEC_ADD(m->arena, &m->to->ins) = ins;
	if (ins.dst != dst)
		*VEC_ADD(m->arena, &m->to->ins) = (struct ir_ins){ .op = IR_ST64, .nargs = 2, .loc = ins.loc,
								   .arg = { place_of(m, dst), ir_r(ins.dst) } };
}

struct ir_func *rewrite_registers(struct arena *a, const struct ir_func *f, const uint32_t *slot, uint32_t obj)
{
	struct mover m = { .arena = a, .out = func_like(a, f, (uint32_t)f->blocks.n), .slot = slot, .obj = obj };

	for (size_t b = 0; b < f->blocks.n; b++) {
		m.to = &m.out->blocks.v[b];
		m.to->label = f->blocks.v[b].label;
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++)
			move_ins(&m, &f->blocks.v[b].ins.v[i]);
	}
	return m.out;
}
