/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces operations that read the world by loads from the object "seed".
 *
 * This needs no new blocks: a load with an index out of bounds reads 0. An invalid address becomes such an index, and
 * the failed read then leaves the required zeros.
 */
#include "ir/interp.h"

#include <stddef.h>
#include <string.h>

enum { KMEM = sizeof(((struct ir_seed *)0)->kmem), CTX_WORDS = sizeof(((struct ir_seed *)0)->ctx) / 8 };

struct seeder {
	struct ir_prog *prog;
	struct ir_builder b;	/* its block is rebuilt */
	uint32_t seed;		/* number of the object */
	uint32_t text;		/* object with a string before it is cut at its NUL */
};

/* The offset of the word for an operation that returns a number. */
static const struct {
	uint16_t op, off;
} words[] = {
	{ IR_CLOCK, offsetof(struct ir_seed, clock) }, { IR_PIDTGID, offsetof(struct ir_seed, pidtgid) },
	{ IR_UIDGID, offsetof(struct ir_seed, uidgid) }, { IR_CPU, offsetof(struct ir_seed, cpu) },
	{ IR_TASK, offsetof(struct ir_seed, task) }, { IR_PERFCOUNT, offsetof(struct ir_seed, perfcount) },
	{ IR_STACKDEPTH, offsetof(struct ir_seed, stackdepth) },
	{ IR_CALLERPC, offsetof(struct ir_seed, callerpc) }, { IR_COOKIE, offsetof(struct ir_seed, cookie) },
	{ IR_STATE, offsetof(struct ir_seed, state) },
	{ IR_RANDOM, offsetof(struct ir_seed, random) }, { IR_JIFFIES, offsetof(struct ir_seed, jiffies) },
	{ IR_USTACKDEPTH, offsetof(struct ir_seed, ustackdepth) }, { IR_UREG, offsetof(struct ir_seed, ureg) },
	{ IR_GOID, offsetof(struct ir_seed, goid) },
	{ IR_TURN, offsetof(struct ir_seed, turn) }, { IR_CTX, offsetof(struct ir_seed, ctx) },
};

static void seed_word(struct seeder *s, const struct ir_ins *ins)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		int64_t off = words[i].off;

		if (words[i].op != ins->op)
			continue;
		if (ins->op == IR_CTX)
			off += ins->arg[0].imm / 8 % CTX_WORDS * 8;
		ir_emit_to(&s->b, IR_LD64, ins->dst, ir_m(s->seed, off));
	}
}

/* The index of the first word at `addr` in memory that begins at `base`, or all ones; *bad = 1 if it does not have
 * `room` bytes there. */
static ir_reg word_index(struct seeder *s, struct ir_arg addr, uint64_t base, uint32_t room, ir_reg *bad)
{
	ir_reg off = ir_emit(&s->b, IR_SUB, addr, ir_i((int64_t)base));
	ir_reg odd = ir_emit(&s->b, IR_AND, ir_r(off), ir_i(7));
	ir_reg crooked = ir_emit(&s->b, IR_NE, ir_r(odd), ir_i(0));
	ir_reg outside = room > KMEM ? ir_emit(&s->b, IR_MOV, ir_i(1)) :
			 ir_emit(&s->b, IR_UGT, ir_r(off), ir_i(KMEM - room));
	ir_reg mask, idx;

	*bad = ir_emit(&s->b, IR_OR, ir_r(crooked), ir_r(outside));
	mask = ir_emit(&s->b, IR_NEG, ir_r(*bad));
	idx = ir_emit(&s->b, IR_LSHR, ir_r(off), ir_i(3));
	return ir_emit(&s->b, IR_OR, ir_r(idx), ir_r(mask));
}

/* The word `k` words after the index. */
static ir_reg load_word(struct seeder *s, ir_reg idx, uint32_t k)
{
	int64_t off = (int64_t)offsetof(struct ir_seed, kmem) + k * 8;

	return ir_emit(&s->b, IR_LD64, ir_mx(0, s->seed, off, idx, KMEM / 8 - k));
}

static void store_bytes(struct seeder *s, struct ir_arg to, ir_reg word, uint32_t n)
{
	if (n == 8 && to.imm % 8 == 0) {
		ir_emit(&s->b, IR_ST64, to, ir_r(word));
		return;
	}
	for (uint32_t i = 0; i < n; i++, to.imm++) {
		ir_emit(&s->b, IR_ST8, to, ir_r(word));
		word = ir_emit(&s->b, IR_LSHR, ir_r(word), ir_i(8));
	}
}

/* Copies `n` bytes of kernel memory to `to`; bytes out of bounds read as zeros. */
static void copy_words(struct seeder *s, struct ir_arg to, ir_reg idx, uint32_t n)
{
	ir_emit(&s->b, IR_ZERO, to, ir_i(n));
	for (uint32_t k = 0; k < KMEM / 8 && k * 8 < n; k++) {
		uint32_t left = n - k * 8;
		struct ir_arg at = to;

		at.imm += k * 8;
		store_bytes(s, at, load_word(s, idx, k), left < 8 ? left : 8);
	}
}

static void give_result(struct seeder *s, const struct ir_ins *ins, ir_reg bad)
{
	if (ins->dst)
		ir_emit_to(&s->b, IR_MOV, ins->dst, ir_r(bad));
}

/* Bytes, or a string, of the kernel or of the process. */
static void seed_read(struct seeder *s, const struct ir_ins *ins)
{
	bool string = ins->op == IR_KSTR || ins->op == IR_USTR, user = ins->op == IR_UREAD || ins->op == IR_USTR;
	struct ir_arg to = string ? ir_m(s->text, 0) : ins->arg[0];
	uint32_t n = (uint32_t)ins->arg[1].imm;
	ir_reg bad, idx = word_index(s, ins->arg[2], user ? IR_SEED_UBASE : IR_SEED_KBASE, string ? 1 : n, &bad);

	copy_words(s, to, idx, n);
	if (string)
		ir_emit(&s->b, IR_SCOPY, ins->arg[0], ir_i(n), to, ir_i(n));
	give_result(s, ins, bad);
}

/* Always fails; only the check of the place remains. */
static void seed_fill(struct seeder *s, const struct ir_ins *ins)
{
	struct ir_arg args[5];
	ir_reg bad;

	memcpy(args, ins->arg, sizeof args);
	if (args[4].imm != IR_FILL_SELF)
		args[4] = ir_i(IR_FILL_ZERO);
	bad = ir_emitv(&s->b, IR_FILL, UINT32_MAX, 5, args);
	if (args[4].imm != ins->arg[4].imm)
		bad = ir_emit(&s->b, IR_OR, ir_r(bad), ir_i(1));
	give_result(s, ins, bad);
}

/* The complement of the first address that cannot be read; 0 as long as there is none. */
static ir_reg first_failed(struct seeder *s, ir_reg failed, ir_reg at, ir_reg bad)
{
	ir_reg none = ir_emit(&s->b, IR_NEG, ir_r(ir_emit(&s->b, IR_EQ, ir_r(failed), ir_i(0))));
	ir_reg now = ir_emit(&s->b, IR_AND, ir_r(ir_emit(&s->b, IR_NEG, ir_r(bad))), ir_r(none));

	now = ir_emit(&s->b, IR_AND, ir_r(now), ir_r(ir_emit(&s->b, IR_XOR, ir_r(at), ir_i(-1))));
	return ir_emit(&s->b, IR_OR, ir_r(failed), ir_r(now));
}

static void seed_tread(struct seeder *s, const struct ir_ins *ins)
{
	ir_reg addr = ir_emit(&s->b, IR_LD64, ir_m(s->seed, offsetof(struct ir_seed, task)));
	ir_reg failed = ir_emit(&s->b, IR_MOV, ir_i(0)), bad, idx, at;
	uint32_t n = (uint32_t)ins->arg[1].imm;

	for (unsigned i = 2; i < 2 + IR_TREAD_OFFS && ins->arg[i].imm >= 0; i++) {
		bool last = i + 1 == 2 + IR_TREAD_OFFS || ins->arg[i + 1].imm < 0;

		at = ir_emit(&s->b, IR_ADD, ir_r(addr), ins->arg[i]);
		idx = word_index(s, ir_r(at), IR_SEED_KBASE, last ? n : 8, &bad);
		failed = first_failed(s, failed, at, bad);
		if (last)
			copy_words(s, ins->arg[0], idx, n);
		else
			addr = load_word(s, idx, 0);
	}
	give_result(s, ins, failed);
}

/* A stack of one frame. */
static void seed_stack(struct seeder *s, const struct ir_ins *ins)
{
	int64_t off = (int64_t)offsetof(struct ir_seed, pc) + 8 * ins->arg[2].imm;
	ir_reg pc = ir_emit(&s->b, IR_LD64, ir_m(s->seed, off));

	ir_emit(&s->b, IR_ZERO, ins->arg[0], ins->arg[1]);
	ir_emit(&s->b, IR_ST64, ins->arg[0], ir_r(pc));
	if (ins->dst)
		ir_emit_to(&s->b, IR_MOV, ins->dst, ir_i(1));
}

static void seed_ins(struct seeder *s, const struct ir_ins *ins)
{
	if (!(ir_opinfo[ins->op].flags & IR_F_WORLD) || ins->op == IR_PARAM) {
		ir_emitv(&s->b, ins->op, ins->dst, ins->nargs, ins->arg);
		return;
	}
	switch (ins->op) {
	case IR_COMM:
		ir_emit(&s->b, IR_SCOPY, ins->arg[0], ir_i(16), ir_m(s->seed, offsetof(struct ir_seed, comm)),
			ir_i(16));
		break;
	case IR_STACK:
		seed_stack(s, ins);
		break;
	case IR_KREAD:
	case IR_UREAD:
	case IR_KSTR:
	case IR_USTR:
		seed_read(s, ins);
		break;
	case IR_TREAD:
		seed_tread(s, ins);
		break;
	case IR_FILL:
		seed_fill(s, ins);
		break;
	case IR_CLIMB:
		if (ins->dst)
			ir_emit_to(&s->b, IR_MOV, ins->dst, ir_i(1));
		break;
	case IR_GATHER:		/* likewise */
		ir_emit(&s->b, IR_ZERO, ins->arg[0], ins->arg[1]);
		if (ins->dst)
			ir_emit_to(&s->b, IR_MOV, ins->dst, ir_i(0));
		break;
	case IR_UWRITE:		/* always fails */
		if (ins->dst)
			ir_emit_to(&s->b, IR_MOV, ins->dst, ir_i(1));
		break;
	default:
		seed_word(s, ins);
	}
}

static void seed_block(struct seeder *s, uint32_t block)
{
	struct ir_block *k = &s->b.func->blocks.v[block], old = *k;

	memset(&k->ins, 0, sizeof k->ins);
	s->b.block = block;
	for (size_t i = 0; i < old.ins.n; i++) {
		s->b.loc = old.ins.v[i].loc;
		seed_ins(s, &old.ins.v[i]);
	}
}

static uint32_t need_obj(struct ir_prog *p, const char *name, enum ir_objkind kind, uint32_t size)
{
	int64_t found = ir_obj_find(p, name);

	if (found < 0)
		return ir_obj_add(p, &(struct ir_obj){ .name = name, .kind = kind, .size = size });
	if (p->objs.v[found].size < size)
		p->objs.v[found].size = size;
	return (uint32_t)found;
}

/* The size of the longest string that is read, rounded up to words. */
static uint32_t text_size(const struct ir_prog *p)
{
	uint32_t max = 0;

	for (size_t f = 0; f < p->funcs.n; f++) {
		for (size_t b = 0; b < p->funcs.v[f]->blocks.n; b++) {
			const struct ir_block *k = &p->funcs.v[f]->blocks.v[b];

			for (size_t i = 0; i < k->ins.n; i++)
				if ((k->ins.v[i].op == IR_KSTR || k->ins.v[i].op == IR_USTR) &&
				    k->ins.v[i].arg[1].imm > max)
					max = (uint32_t)k->ins.v[i].arg[1].imm;
		}
	}
	return (max + 7) & ~7u;
}

void ir_seed(struct ir_prog *p)
{
	uint32_t text = text_size(p);
	struct seeder s = { .prog = p, .b.prog = p };

	s.seed = need_obj(p, "seed", IR_O_GLOBAL, sizeof(struct ir_seed));
	if (text)
		s.text = need_obj(p, "seed text", IR_O_TEMP, text);
	for (size_t i = 0; i < p->funcs.n; i++) {
		s.b.func = p->funcs.v[i];
		for (uint32_t b = 0; b < s.b.func->blocks.n; b++)
			seed_block(&s, b);
	}
}
