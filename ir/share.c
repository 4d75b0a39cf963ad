/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares reads of the kernel's memory: a read of the same bytes as an earlier one, which every path to it has passed
 * with success, uses what that one has read.
 *
 * Registers that are written once get a number for their value. Two registers with the same number are equal wherever
 * both are written: their operations and the numbers of their operands are equal (value numbering; Alpern, Wegman and
 * Zadeck, "Detecting equality of variables in programs", 1988). Whether every path passes a block is answered by the
 * tree of dominators (Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001), which one pass finds,
 * because every branch goes forward.
 */
#include "ir/opt.h"

#include <string.h>

enum { MAX_BLOCKS = 1 << 13 };		/* finding dominators may take quadratic time */

enum key_kind { KEY_NONE, KEY_IMM, KEY_VALUE, KEY_PLACE };

/* A computation; equal keys are equal values. */
struct key {
	uint16_t op;
	uint8_t kind[IR_MAXARGS];	/* enum key_kind */
	uint64_t arg[IR_MAXARGS];
};

/* A read that has succeeded in block `good` and in those that it dominates. */
struct done {
	uint32_t good, temp;
	const struct done *next;
};

struct value {
	struct key key;
	const struct done *reads;
};

struct temp {
	uint32_t writes, block;		/* where the write is */
	bool unfit;			/* is read where the write has not been passed */
	bool shared;			/* its bytes are those of object `same` */
	uint32_t same;
};

struct dominators {
	uint32_t *parent, *first, *size;	/* block b dominates those numbered first[b] to first[b] + size[b] */
};

struct share {
	struct opt *o;
	struct dominators tree;
	struct temp *temps;		/* indexed by object */
	uint32_t *number;		/* register -> number of its value; 0: unknown */
	VEC(struct value) values;	/* number - 1 -> value; without a key for one that equals no other */
	uint32_t *slots, mask;		/* hash table of numbers */
};

/* ---- dominators ---- */
static uint32_t common_parent(const uint32_t *parent, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a > b)
			a = parent[a];
		else
			b = parent[b];
	}
	return a;
}

static void find_parents(struct share *s, const struct ir_func *f)
{
	uint32_t out[2], none = (uint32_t)f->blocks.n, *parent = s->tree.parent;

	for (uint32_t b = 1; b < f->blocks.n; b++)
		parent[b] = none;
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];

		for (unsigned i = ir_succ(&k->ins.v[k->ins.n - 1], out); i; i--) {
			uint32_t to = out[i - 1];

			parent[to] = parent[to] == none ? b : common_parent(parent, parent[to], b);
		}
	}
}

/* A parent precedes its children, so sizes add up backward and numbers are given out forward. */
static void find_dominators(struct share *s, const struct ir_func *f)
{
	struct dominators *t = &s->tree;
	uint32_t n = (uint32_t)f->blocks.n, *next = arena_calloc(&s->o->mem, n, sizeof *next);

	t->parent = arena_calloc(&s->o->mem, n, sizeof *t->parent);
	t->first = arena_calloc(&s->o->mem, n, sizeof *t->first);
	t->size = arena_calloc(&s->o->mem, n, sizeof *t->size);
	find_parents(s, f);
	for (uint32_t b = n; b-- > 0;) {
		t->size[b]++;
		if (b)
			t->size[t->parent[b]] += t->size[b];
	}
	next[0] = 1;
	for (uint32_t b = 1; b < n; b++) {
		t->first[b] = next[t->parent[b]];
		next[t->parent[b]] += t->size[b];
		next[b] = t->first[b] + 1;
	}
}

static bool block_dominates(const struct share *s, uint32_t a, uint32_t b)
{
	return s->tree.first[b] - s->tree.first[a] < s->tree.size[a];
}

/* ---- temporary memory ---- */
static bool is_temp(const struct share *s, const struct ir_arg *a)
{
	return (a->kind == IR_MEM || a->kind == IR_OBJ) && s->o->prog->objs.v[a->obj].kind == IR_O_TEMP;
}

static void look_at_place(struct share *s, uint32_t block, const struct ir_ins *ins, unsigned i)
{
	const struct ir_arg *a = &ins->arg[i];
	struct temp *t = &s->temps[a->obj];

	if (a->kind == IR_OBJ || a->idx || (!t->writes && !ir_place_written(ins, i)))
		t->unfit = true;
	if (ir_place_written(ins, i)) {
		t->writes++;
		t->block = block;
	} else if (!t->unfit && !block_dominates(s, t->block, block)) {
		t->unfit = true;
	}
}

static void look_at_temps(struct share *s, const struct ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++)
			for (unsigned k = 0; k < f->blocks.v[b].ins.v[i].nargs; k++)
				if (is_temp(s, &f->blocks.v[b].ins.v[i].arg[k]))
					look_at_place(s, b, &f->blocks.v[b].ins.v[i], k);
}

/* The place belongs to memory that is written once, before every read. */
static bool is_fit(const struct share *s, const struct ir_arg *a)
{
	return a->kind == IR_MEM && is_temp(s, a) && s->temps[a->obj].writes == 1 && !s->temps[a->obj].unfit;
}

/* ---- numbers of values ---- */
static bool key_arg(const struct share *s, struct key *k, unsigned i, const struct ir_arg *a)
{
	if (a->kind == IR_IMM) {
		k->kind[i] = KEY_IMM;
		k->arg[i] = (uint64_t)a->imm;
	} else if (a->kind == IR_REG && s->number[a->reg]) {
		k->kind[i] = KEY_VALUE;
		k->arg[i] = s->number[a->reg];
	} else if (is_fit(s, a)) {
		k->kind[i] = KEY_PLACE;
		k->arg[i] = (uint64_t)a->obj << 32 | (uint32_t)a->imm;
	}
	return k->kind[i] != KEY_NONE;
}

/* The key of an operation without its first `skip` operands. Returns false if it has none. */
static bool key_of(const struct share *s, const struct ir_ins *ins, unsigned skip, struct key *k)
{
	memset(k, 0, sizeof *k);
	k->op = ins->op;
	for (unsigned i = skip; i < ins->nargs; i++)
		if (!key_arg(s, k, i, &ins->arg[i]))
			return false;
	return true;
}

static uint32_t hash_of_key(const struct key *k)
{
	uint64_t h = k->op;

	for (unsigned i = 0; i < IR_MAXARGS; i++)
		h = (h ^ k->arg[i]) * 0x9e3779b97f4a7c15u + k->kind[i];
	return (uint32_t)(h >> 32);
}

static uint32_t number_new(struct share *s)
{
	*VEC_ADD(&s->o->mem, &s->values) = (struct value){ 0 };
	return (uint32_t)s->values.n;
}

static uint32_t number_of(struct share *s, const struct key *k)
{
	uint32_t at = hash_of_key(k) & s->mask;

	for (; s->slots[at]; at = (at + 1) & s->mask)
		if (!memcmp(&s->values.v[s->slots[at] - 1].key, k, sizeof *k))
			return s->slots[at];
	s->slots[at] = number_new(s);
	s->values.v[s->slots[at] - 1].key = *k;
	return s->slots[at];
}

static bool is_pure(const struct share *s, const struct ir_ins *ins)
{
	if (ir_opinfo[ins->op].flags & IR_F_MEM)
		return !ir_has_effect(ins) && is_fit(s, &ins->arg[0]);
	return ir_opinfo[ins->op].flags & (IR_F_ALU | IR_F_UN | IR_F_COND) || ins->op == IR_CTX ||
	       opt_is_steady(ins->op);
}

static void number_ins(struct share *s, const struct ir_ins *ins)
{
	struct key k;

	if (!ins->dst || s->o->ndefs[ins->dst] != 1)
		return;
	if (ins->op == IR_MOV && ins->arg[0].kind == IR_REG && s->number[ins->arg[0].reg])
		s->number[ins->dst] = s->number[ins->arg[0].reg];
	else
		s->number[ins->dst] = is_pure(s, ins) && key_of(s, ins, 0, &k) ? number_of(s, &k) : number_new(s);
}

/* ---- reads ---- */
/* The block that follows a read in block b only if it succeeds; 0: none. */
static uint32_t block_after_success(const struct share *s, uint32_t b, const struct ir_ins *read)
{
	const struct ir_block *k = &s->o->func->blocks.v[b];
	const struct ir_ins *t = &k->ins.v[k->ins.n - 1];
	uint32_t yes, no;

	if ((t->op != IR_BEQ && t->op != IR_BNE) || t->arg[0].kind != IR_REG || t->arg[0].reg != read->dst ||
	    t->arg[1].kind != IR_IMM || t->arg[1].imm || s->o->ndefs[read->dst] != 1)
		return 0;
	yes = (uint32_t)t->arg[t->op == IR_BEQ ? 2 : 3].imm;
	no = (uint32_t)t->arg[t->op == IR_BEQ ? 3 : 2].imm;
	return yes != no && s->o->npreds[yes] == 1 ? yes : 0;
}

static void share_read(struct share *s, uint32_t b, struct ir_ins *ins)
{
	uint32_t temp = ins->arg[0].obj, good = block_after_success(s, b, ins), number;
	const struct done *earlier;
	struct done *read;
	struct value *value;
	struct key k;

	if (!good || !is_fit(s, &ins->arg[0]) || ins->arg[0].imm || !key_of(s, ins, 1, &k))
		return;
	number = number_of(s, &k);
	value = &s->values.v[number - 1];
	for (earlier = value->reads; earlier && !block_dominates(s, earlier->good, b); earlier = earlier->next)
		;
	if (earlier) {
		s->temps[temp].shared = s->o->changed = true;
		s->temps[temp].same = earlier->temp;
		*ins = (struct ir_ins){
			.op = IR_MOV, .nargs = 1, .dst = ins->dst, .arg = { ir_i(0) }, .loc = ins->loc,
		};
		return;
	}
	read = arena_alloc(&s->o->mem, sizeof *read);
	*read = (struct done){ good, temp, value->reads };
	value->reads = read;
}

static void share_ins(struct share *s, uint32_t b, struct ir_ins *ins)
{
	for (unsigned i = 0; i < ins->nargs; i++)
		if (is_temp(s, &ins->arg[i]) && s->temps[ins->arg[i].obj].shared)
			ins->arg[i].obj = s->temps[ins->arg[i].obj].same;
	if (ins->op == IR_KREAD || ins->op == IR_TREAD)
		share_read(s, b, ins);
	number_ins(s, ins);
}

static size_t count_reads(const struct ir_func *f, size_t *ins)
{
	size_t n = 0;

	*ins = 0;
	for (size_t b = 0; b < f->blocks.n; b++)
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++, ++*ins)
			n += f->blocks.v[b].ins.v[i].op == IR_KREAD || f->blocks.v[b].ins.v[i].op == IR_TREAD;
	return n;
}

void opt_share(struct opt *o)
{
	struct share s = { .o = o };
	size_t ins;

	if (o->func->blocks.n > MAX_BLOCKS || count_reads(o->func, &ins) < 2)
		return;
	for (s.mask = 64; s.mask < 2 * ins; s.mask *= 2)
		;
	s.slots = arena_calloc(&o->mem, s.mask--, sizeof *s.slots);
	s.temps = arena_calloc(&o->mem, o->prog->objs.n, sizeof *s.temps);
	s.number = arena_calloc(&o->mem, (size_t)o->func->nregs + 1, sizeof *s.number);
	find_dominators(&s, o->func);
	look_at_temps(&s, o->func);
	for (uint32_t b = 0; b < o->func->blocks.n; b++)
		for (size_t i = 0; i < o->func->blocks.v[b].ins.n; i++)
			share_ins(&s, b, &o->func->blocks.v[b].ins.v[i]);
}
