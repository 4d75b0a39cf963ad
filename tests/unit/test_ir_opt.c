/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random programs mean the same before and after: optimising, seeding, printing and parsing.
 * The generator is seeded with fixed numbers, so a failure comes again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "tests/ir/world.h"
#include "tests/lib/random.h"

enum { PROGRAMS = 4000, MAXVARS = 8, MAXBLOCKS = 16 };

struct opt_gen {
	uint64_t state;
	struct arena a;
	struct ir_prog p;
	struct ir_builder b;
	uint32_t g, loc, tmp, rec, con, agg, agg0, dyn, thr;
	ir_reg var[MAXVARS];	/* written everywhere */
	ir_reg fix[MAXVARS];	/* written once, in the entry block */
	uint32_t block[MAXBLOCKS];
	unsigned nvars, nblocks, at;
};

static uint32_t rnd(struct opt_gen *g, uint32_t n)
{
	return (uint32_t)random_below(&g->state, n);
}

static const int64_t numbers[] = {
	0, 0, 0, 1, 1, 2, 3, 7, 8, 16, 31, 63, 64, 127, 128, 255, 256, 4096, 32767, 32768, 65535, 65536, INT32_MAX,
	1ll << 31,
	UINT32_MAX, 1ll << 32,
	INT64_MAX, INT64_MIN, -1, -2, -8, -128, INT32_MIN,
};

static int64_t number(struct opt_gen *g)
{
	return numbers[rnd(g, sizeof numbers / sizeof *numbers)];
}

static ir_reg some_reg(struct opt_gen *g)
{
	return rnd(g, 3) ? g->var[rnd(g, g->nvars)] : g->fix[rnd(g, g->nvars)];
}

static struct ir_arg value(struct opt_gen *g)
{
	return rnd(g, 3) ? ir_r(some_reg(g)) : ir_i(number(g));
}

static uint32_t memory(struct opt_gen *g, bool write)
{
	const uint32_t objs[] = { g->g, g->loc, g->tmp, g->rec, g->con };

	return objs[rnd(g, write ? 4 : 5)];
}

/* An aligned place of n bytes in an object of 64; sometimes indexed. */
static struct ir_arg place(struct opt_gen *g, bool write, unsigned n)
{
	struct ir_arg a = ir_m(memory(g, write), rnd(g, 64 / n) * n);

	if (rnd(g, 5) == 0 && a.imm <= 56) {
		a.idx = some_reg(g);
		a.lim = 1 + rnd(g, (64 - (uint32_t)a.imm) / 8);
	}
	return a;
}

static struct ir_arg plain(struct opt_gen *g, bool write, uint32_t n)
{
	return ir_m(memory(g, write), 8 * rnd(g, (64 - n) / 8 + 1));
}

/* ---- operations ---- */
static void gen_alu(struct opt_gen *g)
{
	enum ir_op op;

	do
		op = (enum ir_op)rnd(g, IR_NOPS);
	while (!(ir_opinfo[op].flags & (IR_F_ALU | IR_F_UN | IR_F_COND)) || ir_opinfo[op].flags & IR_F_TERM);
	if (ir_opinfo[op].flags & IR_F_UN)
		ir_emit_to(&g->b, op, g->var[rnd(g, g->nvars)], value(g));
	else
		ir_emit_to(&g->b, op, g->var[rnd(g, g->nvars)], value(g), value(g));
}

static void gen_move(struct opt_gen *g)
{
	ir_emit_to(&g->b, IR_MOV, g->var[rnd(g, g->nvars)], value(g));
}

/* What the lowering of an expression looks like: a fresh register, moved to where it is wanted. */
static void gen_fresh(struct opt_gen *g)
{
	ir_reg t = ir_emit(&g->b, (enum ir_op)(IR_EQ + rnd(g, 10)), value(g), value(g));
	ir_reg u = ir_emit(&g->b, rnd(g, 2) ? IR_EQ : IR_NE, ir_r(t), ir_i(0));
	ir_reg v = ir_emit(&g->b, rnd(g, 2) ? IR_ZEXT8 : IR_SEXT8, ir_r(u));

	ir_emit_to(&g->b, IR_MOV, g->var[rnd(g, g->nvars)], ir_r(rnd(g, 3) ? v : u));
}

static void gen_load(struct opt_gen *g)
{
	unsigned k = rnd(g, 4);

	ir_emit_to(&g->b, (enum ir_op)(IR_LD8 + k), g->var[rnd(g, g->nvars)], place(g, false, 1u << k));
}

static void gen_store(struct opt_gen *g)
{
	unsigned k = rnd(g, 4);

	ir_emit(&g->b, (enum ir_op)(IR_ST8 + k), place(g, true, 1u << k), value(g));
}

static void gen_atomic(struct opt_gen *g)
{
	ir_reg dst = rnd(g, 2) ? g->var[rnd(g, g->nvars)] : 0;

	switch (rnd(g, 3)) {
	case 0:
		ir_emit_to(&g->b, IR_XADD, dst, place(g, true, 8), value(g));
		return;
	case 1:
		ir_emit_to(&g->b, IR_XMAX, dst, place(g, true, 8), value(g));
		return;
	default:
		ir_emit_to(&g->b, IR_XCAS, dst, place(g, true, 8), value(g), value(g));
	}
}

static void gen_world(struct opt_gen *g)
{
	ir_reg dst = g->var[rnd(g, g->nvars)];
	struct ir_arg addr = ir_i((int64_t)(IR_SEED_KBASE + rnd(g, 40) * 8 + (rnd(g, 4) == 0)));
	uint32_t n = 1 + rnd(g, 40);

	switch (rnd(g, 9)) {
	case 0:
		ir_emitv(&g->b, IR_PIDTGID, dst, 0, NULL);
		return;
	case 6:
	case 7:
	case 8:
		ir_emit_to(&g->b, IR_LSHR, dst, ir_r(ir_emit0(&g->b, IR_PIDTGID)), ir_i(rnd(g, 64)));
		return;
	case 1:
		ir_emit_to(&g->b, IR_CTX, dst, ir_i(8 * rnd(g, 40)));
		return;
	case 2:
		ir_emit(&g->b, IR_COMM, plain(g, true, 16));
		return;
	case 3:
		ir_emit_to(&g->b, IR_KREAD, dst, plain(g, true, n), ir_i(n), rnd(g, 3) ? addr : value(g));
		return;
	case 4:
		ir_emit_to(&g->b, IR_KSTR, dst, plain(g, true, n), ir_i(n), rnd(g, 3) ? addr : value(g));
		return;
	default:
		ir_emitv(&g->b, IR_CLOCK, dst, 0, NULL);
	}
}

static void gen_bytes(struct opt_gen *g)
{
	uint32_t n = 1 + rnd(g, 24), m = 1 + rnd(g, 24);
	ir_reg dst = g->var[rnd(g, g->nvars)];

	switch (rnd(g, 5)) {
	case 0:
		ir_emit(&g->b, IR_COPY, ir_m(g->g, 8 * rnd(g, 5)), ir_m(g->con, 8 * rnd(g, 5)), ir_i(n));
		return;
	case 1:
		ir_emit(&g->b, IR_ZERO, plain(g, true, n), ir_i(n));
		return;
	case 2:
		ir_emit(&g->b, IR_SCOPY, ir_m(g->tmp, 8 * rnd(g, 5)), ir_i(m), ir_m(g->con, 8 * rnd(g, 5)), ir_i(n));
		return;
	case 3:
		ir_emit_to(&g->b, IR_SEQ, dst, plain(g, false, n), ir_i(n), plain(g, false, m), ir_i(m));
		return;
	default:
		ir_emit_to(&g->b, IR_SCMP, dst, plain(g, false, n), ir_i(n), plain(g, false, m), ir_i(m));
	}
}

static void gen_effect(struct opt_gen *g)
{
	switch (rnd(g, 4)) {
	case 0:
		ir_emit(&g->b, IR_COMMIT, ir_o(g->rec));
		return;
	case 1:
		ir_emit(&g->b, IR_EXIT, value(g));
		return;
	case 2:
		ir_emit(&g->b, IR_DYNDEL, ir_o(g->dyn), plain(g, false, 8));
		return;
	default:
		ir_emit(&g->b, IR_DROP, ir_i(rnd(g, IR_DROP_NESTED)));
	}
}

static void use_cell(struct opt_gen *g, ir_reg c, uint32_t obj)
{
	ir_reg dst = g->var[rnd(g, g->nvars)];

	switch (rnd(g, 3)) {
	case 0:
		ir_emit_to(&g->b, IR_XADD, dst, ir_mc(c, obj, 8 * rnd(g, 2)), value(g));
		return;
	case 1:
		ir_emit(&g->b, IR_ST64, ir_mx(c, obj, 0, some_reg(g), 2), value(g));
		return;
	default:
		ir_emit_to(&g->b, IR_LD32, dst, ir_mc(c, obj, 12));
	}
}

/* A cell, its check, its use; then on in a block where both ways meet. */
static void gen_cell(struct opt_gen *g)
{
	uint32_t ok = ir_newblock(&g->b, NULL), on = ir_newblock(&g->b, NULL), obj;
	ir_reg c, dst = g->var[rnd(g, g->nvars)];

	switch (rnd(g, 4)) {
	case 0:
		c = ir_emit(&g->b, IR_CELL, ir_o(obj = g->agg), plain(g, false, 8));
		break;
	case 1:
		c = ir_emit(&g->b, IR_CELL0, ir_o(obj = g->agg0));
		break;
	case 2:
		c = ir_emit(&g->b, IR_DYN, ir_o(obj = g->dyn), plain(g, false, 8), ir_i(rnd(g, 2)));
		break;
	default:
		c = ir_emit(&g->b, IR_TLS, ir_o(obj = g->thr), ir_i(rnd(g, 2)));
	}
	if (rnd(g, 3) == 0)
		ir_emit_to(&g->b, IR_NE, dst, ir_r(c), ir_i(0));
	if (rnd(g, 2))
		ir_emit(&g->b, IR_BEQ, ir_r(c), ir_i(0), ir_b(on), ir_b(ok));
	else
		ir_emit(&g->b, IR_BNE, ir_r(c), ir_i(0), ir_b(ok), ir_b(on));
	g->b.block = ok;
	use_cell(g, c, obj);
	use_cell(g, c, obj);
	ir_enter(&g->b, on);
}

/* Reads what another read may have read before; then perhaps what that points to. */
static void gen_read(struct opt_gen *g)
{
	uint32_t on = ir_newblock(&g->b, NULL), ok, tmp;
	struct ir_arg addr = ir_i((int64_t)IR_SEED_KBASE + 8 * rnd(g, 3));

	for (unsigned depth = 0; depth == 0 || rnd(g, 2); depth++) {
		unsigned k = rnd(g, 3) ? 3 : rnd(g, 4);
		char name[16];
		ir_reg r;

		snprintf(name, sizeof name, "t%u", (unsigned)g->p.objs.n);
		tmp = ir_obj_add(&g->p, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = 8 });
		ok = ir_newblock(&g->b, NULL);
		r = ir_emit(&g->b, IR_KREAD, ir_m(tmp, 0), ir_i(1 << k), addr);
		if (rnd(g, 2))
			ir_emit(&g->b, IR_BEQ, ir_r(r), ir_i(0), ir_b(ok), ir_b(on));
		else
			ir_emit(&g->b, IR_BNE, ir_r(r), ir_i(0), ir_b(on), ir_b(ok));
		g->b.block = ok;
		r = ir_emit(&g->b, (enum ir_op)(IR_LD8 + k), ir_m(tmp, 0));
		ir_emit(&g->b, IR_ST64, ir_m(g->g, 8 * rnd(g, 8)), ir_r(r));
		ir_emit_to(&g->b, IR_XOR, g->var[0], ir_r(g->var[0]), ir_r(r));
		addr = rnd(g, 2) ? ir_r(r) : ir_r(ir_emit(&g->b, IR_ADD, ir_r(r), ir_i(8)));
	}
	ir_enter(&g->b, on);
}

static void gen_op(struct opt_gen *g)
{
	static void (*const ops[])(struct opt_gen *) = {
		gen_alu, gen_alu, gen_alu, gen_alu, gen_move, gen_move, gen_fresh, gen_load, gen_store, gen_store,
		gen_atomic, gen_world, gen_world, gen_bytes, gen_effect, gen_cell, gen_read, gen_read,
	};

	ops[rnd(g, sizeof ops / sizeof *ops)](g);
}

static struct ir_arg later(struct opt_gen *g)
{
	return ir_b(g->block[g->at + 1 + rnd(g, g->nblocks - g->at - 1)]);
}

static void gen_end(struct opt_gen *g)
{
	if (g->at + 1 == g->nblocks || rnd(g, 20) == 0) {
		ir_emit(&g->b, IR_COPY, ir_m(g->loc, 0), ir_m(g->tmp, 0), ir_i(1 + rnd(g, 64)));
		ir_emit0(&g->b, IR_RET);
	} else if (rnd(g, 12) == 0) {
		ir_emit(&g->b, IR_FAULT, ir_i(rnd(g, 9)), ir_i(rnd(g, 9)), ir_i(rnd(g, 10)), value(g), value(g),
			later(g));
	} else if (rnd(g, 3) == 0) {
		ir_emit(&g->b, IR_JMP, later(g));
	} else {
		ir_emit(&g->b, (enum ir_op)(IR_BEQ + rnd(g, 10)), value(g), value(g), later(g), later(g));
	}
}

/* ---- programs ---- */
static uint32_t obj(struct opt_gen *g, const char *name, enum ir_objkind kind, uint32_t size, uint32_t key,
		    const void *init)
{
	return ir_obj_add(&g->p, &(struct ir_obj){ .name = name, .kind = kind, .size = size, .keysize = key,
							.init = init });
}

static void gen_objs(struct opt_gen *g)
{
	uint8_t bytes[64];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(rnd(g, 3) ? rnd(g, 256) : 0);
	g->g = obj(g, "g", IR_O_GLOBAL, 64, 0, bytes);
	g->loc = obj(g, "loc", IR_O_LOCAL, 64, 0, NULL);
	g->tmp = obj(g, "tmp", IR_O_TEMP, 64, 0, NULL);
	g->rec = obj(g, "rec", IR_O_REC, 64, 0, NULL);
	g->con = obj(g, "con", IR_O_CONST, 64, 0, bytes);
	g->agg = obj(g, "agg", IR_O_AGG, 16, 8, NULL);
	g->agg0 = obj(g, "agg0", IR_O_AGG, 16, 0, NULL);
	g->dyn = obj(g, "dyn", IR_O_DYN, 16, 8, NULL);
	g->thr = obj(g, "thr", IR_O_THREAD, 16, 0, NULL);
}

static void gen_func(struct opt_gen *g, const char *name, enum ir_ctx ctx)
{
	g->b = (struct ir_builder){ .prog = &g->p, .func = ir_func_add(&g->p, name, ctx) };
	g->nvars = 2 + rnd(g, MAXVARS - 2);
	g->nblocks = 2 + rnd(g, MAXBLOCKS - 2);
	g->block[0] = 0;
	for (unsigned i = 1; i < g->nblocks; i++)
		g->block[i] = ir_newblock(&g->b, NULL);
	for (unsigned i = 0; i < g->nvars; i++) {
		struct ir_arg from = ir_m(g->g, 8 * rnd(g, 8));

		g->fix[i] = rnd(g, 2) ? ir_emit(&g->b, IR_LD64, from) : ir_emit(&g->b, IR_MOV, ir_i(number(g)));
		g->var[i] = ir_emit(&g->b, IR_MOV, rnd(g, 2) ? ir_r(g->fix[i]) : ir_i(number(g)));
	}
	for (g->at = 0; g->at < g->nblocks; g->at++) {
		g->b.block = g->block[g->at];
		if (ctx != IR_C_ERROR)
			for (unsigned n = rnd(g, 3) ? rnd(g, 7) : 0; n; n--)
				gen_op(g);
		else
			ir_emit_to(&g->b, IR_PARAM, g->var[0], ir_i(rnd(g, 4))), gen_alu(g), gen_store(g);
		gen_end(g);
	}
	ir_func_order(&g->p, g->b.func);
}

static void gen_prog(struct opt_gen *g, unsigned n)
{
	memset(g, 0, sizeof *g);
	g->state = n * 7919u + 1;
	arena_init(&g->a, NULL, NULL);
	ir_prog_init(&g->p, &g->a);
	gen_objs(g);
	gen_func(g, "main", IR_C_PERF);
	gen_func(g, "error", IR_C_ERROR);
}

/* ---- checks ---- */
static void seed_fill(struct opt_gen *g, struct ir_seed *s)
{
	uint8_t *c = (uint8_t *)s;

	for (unsigned i = 0; i < sizeof *s; i++)
		c[i] = (uint8_t)(rnd(g, 4) ? rnd(g, 256) : 0);
	for (unsigned i = 0; i < 32; i++) {
		uint64_t next = IR_SEED_KBASE + 8 * rnd(g, 5);

		if (rnd(g, 2))
			memcpy(s->kmem + 8 * i, &next, sizeof next);
	}
	memcpy(s->comm, "name\0\0\0\0\0\0\0\0\0\0\0\0", 16);
}

static char *result(const struct ir_prog *p, const struct ir_seed *seed)
{
	struct ir_test_world w;
	char *s;

	world_open(&w, p, seed);
	w.max_cells = 3;
	for (unsigned i = 0; i < 3; i++)
		world_run(&w, p->funcs.v[0]);
	world_dump(&w, true);
	s = strdup(buf_str(&w.trace));
	world_close(&w);
	return s;
}

static void must_verify(struct opt_gen *g, unsigned n, const char *when)
{
	struct diags d;

	diags_init(&d, &g->a);
	if (ir_verify(&g->p, &d)) {
		struct buf b = { 0 };

		ir_print(&b, &g->p);
		fail_msg("program %u %s: %s\n%s", n, when, d.list.v[0].text, buf_str(&b));
	}
}

static void must_equal(struct opt_gen *g, unsigned n, const char *when, const char *want, const struct ir_seed *seed)
{
	char *got = result(&g->p, seed);

	if (strcmp(want, got)) {
		struct buf b = { 0 };

		ir_print(&b, &g->p);
		fail_msg("program %u %s:\n%s\nwanted:\n%s\ngot:\n%s", n, when, buf_str(&b), want, got);
	}
	free(got);
}

static size_t size_of(const struct ir_prog *p)
{
	size_t n = 0;

	for (size_t b = 0; b < p->funcs.v[0]->blocks.n; b++)
		n += p->funcs.v[0]->blocks.v[b].ins.n;
	return n;
}

static void test_same_meaning(void **state)
{
	size_t before = 0, after = 0;

	(void)state;
	for (unsigned n = 0; n < PROGRAMS; n++) {
		struct ir_seed seed;
		struct opt_gen g;
		char *want;

		gen_prog(&g, n);
		seed_fill(&g, &seed);
		must_verify(&g, n, "as made");
		want = result(&g.p, &seed);
		before += size_of(&g.p);
		ir_optimise(&g.p);
		after += size_of(&g.p);
		must_verify(&g, n, "optimised");
		must_equal(&g, n, "optimised", want, &seed);
		ir_seed(&g.p);
		must_verify(&g, n, "seeded");
		must_equal(&g, n, "seeded", want, &seed);
		ir_optimise(&g.p);
		must_verify(&g, n, "seeded, optimised");
		must_equal(&g, n, "seeded, optimised", want, &seed);
		free(want);
		arena_free(&g.a);
	}
	/* An optimiser that does nothing would keep every meaning. */
	assert_true(after < before * 9 / 10);
}

static void test_same_text(void **state)
{
	(void)state;
	for (unsigned n = 0; n < PROGRAMS / 4; n++) {
		struct buf once = { 0 }, twice = { 0 };
		struct ir_prog again;
		struct source src = { 0 };
		struct diags d;
		struct opt_gen g;

		gen_prog(&g, n);
		ir_print(&once, &g.p);
		src = (struct source){ .name = "t", .text = buf_str(&once), .len = once.len };
		diags_init(&d, &g.a);
		ir_prog_init(&again, &g.a);
		assert_int_equal(ir_parse(&again, &src, &d), 0);
		ir_print(&twice, &again);
		assert_string_equal(buf_str(&once), buf_str(&twice));
		buf_free(&once);
		buf_free(&twice);
		arena_free(&g.a);
	}
}

/* ---- every operation with every number beside a register of every width ---- */
struct peep {
	enum ir_op op;
	int64_t imm;
	unsigned width;		/* log2 of the bytes loaded */
	bool imm_first, un;
};

static const enum ir_op extensions[] = { IR_ZEXT8, IR_ZEXT16, IR_ZEXT32, IR_SEXT8, IR_SEXT16, IR_SEXT32 };
enum { NEXT = sizeof extensions / sizeof *extensions, EXTRA = 4 + NEXT, PEEP_SIZE = 8 * EXTRA + 8 + 16 * NEXT };

/* Results: the value, the value as seen by a condition, the way a branch took, the value's low parts;
 * then whether it equals the number, and what is left of each low part when 2 and 4 bytes of it are stored. */
static void peep_build(struct ir_prog *p, const struct peep *c)
{
	struct ir_builder b = { .prog = p };
	struct ir_obj g = { .name = "g", .kind = IR_O_GLOBAL, .size = PEEP_SIZE };
	uint32_t yes, no, o = ir_obj_add(p, &g);
	ir_reg r, v, t;

	b.func = ir_func_add(p, "f", IR_C_RUN);
	r = ir_emit(&b, (enum ir_op)(IR_LD8 + c->width), ir_m(o, 0));
	v = c->un ? ir_emit(&b, c->op, ir_r(r)) :
	    c->imm_first ? ir_emit(&b, c->op, ir_i(c->imm), ir_r(r)) : ir_emit(&b, c->op, ir_r(r), ir_i(c->imm));
	ir_emit(&b, IR_ST64, ir_m(o, 8), ir_r(v));
	for (unsigned i = 0; i < NEXT; i++)
		ir_emit(&b, IR_ST64, ir_m(o, 32 + 8 * i), ir_r(ir_emit(&b, extensions[i], ir_r(v))));
	ir_emit(&b, IR_ST64, ir_m(o, 8 * EXTRA), ir_r(ir_emit(&b, IR_EQ, ir_r(v), ir_i(c->imm))));
	for (unsigned i = 0; i < NEXT; i++) {
		t = ir_emit(&b, extensions[i], ir_r(v));
		ir_emit(&b, IR_ST16, ir_m(o, 8 * EXTRA + 8 + 16 * i), ir_r(t));
		ir_emit(&b, IR_ST32, ir_m(o, 8 * EXTRA + 16 + 16 * i), ir_r(t));
	}
	t = ir_emit(&b, IR_EQ, ir_r(v), ir_i(0));
	ir_emit(&b, IR_ST64, ir_m(o, 16), ir_r(t));
	t = ir_emit(&b, IR_NE, ir_r(t), ir_i(0));
	t = ir_emit(&b, IR_SEXT8, ir_r(t));
	yes = ir_newblock(&b, NULL);
	no = ir_newblock(&b, NULL);
	ir_emit(&b, IR_BNE, ir_r(t), ir_i(0), ir_b(yes), ir_b(no));
	ir_enter(&b, yes);
	ir_emit(&b, IR_ST64, ir_m(o, 24), ir_i(1));
	ir_enter(&b, no);
	ir_emit0(&b, IR_RET);
}

static void peep_check(const struct peep *c)
{
	struct arena a;
	struct ir_prog p;
	struct ir_test_world w;

	arena_init(&a, NULL, NULL);
	ir_prog_init(&p, &a);
	peep_build(&p, c);
	ir_optimise(&p);
	world_open(&w, &p, NULL);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		uint64_t *g = w.obj[0], x = (uint64_t)numbers[i], v;

		memset(g, 0, PEEP_SIZE);
		g[0] = x;
		x &= c->width == 3 ? UINT64_MAX : (1ull << (8u << c->width)) - 1;
		v = c->imm_first ? ir_fold(c->op, (uint64_t)c->imm, x) : ir_fold(c->op, x, (uint64_t)c->imm);
		world_run(&w, p.funcs.v[0]);
		if (g[1] != v || g[2] != (v == 0) || g[3] != (v == 0))
			fail_msg("%s %#llx, %#llx (number first: %d): %#llx %llu %llu", ir_opinfo[c->op].text,
				 (unsigned long long)x, (unsigned long long)c->imm, c->imm_first,
				 (unsigned long long)g[1], (unsigned long long)g[2], (unsigned long long)g[3]);
		assert_int_equal(g[EXTRA], v == (uint64_t)c->imm);
		for (unsigned k = 0; k < NEXT; k++) {
			assert_int_equal(g[4 + k], ir_fold(extensions[k], v, 0));
			assert_int_equal(g[EXTRA + 1 + 2 * k], (uint16_t)ir_fold(extensions[k], v, 0));
			assert_int_equal(g[EXTRA + 2 + 2 * k], (uint32_t)ir_fold(extensions[k], v, 0));
		}
	}
	world_close(&w);
	arena_free(&a);
}

static void test_numbers(void **state)
{
	(void)state;
	for (unsigned op = 0; op < IR_NOPS; op++) {
		unsigned flags = ir_opinfo[op].flags;

		if (!(flags & (IR_F_ALU | IR_F_UN | IR_F_COND)) || flags & IR_F_TERM)
			continue;
		for (unsigned i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++) {
			struct peep c = { .op = (enum ir_op)op, .imm = numbers[i / 2], .un = flags & IR_F_UN };

			c.imm_first = i % 2 && !c.un;
			for (c.width = 0; c.width < 4; c.width++)
				peep_check(&c);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_meaning), cmocka_unit_test(test_same_text),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("ir optimiser", tests, NULL, NULL);
}
