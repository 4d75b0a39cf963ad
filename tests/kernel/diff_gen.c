/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/kernel/diff_gen.h"

#include <stdio.h>
#include <string.h>

#include "rt/rt.h"

enum { MAXREGS = 48, NOBJS = 24 };

struct diff_maker {
	struct ir_builder b;
	uint64_t state;
	ir_reg reg[MAXREGS];	/* defined on every path to here, plain numbers */
	unsigned nregs, most;
	bool error_calls;	/* the error function calls the run-time library: less stack is left for registers */
	uint32_t next_clause;	/* the target of faults */
	uint32_t epid;
	int depth;
	bool error;		/* this is the error function */
	unsigned nrec;		/* records committed so far */
	uint32_t own;		/* the first object that only this function uses */
	unsigned nshared, nsharedstr;
	uint32_t rt[3];		/* arguments of the run-time library: a set, work memory, work memory and a string */
	uint32_t mem[NOBJS], str[8], rec[4], cst[4], dyn[4], agg[8], tls[4];
	unsigned nmem, nstr, nrecs, ncst, ndyn, nagg, ntls;
};

static uint64_t rnd(struct diff_maker *m)
{
	/* xorshift64* */
	m->state ^= m->state >> 12;
	m->state ^= m->state << 25;
	m->state ^= m->state >> 27;
	return m->state * 0x2545f4914f6cdd1dull;
}

static unsigned below(struct diff_maker *m, unsigned n)
{
	return (unsigned)(rnd(m) >> 33) % n;
}

static int64_t number(struct diff_maker *m)
{
	static const int64_t odd[] = { 0, 1, -1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1000, 4096,
		65535,
				       65536, INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1, (int64_t)INT32_MIN - 1,
				       UINT32_MAX, INT64_MAX, INT64_MIN, 0x8080808080808080ll, 0x0102030405060708ll };

	return below(m, 3) ? odd[below(m, sizeof odd / sizeof odd[0])] : (int64_t)rnd(m);
}

static struct ir_arg any(struct diff_maker *m)
{
	if (m->nregs && below(m, 4))
		return ir_r(m->reg[below(m, m->nregs)]);
	return ir_i(number(m));
}

static void keep(struct diff_maker *m, ir_reg r)
{
	if (m->nregs < m->most)
		m->reg[m->nregs++] = r;
	else
		m->reg[below(m, m->most)] = r;
}

/* ---- objects ---- */
static uint32_t add(struct diff_maker *m, const char *name, enum ir_objkind kind, uint32_t size, uint32_t keysize)
{
	static const uint8_t text[64] = "constant text, zeros behind";
	char full[32];
	struct ir_obj o = { .name = full, .kind = kind, .size = size, .keysize = keysize };

	snprintf(full, sizeof full, "%s%zu", name, m->b.prog->objs.n);
	if (kind == IR_O_CONST || (kind == IR_O_GLOBAL && size <= sizeof text && below(m, 2)))
		o.init = text;
	if (kind == IR_O_AGG)
		o.generations = below(m, 2);
	if (kind == IR_O_AGG && keysize == 8 && below(m, 2))
		o.cells = 1u << below(m, 6);
	return ir_obj_add(m->b.prog, &o);
}

static const uint32_t sizes[] = { 8, 16, 24, 40, 64, 136, 320, 800 };
static const uint32_t caps[] = { 16, 8, 32, 64, 256 };

/* Memory of one firing, separate for each function. big: the amount that exceeds the stack. */
static void make_temps(struct diff_maker *m, unsigned big)
{
	m->own = (uint32_t)m->b.prog->objs.n;
	m->nrecs = 0;
	for (int i = 0; i < 4; i++)
		m->mem[m->nmem++] = add(m, "temp", IR_O_TEMP, sizes[below(m, big ? 8 : 4)], 0);
	for (int i = 0; i < 2; i++)
		m->rec[m->nrecs++] = m->mem[m->nmem++] = add(m, "rec", IR_O_REC, sizes[below(m, 3)] + 48 +
							     400 * (big == 2), 0);
	for (int i = 0; i < 5; i += 2)
		m->str[m->nstr++] = add(m, "str", IR_O_TEMP, caps[i], 0);
	m->rt[0] = add(m, "set", IR_O_TEMP, 32, 0);
	m->rt[1] = add(m, "work", IR_O_TEMP, RT_WORK, 0);
	m->rt[2] = add(m, "tokens", IR_O_TEMP, RT_WORK + 64, 0);
}

static void make_objects(struct diff_maker *m, unsigned big)
{
	static const uint32_t keys[] = { 8, 16, 24, 72, 264 };

	for (int i = 0; i < 3; i++)
		m->mem[m->nmem++] = add(m, "global", IR_O_GLOBAL, sizes[below(m, 5)], 0);
	for (int i = 0; i < 3; i++)
		m->mem[m->nmem++] = add(m, "local", IR_O_LOCAL, sizes[below(m, big ? 7 : 4)], 0);
	m->nshared = m->nmem;
	for (int i = 0; i < 5; i++)
		m->str[m->nstr++] = add(m, "str", IR_O_GLOBAL, caps[i], 0);
	m->nsharedstr = m->nstr;
	m->cst[m->ncst++] = add(m, "const", IR_O_CONST, 64, 0);
	m->cst[m->ncst++] = add(m, "const", IR_O_CONST, 13, 0);
	for (int i = 0; i < 2; i++)
		m->dyn[m->ndyn++] = add(m, "dyn", IR_O_DYN, sizes[below(m, 6)], keys[below(m, 5)]);
	m->agg[m->nagg++] = add(m, "agg", IR_O_AGG, 8, 0);
	m->agg[m->nagg++] = add(m, "agg", IR_O_AGG, sizes[below(m, 7)], 0);
	for (int i = 0; i < 3; i++)
		m->agg[m->nagg++] = add(m, "agg", IR_O_AGG, sizes[below(m, 7)], below(m, 2) ? 8 : keys[below(m, 5)]);
	for (int i = 0; i < 2; i++)
		m->tls[m->ntls++] = add(m, "self", IR_O_THREAD, sizes[below(m, 5)], 0);
}

static const struct ir_obj *obj_of(struct diff_maker *m, uint32_t o)
{
	return &m->b.prog->objs.v[o];
}

/* A place of `n` bytes in plain memory, aligned to n. */
static struct ir_arg place_in(struct diff_maker *m, uint32_t o, unsigned n)
{
	return ir_m(o, (int64_t)below(m, (obj_of(m, o)->size - n) / n + 1) * n);
}

static struct ir_arg place(struct diff_maker *m, unsigned n)
{
	return place_in(m, m->mem[below(m, m->nmem)], n);
}

/* The same with an index that may be out of bounds. */
static struct ir_arg indexed(struct diff_maker *m, struct ir_arg a)
{
	uint32_t words = (obj_of(m, a.obj)->size - (uint32_t)a.imm) / 8;

	if (!words || !m->nregs || below(m, 4))
		return a;
	a.imm = a.imm / 8 * 8;
	words = (obj_of(m, a.obj)->size - (uint32_t)a.imm) / 8;
	a.lim = below(m, words) + 1;
	a.idx = below(m, 2) ? m->reg[below(m, m->nregs)] :
		ir_emit(&m->b, IR_MOV, ir_i((int64_t)below(m, a.lim + 2)));
	return a;
}

/* ---- statements ---- */
static void s_alu(struct diff_maker *m)
{
	static const enum ir_op ops[] = { IR_ADD, IR_SUB, IR_MUL, IR_UDIV, IR_UMOD, IR_SDIV, IR_SMOD, IR_AND, IR_OR,
		IR_XOR,
					  IR_SHL, IR_LSHR, IR_ASHR, IR_EQ, IR_NE, IR_ULT, IR_ULE, IR_UGT, IR_UGE,
					  IR_SLT,
					  IR_SLE, IR_SGT, IR_SGE };
	enum ir_op op = ops[below(m, sizeof ops / sizeof ops[0])];

	if (m->nregs && below(m, 4) == 0) {
		ir_emit_to(&m->b, op, m->reg[below(m, m->nregs)], any(m), any(m));
		return;
	}
	keep(m, ir_emit(&m->b, op, any(m), any(m)));
}

static void s_un(struct diff_maker *m)
{
	static const enum ir_op ops[] = { IR_MOV, IR_NEG, IR_NOT, IR_SEXT8, IR_SEXT16, IR_SEXT32, IR_ZEXT8, IR_ZEXT16,
					  IR_ZEXT32 };

	keep(m, ir_emit(&m->b, ops[below(m, sizeof ops / sizeof ops[0])], any(m)));
}

static void s_load(struct diff_maker *m)
{
	static const enum ir_op ops[] = { IR_LD8, IR_LD16, IR_LD32, IR_LD64 };
	unsigned i = below(m, 4);
	struct ir_arg p = below(m, 6) ? indexed(m, place(m, 1u << i)) : place_in(m, m->cst[0], 1u << i);

	keep(m, ir_emit(&m->b, ops[i], p));
}

static void store_to(struct diff_maker *m, struct ir_arg p, unsigned i)
{
	static const enum ir_op ops[] = { IR_ST8, IR_ST16, IR_ST32, IR_ST64 };

	ir_emit(&m->b, ops[i], p, any(m));
}

static void s_store(struct diff_maker *m)
{
	unsigned i = below(m, 4);

	store_to(m, indexed(m, place(m, 1u << i)), i);
}

static void atomic_to(struct diff_maker *m, struct ir_arg p)
{
	switch (below(m, 4)) {
	case 0:
		keep(m, ir_emit(&m->b, IR_XADD, p, any(m)));
		break;
	case 1:
		ir_emit_to(&m->b, IR_XADD, 0, p, any(m));
		break;
	case 2:
		keep(m, ir_emit(&m->b, IR_XCAS, p, below(m, 2) ? ir_i(0) : any(m), any(m)));
		break;
	default:
		ir_emit(&m->b, IR_XMAX, p, any(m));
	}
}

static void s_atomic(struct diff_maker *m)
{
	atomic_to(m, indexed(m, place(m, 8)));
}

static void s_bytes(struct diff_maker *m)
{
	uint32_t d = m->mem[below(m, m->nmem)], s = m->mem[below(m, m->nmem)];
	uint32_t max = obj_of(m, d)->size < obj_of(m, s)->size ? obj_of(m, d)->size : obj_of(m, s)->size;
	uint32_t n = below(m, max) + 1;

	if (below(m, 2))
		n = max;
	if (d == s || below(m, 3) == 0) {
		ir_emit(&m->b, IR_ZERO, ir_m(d, below(m, obj_of(m, d)->size - n + 1)), ir_i(n));
		return;
	}
	ir_emit(&m->b, IR_COPY, ir_m(d, below(m, obj_of(m, d)->size - n + 1)),
		ir_m(s, below(m, obj_of(m, s)->size - n + 1)), ir_i(n));
}

/* An offset, mostly within `size` bytes. */
static struct ir_arg offset(struct diff_maker *m, uint32_t size)
{
	ir_reg r;

	if (below(m, 3) == 0 || !m->nregs)
		return below(m, 4) ? ir_i(below(m, size + 4)) : any(m);
	r = ir_emit(&m->b, IR_AND, any(m), ir_i(2 * size - 1));
	return below(m, 4) ? ir_r(ir_emit(&m->b, IR_LSHR, ir_r(r), ir_i(1))) : ir_r(r);
}

static void fill(struct diff_maker *m, uint32_t o, uint32_t size)
{
	enum ir_fill kind = (enum ir_fill)below(m, IR_FILL_SELF + 1);
	uint32_t quarter = size / 4;

	if (kind != IR_FILL_SELF)
		keep(m, ir_emit(&m->b, IR_FILL, ir_o(o), offset(m, size / 2), offset(m, size / 2), any(m), ir_i(kind)));
	else	/* apart from each other */
		keep(m, ir_emit(&m->b, IR_FILL, ir_o(o), ir_i(below(m, quarter + 1)), ir_i(below(m, quarter + 1)),
				ir_i(4 * (int64_t)quarter > size ? size : 2 * quarter), ir_i(kind)));
}

/* Bytes of an object at a computed offset. */
static void s_window(struct diff_maker *m)
{
	uint32_t d = m->mem[below(m, m->nmem)], o = m->mem[below(m, m->nmem)], size = obj_of(m, o)->size;
	uint32_t max = obj_of(m, d)->size < size ? obj_of(m, d)->size : size, n = below(m, max) + 1;

	if (below(m, 2))
		n = 1u << below(m, 4);
	switch (below(m, 5)) {
	case 0:
		fill(m, o, size);
		break;
	case 1:
		n = max / 2 < n ? max / 2 : n;
		if (d != o && n)
			keep(m, ir_emit(&m->b, IR_GETS, ir_m(d, 0), ir_i(n), ir_o(o), offset(m, size)));
		break;
	default:
		if (d != o)
			keep(m, ir_emit(&m->b, below(m, 2) ? IR_GET : IR_PUT, ir_m(d, 0), ir_i(n), ir_o(o),
					offset(m, size)));
	}
}

static void s_string(struct diff_maker *m)
{
	uint32_t d = m->str[below(m, m->nstr)], s = m->str[below(m, m->nstr)];
	int64_t nd = obj_of(m, d)->size, ns = obj_of(m, s)->size;

	switch (below(m, 8)) {
	case 0:
		if (below(m, 2))
			keep(m, ir_emit(&m->b, IR_USTR, ir_m(d, 0), ir_i(nd),
					ir_i((int64_t)(IR_SEED_UBASE + 8 * below(m, 40)))));
		ir_emit(&m->b, IR_COMM, ir_m(m->str[0], 0));	/* the one of 16 bytes */
		break;
	case 1:
		keep(m, ir_emit(&m->b, IR_KSTR, ir_m(d, 0), ir_i(nd),
				ir_i((int64_t)(IR_SEED_KBASE + 8 * below(m, 40)))));
		break;
	case 2:
		s = m->cst[below(m, m->ncst)];
		ir_emit(&m->b, IR_SCOPY, ir_m(d, 0), ir_i(nd), ir_m(s, 0), ir_i(obj_of(m, s)->size));
		break;
	case 3:
	case 4:
		if (s != d)
			ir_emit(&m->b, IR_SCOPY, ir_m(d, 0), ir_i(nd), ir_m(s, 0), ir_i(ns));
		break;
	case 5:
		keep(m, ir_emit(&m->b, IR_SEQ, ir_m(d, 0), ir_i(nd), ir_m(m->cst[0], 0), ir_i(64)));
		break;
	case 6:
		keep(m, ir_emit(&m->b, IR_SEQ, ir_m(d, 0), ir_i(nd), ir_m(s, 0), ir_i(ns)));
		break;
	default:
		keep(m, ir_emit(&m->b, IR_SCMP, ir_m(d, 0), ir_i(nd), ir_m(s, 0), ir_i(ns)));
	}
}

/* ---- the run-time library ---- */
static const struct {
	enum ir_op op;
	const char *kinds;
	unsigned values;
} rt_rows[] = {
#define RT(n, t, s, np, nv, k, f, d) { IR_##n, k, nv },
#include "rt/rt.def"
};

/* A place of this kind other than those that the operation has already. */
static struct ir_arg rt_place(struct diff_maker *m, char kind, const struct ir_arg *others, unsigned n)
{
	for (int tries = 0; tries < 100; tries++) {
		uint32_t o = kind == 's' ? m->str[below(m, m->nstr)] : kind == 'a' ? m->str[0] :
			     kind == 'c' ? m->rt[0] : kind == 'w' ? m->rt[1] : m->rt[2];
		unsigned i = 0;

		if (kind == 's' && n > 0 && below(m, 4) == 0)
			o = m->cst[0];
		while (i < n && others[i].obj != o)
			i += 2;
		if (i >= n)
			return ir_m(o, 0);
	}
	return ir_m(m->cst[0], 0);
}

static int64_t small_number(struct diff_maker *m)
{
	static const int64_t some[] = { 0, 1, 2, 3, 5, 8, 10, 16, 36, 'a', ' ', -1, -2, -9, INT32_MAX };

	return some[below(m, sizeof some / sizeof *some)];
}

static void s_rt(struct diff_maker *m)
{
	unsigned row = below(m, sizeof rt_rows / sizeof *rt_rows), n = 0;
	struct ir_arg args[IR_MAXARGS];

	if (m->error && !m->error_calls)
		return;
	for (const char *k = rt_rows[row].kinds; *k; k++, n += 2) {
		args[n] = rt_place(m, *k, args, n);
		args[n + 1] = ir_i(obj_of(m, args[n].obj)->size);
	}
	for (unsigned v = 0; v < rt_rows[row].values; v++)
		args[n++] = below(m, 3) ? ir_i(small_number(m)) : any(m);
	if (*ir_opinfo[rt_rows[row].op].sig == 'd')
		keep(m, ir_emitv(&m->b, rt_rows[row].op, UINT32_MAX, n, args));
	else
		ir_emitv(&m->b, rt_rows[row].op, 0, n, args);
}

static void s_world(struct diff_maker *m)
{
	static const enum ir_op ops[] = { IR_CLOCK, IR_PIDTGID, IR_UIDGID, IR_CPU, IR_TASK, IR_STACKDEPTH, IR_CALLERPC,
					  IR_PERFCOUNT, IR_STATE, IR_RANDOM, IR_JIFFIES, IR_USTACKDEPTH };
	unsigned i = below(m, 16);
	uint32_t d;

	if (i < 12) {
		/* half of the counts are cookies, half of the ticks are turns */
		keep(m, ir_emit0(&m->b, ops[i] == IR_PERFCOUNT && m->nregs & 1 ? IR_COOKIE :
				 ops[i] == IR_JIFFIES && m->nregs & 1 ? IR_TURN : ops[i]));
	} else if (i == 12) {
		keep(m, ir_emit(&m->b, IR_UREG, m->nregs && below(m, 2) ? any(m) : ir_i(below(m, 40))));
	} else if (i == 13 && below(m, 2)) {
		d = m->mem[below(m, m->nmem)];
		ir_emit(&m->b, IR_STACK, ir_m(d, 0), ir_i(8 * (1 + below(m, obj_of(m, d)->size / 8))),
			ir_i(below(m, 2)));
	} else if (i == 13 && !m->error) {
		keep(m, ir_emit(&m->b, IR_CTX, ir_i(8 * below(m, 8))));
	} else {
		d = m->mem[below(m, m->nmem)];
		i = below(m, 2);
		keep(m, ir_emit(&m->b, i ? IR_UREAD : IR_KREAD, ir_m(d, 0), ir_i(below(m, obj_of(m, d)->size) + 1),
				m->nregs && below(m, 4) == 0 ? any(m) :
				ir_i((int64_t)((i ? IR_SEED_UBASE : IR_SEED_KBASE) + 8 * below(m, 34)))));
	}
}

/* A key of a few different values in zeroed memory. */
static struct ir_arg make_key(struct diff_maker *m, uint32_t keysize)
{
	char name[32];
	uint32_t o;

	for (unsigned i = 0; i < m->nmem; i++) {
		if (obj_of(m, m->mem[i])->size >= keysize + 8 && below(m, 3) == 0) {
			ir_emit(&m->b, IR_ST64, ir_m(m->mem[i], 0), ir_i(below(m, 3)));
			return ir_m(m->mem[i], below(m, 2) * 8);
		}
	}
	snprintf(name, sizeof name, "key%zu", m->b.prog->objs.n);
	o = ir_obj_add(m->b.prog, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = keysize });
	ir_emit(&m->b, IR_ZERO, ir_m(o, 0), ir_i(keysize));
	ir_emit(&m->b, IR_ST64, ir_m(o, keysize - 8), ir_i(below(m, 3)));
	return ir_m(o, 0);
}

/* Some accesses to the cell that r holds. */
static void use_cell(struct diff_maker *m, ir_reg r, uint32_t o)
{
	uint32_t words = obj_of(m, o)->size / 8;

	for (unsigned n = below(m, 3) + 1; n > 0; n--) {
		struct ir_arg at = ir_mc(r, o, 8 * (int64_t)below(m, words));

		if (below(m, 3) == 0 && m->nregs) {
			at.lim = words - (uint32_t)at.imm / 8;
			at.idx = m->reg[below(m, m->nregs)];
		}
		switch (below(m, 4)) {
		case 0:
			keep(m, ir_emit(&m->b, IR_LD64, at));
			break;
		case 1:
			store_to(m, at, 3);
			break;
		default:
			atomic_to(m, at);
		}
	}
	if (below(m, 4) == 0 && words <= 16)
		ir_emit(&m->b, IR_ZERO, ir_mc(r, o, 0), ir_i(8 * words));
}

/* if (r) { uses of the cell }; registers defined inside are not used afterwards. */
static void guarded(struct diff_maker *m, ir_reg r, uint32_t o)
{
	uint32_t yes = ir_newblock(&m->b, NULL), no = ir_newblock(&m->b, NULL);
	unsigned nregs = m->nregs;
	ir_reg saved[MAXREGS];

	memcpy(saved, m->reg, sizeof saved);
	ir_emit(&m->b, IR_BEQ, ir_r(r), ir_i(0), ir_b(no), ir_b(yes));
	ir_enter(&m->b, yes);
	use_cell(m, r, o);
	ir_enter(&m->b, no);
	memcpy(m->reg, saved, sizeof saved);
	m->nregs = nregs;
}

static void s_cell(struct diff_maker *m)
{
	uint32_t o;
	ir_reg r;

	switch (below(m, 4)) {
	case 0:
		o = m->agg[below(m, 2)];
		r = ir_emit(&m->b, IR_CELL0, ir_o(o));
		break;
	case 1:
		o = m->agg[2 + below(m, m->nagg - 2)];
		if (obj_of(m, o)->cells)
			r = ir_emit(&m->b, IR_CELLN, ir_o(o), any(m));
		else
			r = ir_emit(&m->b, IR_CELL, ir_o(o), make_key(m, obj_of(m, o)->keysize));
		break;
	case 2:
		o = m->dyn[below(m, m->ndyn)];
		if (below(m, 5) == 0) {
			ir_emit(&m->b, IR_DYNDEL, ir_o(o), make_key(m, obj_of(m, o)->keysize));
			return;
		}
		r = ir_emit(&m->b, IR_DYN, ir_o(o), make_key(m, obj_of(m, o)->keysize), ir_i(below(m, 3) != 0));
		break;
	default:
		o = m->tls[below(m, m->ntls)];
		r = ir_emit(&m->b, IR_TLS, ir_o(o), ir_i(1));
	}
	guarded(m, r, o);
}

static void s_effect(struct diff_maker *m)
{
	switch (below(m, 6)) {
	case 0:
		ir_emit(&m->b, IR_EXIT, any(m));
		break;
	case 1:
		ir_emit(&m->b, IR_DROP, ir_i(below(m, IR_DROP_NESTED)));
		break;
	default:
		ir_emit(&m->b, IR_COMMIT, ir_o(m->rec[below(m, m->nrecs)]));
	}
}

static void block_of(struct diff_maker *m, unsigned n);

static void s_if(struct diff_maker *m)
{
	uint32_t yes = ir_newblock(&m->b, NULL), no = ir_newblock(&m->b, NULL), end = ir_newblock(&m->b, NULL);
	enum ir_op op = (enum ir_op)(IR_BEQ + below(m, IR_BSGE - IR_BEQ + 1));
	unsigned nregs = m->nregs;
	ir_reg saved[MAXREGS];

	if (m->depth > 3)
		return;
	m->depth++;
	memcpy(saved, m->reg, sizeof saved);
	ir_emit(&m->b, op, any(m), any(m), ir_b(yes), ir_b(no));
	ir_enter(&m->b, yes);
	block_of(m, below(m, 5));
	if (!ir_terminated(&m->b))
		ir_emit(&m->b, IR_JMP, ir_b(end));
	memcpy(m->reg, saved, sizeof saved);
	m->nregs = nregs;
	ir_enter(&m->b, no);
	block_of(m, below(m, 5));
	memcpy(m->reg, saved, sizeof saved);
	m->nregs = nregs;
	ir_enter(&m->b, end);
	m->depth--;
}

/* if (a OP b) fault */
static void s_fault(struct diff_maker *m)
{
	uint32_t bad = ir_newblock(&m->b, NULL), good = ir_newblock(&m->b, NULL);

	ir_emit(&m->b, IR_BSLT, any(m), any(m), ir_b(bad), ir_b(good));
	ir_enter(&m->b, bad);
	ir_emit(&m->b, IR_FAULT, ir_i(m->epid), ir_i(below(m, 9)), ir_i(below(m, 9)), any(m), any(m),
		ir_b(m->next_clause));
	ir_enter(&m->b, good);
}

static void block_of(struct diff_maker *m, unsigned n)
{
	static void (*const kinds[])(struct diff_maker *) = {
		s_alu, s_alu, s_alu, s_un, s_load, s_load, s_store, s_store, s_atomic, s_bytes, s_window, s_string,
		s_string, s_rt, s_rt,
		s_world,
		s_cell, s_cell, s_effect, s_if, s_if, s_fault,
	};

	while (n-- > 0)
		kinds[below(m, sizeof kinds / sizeof kinds[0])](m);
}

/* ---- functions ---- */
/* Adds all remaining registers to a global, so that many registers live long. */
static void fold_registers(struct diff_maker *m)
{
	ir_reg sum = ir_emit(&m->b, IR_MOV, ir_i(0));

	for (unsigned i = 0; i < m->nregs; i++) {
		sum = ir_emit(&m->b, IR_MUL, ir_r(sum), ir_i(31));
		sum = ir_emit(&m->b, IR_ADD, ir_r(sum), ir_r(m->reg[i]));
	}
	ir_emit(&m->b, IR_ST64, ir_m(m->mem[0], 0), ir_r(sum));
}

static void clauses(struct diff_maker *m, unsigned n, unsigned length)
{
	/* plain memory of the firing is undefined until written */
	for (size_t i = m->own; i < m->b.prog->objs.n; i++) {
		const struct ir_obj *o = &m->b.prog->objs.v[i];

		if (o->kind == IR_O_TEMP || o->kind == IR_O_REC)
			ir_emit(&m->b, IR_ZERO, ir_m((uint32_t)i, 0), ir_i(o->size));
	}
	for (unsigned i = 0; i < n; i++) {
		m->epid = i + 1;
		m->nregs = 0;
		m->next_clause = ir_newblock(&m->b, NULL);
		if (m->error) {
			for (int k = 0; k < 4; k++)
				keep(m, ir_emit(&m->b, IR_PARAM, ir_i(k)));
		}
		block_of(m, length);
		fold_registers(m);
		ir_enter(&m->b, m->next_clause);
	}
	ir_emit0(&m->b, IR_RET);
}

void diff_generate(struct ir_prog *p, uint64_t seed, enum ir_ctx ctx)
{
	struct diff_maker m = { .b.prog = p, .state = seed * 0x9e3779b97f4a7c15ull + 1 };
	unsigned size = below(&m, 4), big = below(&m, 3);

	m.error_calls = below(&m, 2);
	m.most = m.error_calls ? MAXREGS / 4 : MAXREGS;
	m.b.func = ir_func_add(p, "main", ctx);
	make_objects(&m, big);
	make_temps(&m, big);
	clauses(&m, below(&m, 5) + 1, 3 + 12 * size);
	ir_func_order(p, m.b.func);
	if (below(&m, 3))
		return;
	m.error = true;
	m.depth = 0;
	m.nmem = m.nshared;
	m.nstr = m.nsharedstr;
	make_temps(&m, below(&m, 3));
	m.b.func = ir_func_add(p, "error", IR_C_ERROR);
	m.b.block = 0;
	clauses(&m, 1, 3 + 4 * size);
	ir_func_order(p, m.b.func);
}

void diff_seed(struct ir_seed *s, uint64_t seed)
{
	uint64_t x = seed + 0x1234567;

	for (size_t i = 0; i < sizeof *s / 8; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		((uint64_t *)s)[i] = x >> (x & 63);
	}
	memset(s->comm, 0, sizeof s->comm);
	snprintf(s->comm, sizeof s->comm, "name-%u", (unsigned)(seed % 1000));
}
