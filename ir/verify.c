/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks a program: first each object and operation separately, then (flow.c) conditions on every path. */
#include "ir/flow.h"
#include "ir/text.h"
#include "rt/rt.h"

#include <stdarg.h>
#include <string.h>

struct check {
	const struct ir_prog *prog;
	const struct ir_func *func;
	const struct ir_ins *ins;
	uint32_t block;
	struct diags *diags;
};

enum {
	K_MEMORY = 1 << IR_O_TEMP | 1 << IR_O_LOCAL | 1 << IR_O_REC | 1 << IR_O_GLOBAL | 1 << IR_O_CONST,
	K_CELLS = 1 << IR_O_THREAD | 1 << IR_O_DYN | 1 << IR_O_AGG,
};

/* Kinds of object that an operation accepts. */
static const struct {
	uint16_t op, kinds;
} obj_kinds[] = {
	{ IR_CELL, 1 << IR_O_AGG }, { IR_CELL0, 1 << IR_O_AGG }, { IR_CELLN, 1 << IR_O_AGG },
	{ IR_DYN, 1 << IR_O_DYN },
	{ IR_GET, K_MEMORY }, { IR_GETS, K_MEMORY }, { IR_UWRITE, K_MEMORY },
	{ IR_PUT, K_MEMORY & ~(1 << IR_O_CONST) }, { IR_FILL, K_MEMORY & ~(1 << IR_O_CONST) },
	{ IR_DYNDEL, 1 << IR_O_DYN }, { IR_SWEEP, 1 << IR_O_DYN }, { IR_TLS, 1 << IR_O_THREAD },
	{ IR_COMMIT, 1 << IR_O_REC }, { IR_COMMITN, 1 << IR_O_REC },
};

/* Ranges of immediates. Sizes of places have a separate rule. */
static const struct {
	uint16_t op, arg;
	int64_t min, max, step;
} imm_ranges[] = {
	{ IR_CTX, 0, 0, 4088, 8 }, { IR_PARAM, 0, 0, 4, 1 }, { IR_DROP, 0, 0, IR_DROP_NESTED - 1, 1 },
	{ IR_STACK, 1, 8, 1 << 16, 8 }, { IR_STACK, 2, 0, IR_STACK_ALL, 1 }, { IR_DYN, 2, 0, 1, 1 },
	{ IR_TLS, 1, 0, 1, 1 },
	{ IR_FAULT, 1, 0, UINT32_MAX, 1 }, { IR_FAULT, 2, 0, IR_FLT_BADSTACK, 1 },
	{ IR_FILL, 4, 0, IR_FILL_SELF, 1 },
	{ IR_TREAD, 1, 1, 8, 1 }, { IR_TREAD, 2, 0, IR_TREAD_MAX, 1 }, { IR_TREAD, 3, -1, IR_TREAD_MAX, 1 },
	{ IR_TREAD, 4, -1, IR_TREAD_MAX, 1 }, { IR_TREAD, 5, -1, IR_TREAD_MAX, 1 },
	{ IR_TREAD, 6, -1, IR_TREAD_MAX, 1 },
};

static bool report_wrong(const struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool report_wrong(const struct check *c, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	diag(c->diags, c->ins ? c->ins->loc : (struct loc){ 0 }, D_BPF, "%s: b%u: %s: %s", c->func->name,
	     (unsigned)c->block, c->ins ? ir_opinfo[c->ins->op].text : "block", buf_str(&b));
	buf_free(&b);
	return false;
}

/* ---- objects ---- */
static const char *obj_fault(const struct ir_obj *o)
{
	bool keyed = o->kind == IR_O_DYN || o->kind == IR_O_AGG;

	if ((unsigned)o->kind >= IR_NOBJKINDS)
		return "unknown kind";
	if (!o->size || o->size > IR_MAXOBJ || o->keysize > IR_MAXOBJ)
		return "no size, or too large";
	if (o->kind != IR_O_CONST && o->size % 8)
		return "size is not a multiple of 8 bytes";
	if (o->keysize % 8)
		return "key is not a multiple of 8 bytes";
	if (o->keysize && !keyed)
		return "has a key";
	if (!o->keysize && o->kind == IR_O_DYN)
		return "has no key";
	if (o->cells && (o->kind != IR_O_AGG || o->keysize != 8))
		return "has numbered cells";
	if (o->cells & (o->cells - 1) || o->cells > IR_MAXCELLS)
		return "number of cells is not a power of two, or too large";
	if (o->init && o->kind != IR_O_CONST && o->kind != IR_O_GLOBAL)
		return "must not have an initial value";
	if (o->threads && (o->kind != IR_O_DYN || o->keysize < 16 || o->stacks))
		return "has elements of threads";
	if (o->leader && (o->kind != IR_O_THREAD || o->leader % 8 || o->leader > INT16_MAX))
		return "has an invalid leader";
	return NULL;
}

static void check_objs(const struct ir_prog *p, struct diags *d)
{
	for (size_t i = 0; i < p->objs.n; i++) {
		const char *what = obj_fault(&p->objs.v[i]);

		if (what)
			diag(d, (struct loc){ 0 }, D_BPF, "object '%s': %s", p->objs.v[i].name, what);
	}
}

/* ---- operands ---- */
static bool check_reg(const struct check *c, ir_reg r)
{
	return (r && r <= c->func->nregs) || report_wrong(c, "r%u does not exist", (unsigned)r);
}

static bool check_bounds(const struct check *c, const struct ir_arg *a, uint32_t size, uint32_t n)
{
	bool mem = ir_opinfo[c->ins->op].flags & IR_F_MEM;
	int64_t span = a->idx ? (int64_t)a->lim * 8 : n;

	if (a->idx && (!mem || !a->lim))
		return report_wrong(c, "an index is not allowed here");
	if (!n)
		return report_wrong(c, "no bytes");
	if (a->imm < 0 || a->imm > size || span > size - a->imm)
		return report_wrong(c, "%lld bytes at %lld are outside of '%s' (%u)", (long long)span,
				    (long long)a->imm, c->prog->objs.v[a->obj].name, (unsigned)size);
	if (mem && a->imm % n)
		return report_wrong(c, "offset %lld is not aligned to %u", (long long)a->imm, (unsigned)n);
	return true;
}

/* The minimum size of a place, by its kind in the run-time library. */
static uint32_t min_size(char kind)
{
	switch (kind) {
	case 'a':
		return 16;
	case 'c':
		return 32;
	case 'w':
		return RT_WORK;
	case 'k':
		return RT_WORK + 8;
	default:
		return 8;
	}
}

/* Functions of the run-time library use whole words. i: the operand; two operands form a place. */
static bool check_words(const struct check *c, unsigned i, uint32_t n)
{
	static const char *const kinds[IR_NOPS] = {
#define RT(n, t, s, np, nv, k, f, d) [IR_##n] = k,
#include "rt/rt.def"
	};
	enum { MOST = 32760 };
	int64_t at = c->ins->arg[i].imm;

	return (n % 8 == 0 && n >= min_size(kinds[c->ins->op][i / 2]) && n <= MOST && at % 8 == 0) ||
	       report_wrong(c, "%u bytes at %lld are not allowed", (unsigned)n, (long long)at);
}

static bool check_place(const struct check *c, unsigned i)
{
	const struct ir_arg *a = &c->ins->arg[i];
	const struct ir_obj *o;

	if (a->obj >= c->prog->objs.n)
		return report_wrong(c, "object %u does not exist", (unsigned)a->obj);
	o = &c->prog->objs.v[a->obj];
	if (a->reg ? !(K_CELLS >> o->kind & 1) : !(K_MEMORY >> o->kind & 1))
		return report_wrong(c, "'%s' is %s reached through a cell", o->name, a->reg ? "not" : "only");
	if ((a->reg && !check_reg(c, a->reg)) || (a->idx && !check_reg(c, a->idx)))
		return false;
	if (o->kind == IR_O_CONST && ir_place_written(c->ins, i))
		return report_wrong(c, "'%s' is constant", o->name);
	if (ir_opinfo[c->ins->op].flags & IR_F_RT && !check_words(c, i, ir_place_bytes(c->prog, c->ins, i)))
		return false;
	return check_bounds(c, a, o->size, ir_place_bytes(c->prog, c->ins, i));
}

static bool check_obj(const struct check *c, const struct ir_arg *a)
{
	const struct ir_obj *o;

	if (a->obj >= c->prog->objs.n)
		return report_wrong(c, "object %u does not exist", (unsigned)a->obj);
	o = &c->prog->objs.v[a->obj];
	for (size_t i = 0; i < sizeof obj_kinds / sizeof *obj_kinds; i++)
		if (obj_kinds[i].op == c->ins->op && !(obj_kinds[i].kinds >> o->kind & 1))
			return report_wrong(c, "'%s' is of kind %s", o->name, ir_objkind_text[o->kind]);
	if ((c->ins->op == IR_GET || c->ins->op == IR_PUT) && c->ins->arg[1].imm > o->size)
		return report_wrong(c, "'%s' has no %lld bytes", o->name, (long long)c->ins->arg[1].imm);
	if (c->ins->op == IR_GETS && c->ins->arg[1].imm > o->size / 2)
		return report_wrong(c, "'%s' has no room for a string of %lld bytes", o->name,
				    (long long)c->ins->arg[1].imm);
	if (c->ins->op == IR_SWEEP && !o->threads)
		return report_wrong(c, "'%s' has no elements of threads", o->name);
	if (o->kind == IR_O_AGG && c->ins->op != (o->cells ? IR_CELLN : o->keysize ? IR_CELL : IR_CELL0))
		return report_wrong(c, "'%s' has %s", o->name,
				    o->cells ? "numbered cells" : o->keysize ? "a key" : "no key");
	return true;
}

static bool check_imm(const struct check *c, unsigned i)
{
	int64_t v = c->ins->arg[i].imm;

	for (size_t k = 0; k < sizeof imm_ranges / sizeof *imm_ranges; k++) {
		if (imm_ranges[k].op != c->ins->op || imm_ranges[k].arg != i)
			continue;
		if (v < imm_ranges[k].min || v > imm_ranges[k].max || v % imm_ranges[k].step)
			return report_wrong(c, "%lld is out of range", (long long)v);
	}
	return true;
}

static bool check_block(const struct check *c, const struct ir_arg *a)
{
	if (a->imm <= (int64_t)c->block)
		return report_wrong(c, "b%lld is not a later block", (long long)a->imm);
	if (a->imm >= (int64_t)c->func->blocks.n)
		return report_wrong(c, "b%lld does not exist", (long long)a->imm);
	return true;
}

static bool check_operand(const struct check *c, char sig, unsigned i)
{
	const struct ir_arg *a = &c->ins->arg[i];
	enum ir_argkind kind = a->kind;

	switch (sig) {
	case 'v':
		if (kind == IR_IMM)
			return true;
		return kind == IR_REG ? check_reg(c, a->reg) : report_wrong(c, "operand %u is not a value", i + 1);
	case 'i':
		return kind == IR_IMM ? check_imm(c, i) : report_wrong(c, "operand %u is not a number", i + 1);
	case 'm':
		return kind == IR_MEM ? check_place(c, i) : report_wrong(c, "operand %u is not a place", i + 1);
	case 'o':
		return kind == IR_OBJ ? check_obj(c, a) : report_wrong(c, "operand %u is not an object", i + 1);
	default:
		return kind == IR_BLOCK ? check_block(c, a) : report_wrong(c, "operand %u is not a block", i + 1);
	}
}

/* A number, aligned where it is stored; after the end of the list there are no more offsets. */
static bool check_tread(const struct check *c)
{
	const struct ir_arg *a = c->ins->arg;
	int64_t n = a[1].imm;

	if (n & (n - 1) || a[0].imm % n)
		return report_wrong(c, "%lld bytes at %lld are not allowed", (long long)n, (long long)a[0].imm);
	for (unsigned i = 3; i < 1 + IR_TREAD_OFFS; i++)
		if (a[i].imm < 0 && a[i + 1].imm >= 0)
			return report_wrong(c, "an offset after the end of the list");
	return true;
}

/* ---- operations, blocks, functions ---- */
static bool check_ins(const struct check *c, bool last)
{
	const struct ir_ins *ins = c->ins;
	const char *sig = ir_opinfo[ins->op].sig;
	bool result = *sig == 'd', error = c->func->ctx == IR_C_ERROR, ok = true;

	if (last != !!(ir_opinfo[ins->op].flags & IR_F_TERM))
		return report_wrong(c, last ? "the block does not end" : "the block ends too early");
	if (ins->nargs != strlen(sig) - result)
		return report_wrong(c, "%u operands", (unsigned)ins->nargs);
	if (ins->dst && !result)
		return report_wrong(c, "has no result");
	if (ins->dst && !check_reg(c, ins->dst))
		return false;
	if ((ins->op == IR_PARAM && !error) || (ins->op == IR_CTX && error))
		return report_wrong(c, "is not allowed in this function");
	for (unsigned i = 0; ok && i < ins->nargs; i++)
		ok = check_operand(c, sig[i + result], i);
	return ok && (ins->op != IR_TREAD || check_tread(c));
}

static bool check_ops(struct check *c)
{
	const struct ir_block *k = &c->func->blocks.v[c->block];
	bool ok = true;

	c->ins = NULL;
	if (!k->ins.n)
		return report_wrong(c, "empty");
	for (size_t i = 0; i < k->ins.n; i++) {
		c->ins = NULL;
		if (k->ins.v[i].op >= IR_NOPS)
			return report_wrong(c, "operation %u does not exist", (unsigned)k->ins.v[i].op);
		c->ins = &k->ins.v[i];
		ok &= check_ins(c, i + 1 == k->ins.n);
	}
	return ok;
}

static bool check_func(const struct ir_prog *p, const struct ir_func *f, struct diags *d)
{
	struct check c = { .prog = p, .func = f, .diags = d };
	bool ok = true;

	if ((unsigned)f->ctx >= IR_NCTX || !f->blocks.n || f->nregs > IR_MAXREGS)
		return report_wrong(&c, "the function has no block, no kind or too many registers");
	for (c.block = 0; c.block < f->blocks.n; c.block++)
		ok &= check_ops(&c);
	return ok;
}

int ir_verify(const struct ir_prog *p, struct diags *d)
{
	size_t before = d->nerrors;

	check_objs(p, d);
	if (d->nerrors > before)
		return -1;
	for (size_t i = 0; i < p->funcs.n; i++)
		if (check_func(p, p->funcs.v[i], d))
			ir_flow_check(p, p->funcs.v[i], d);
	return d->nerrors > before ? -1 : 0;
}
