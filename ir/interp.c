/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs one function. The verifier has checked the program, so no operation can fail and nothing is checked again. */
#include "ir/interp.h"
#include "ir/value.h"
#include "rt/climb.h"
#include "rt/rt.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_REGS = 512 };	/* most functions do not need malloc */

struct interp_run {
	const struct ir_prog *prog;
	const struct ir_world *world;
	uint64_t *reg;		/* reg[0] receives unused results */
	uint64_t param[5];	/* of the error function */
	bool error;		/* this is the error function */
};

static void run_func(const struct ir_func *f, struct interp_run *run);

static uint64_t arg_value(const struct interp_run *run, const struct ir_arg *a)
{
	return a->kind == IR_REG ? run->reg[a->reg] : (uint64_t)a->imm;
}

/* NULL if the index is out of bounds or the world does not provide the object. */
static void *arg_place(const struct interp_run *run, const struct ir_arg *a)
{
	uint64_t idx = a->idx ? run->reg[a->idx] : 0;
	uint8_t *base;

	if (a->idx && idx >= a->lim)
		return NULL;
	base = a->reg ? (void *)(uintptr_t)run->reg[a->reg] :
	       run->world->mem ? run->world->mem(run->world->arg, a->obj) : NULL;
	return base ? base + a->imm + idx * 8 : NULL;
}

/* ---- memory ---- */
static uint64_t load_bytes(const void *p, unsigned n)
{
	uint8_t b;
	uint16_t h;
	uint32_t w;
	uint64_t x;

	switch (n) {
	case 1:
		memcpy(&b, p, 1);
		return b;
	case 2:
		memcpy(&h, p, 2);
		return h;
	case 4:
		memcpy(&w, p, 4);
		return w;
	default:
		memcpy(&x, p, 8);
		return x;
	}
}

static void store_bytes(void *p, unsigned n, uint64_t v)
{
	uint8_t b = (uint8_t)v;
	uint16_t h = (uint16_t)v;
	uint32_t w = (uint32_t)v;

	memcpy(p, n == 1 ? (void *)&b : n == 2 ? (void *)&h : n == 4 ? (void *)&w : (void *)&v, n);
}

static uint64_t atomic_max(uint64_t *p, uint64_t v)
{
	uint64_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST);

	while (v > old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return 0;
}

/* Only atomic operations need alignment, which the verifier ensures. */
static uint64_t run_memory(const struct interp_run *run, const struct ir_ins *ins)
{
	void *p = arg_place(run, &ins->arg[0]);
	uint64_t v = ins->nargs > 1 ? arg_value(run, &ins->arg[1]) : 0, old = v;

	if (!p)
		return 0;
	switch (ins->op) {
	case IR_XADD:
		return __atomic_fetch_add((uint64_t *)p, v, __ATOMIC_SEQ_CST);
	case IR_XCAS:
		__atomic_compare_exchange_n((uint64_t *)p, &old, arg_value(run, &ins->arg[2]), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return old;
	case IR_XMAX:
		return atomic_max(p, v);
	default:
		if (ir_has_effect(ins))
			store_bytes(p, ir_place_bytes(run->prog, ins, 0), v);
		else
			return load_bytes(p, ir_place_bytes(run->prog, ins, 0));
		return 0;
	}
}

/* ---- intrinsics ---- */
typedef uint64_t intrin_fn(const struct interp_run *run, const struct ir_ins *ins);

#define HOOK(run, name, none, ...) \
	((run)->world->name ? (run)->world->name((run)->world->arg, ##__VA_ARGS__) : (none))
#define HOOK0(run, name, ...) \
	do { if ((run)->world->name) (run)->world->name((run)->world->arg, ##__VA_ARGS__); } while (0)

static uint64_t do_read(const struct interp_run *run, const struct ir_ins *ins)
{
	return HOOK(run, read, 0, (enum ir_op)ins->op, ins->nargs ? ins->arg[0].imm : 0);
}

static uint64_t do_ureg(const struct interp_run *run, const struct ir_ins *ins)
{
	return HOOK(run, read, 0, IR_UREG, (int64_t)arg_value(run, &ins->arg[0]));
}

static uint64_t do_param(const struct interp_run *run, const struct ir_ins *ins)
{
	return run->param[ins->arg[0].imm % 5];
}

static uint64_t do_comm(const struct interp_run *run, const struct ir_ins *ins)
{
	char *dst = arg_place(run, &ins->arg[0]);
	size_t n;

	if (!dst)
		return 0;
	memset(dst, 0, 16);
	HOOK0(run, comm, dst);
	n = strnlen(dst, 15);
	memset(dst + n, 0, 16 - n);
	return 0;
}

static uint64_t do_kread(const struct interp_run *run, const struct ir_ins *ins)
{
	void *dst = arg_place(run, &ins->arg[0]);
	uint32_t n = (uint32_t)ins->arg[1].imm;
	uint64_t addr = arg_value(run, &ins->arg[2]);
	int err;

	if (!dst)
		return 0;
	err = ins->op == IR_UREAD ? HOOK(run, uread, -1, dst, n, addr) : HOOK(run, kread, -1, dst, n, addr);
	if (err)
		memset(dst, 0, n);
	return err != 0;
}

static uint64_t do_tread(const struct interp_run *run, const struct ir_ins *ins)
{
	void *dst = arg_place(run, &ins->arg[0]);
	uint32_t n = (uint32_t)ins->arg[1].imm;
	uint64_t addr = HOOK(run, read, 0, IR_TASK, 0);

	for (unsigned i = 2; i < 2 + IR_TREAD_OFFS && ins->arg[i].imm >= 0; i++) {
		bool last = i + 1 == 2 + IR_TREAD_OFFS || ins->arg[i + 1].imm < 0;
		uint64_t pointer, at = addr + (uint64_t)ins->arg[i].imm;

		if (!dst)
			return 0;
		if (HOOK(run, kread, -1, last ? dst : &pointer, last ? n : sizeof pointer, at)) {
			memset(dst, 0, n);
			return ~at;
		}
		addr = last ? 0 : pointer;
	}
	return 0;
}

static uint64_t do_kstr(const struct interp_run *run, const struct ir_ins *ins)
{
	char *dst = arg_place(run, &ins->arg[0]);
	uint32_t n = (uint32_t)ins->arg[1].imm;
	uint64_t addr = arg_value(run, &ins->arg[2]);
	size_t len = 0;
	int err;

	if (!dst)
		return 0;
	memset(dst, 0, n);
	err = ins->op == IR_USTR ? HOOK(run, ustr, -1, dst, n, addr) : HOOK(run, kstr, -1, dst, n, addr);
	if (!err)
		len = strnlen(dst, n - 1);
	memset(dst + len, 0, n - len);
	return err != 0;
}

/* ---- bytes of an object at a computed offset ---- */
/* NULL unless the object has `n` bytes there. */
static uint8_t *object_window(const struct interp_run *run, uint32_t obj, uint64_t off, uint64_t n)
{
	struct ir_arg all = ir_m(obj, 0);
	uint64_t size = run->prog->objs.v[obj].size;
	uint8_t *base = n <= size && off <= size - n ? arg_place(run, &all) : NULL;

	return base ? base + off : NULL;
}

/* The same for a computed length: offset and length are each at most half of the object. */
static uint8_t *half_window(const struct interp_run *run, uint32_t obj, uint64_t off, uint64_t n)
{
	uint64_t half = run->prog->objs.v[obj].size / 2;

	return off <= half && n <= half ? object_window(run, obj, off, n) : NULL;
}

static uint64_t do_get(const struct interp_run *run, const struct ir_ins *ins)
{
	void *dst = arg_place(run, &ins->arg[0]);
	uint32_t n = (uint32_t)ins->arg[1].imm;
	const uint8_t *src = object_window(run, ins->arg[2].obj, arg_value(run, &ins->arg[3]), n);

	if (!dst)
		return 0;
	if (src)
		memmove(dst, src, n);
	else
		memset(dst, 0, n);
	return !src;
}

static uint64_t do_gets(const struct interp_run *run, const struct ir_ins *ins)
{
	char *dst = arg_place(run, &ins->arg[0]);
	uint32_t n = (uint32_t)ins->arg[1].imm;
	const void *src = half_window(run, ins->arg[2].obj, arg_value(run, &ins->arg[3]), n);
	size_t len;

	if (!dst)
		return 0;
	len = src ? strnlen(src, n - 1) : 0;
	memmove(dst, src ? src : dst, len);
	memset(dst + len, 0, n - len);
	return !src;
}

static uint64_t do_put(const struct interp_run *run, const struct ir_ins *ins)
{
	const void *src = arg_place(run, &ins->arg[0]);
	uint32_t n = (uint32_t)ins->arg[1].imm;
	uint8_t *dst = object_window(run, ins->arg[2].obj, arg_value(run, &ins->arg[3]), n);

	if (src && dst)
		memmove(dst, src, n);
	return !dst;
}

static uint64_t do_fill(const struct interp_run *run, const struct ir_ins *ins)
{
	uint64_t n = arg_value(run, &ins->arg[2]), addr = arg_value(run, &ins->arg[3]);
	const uint8_t *self = ins->arg[4].imm == IR_FILL_SELF ? half_window(run, ins->arg[0].obj, addr, n) : NULL;
	uint8_t *dst = half_window(run, ins->arg[0].obj, arg_value(run, &ins->arg[1]), n);
	int err = 0;

	if (!dst || !n || (!self && ins->arg[4].imm == IR_FILL_SELF))
		return !dst || n;
	if (self)
		memmove(dst, self, n);
	else if (ins->arg[4].imm == IR_FILL_KERNEL)
		err = HOOK(run, kread, -1, dst, (uint32_t)n, addr);
	else if (ins->arg[4].imm == IR_FILL_USER)
		err = HOOK(run, uread, -1, dst, (uint32_t)n, addr);
	if (err || ins->arg[4].imm == IR_FILL_ZERO)
		memset(dst, 0, n);
	return err != 0;
}

static uint64_t do_uwrite(const struct interp_run *run, const struct ir_ins *ins)
{
	uint64_t n = arg_value(run, &ins->arg[2]);
	const uint8_t *src = half_window(run, ins->arg[0].obj, arg_value(run, &ins->arg[1]), n);

	return !src || (n && HOOK(run, uwrite, -1, src, (uint32_t)n, arg_value(run, &ins->arg[3])));
}

static uint64_t do_stack(const struct interp_run *run, const struct ir_ins *ins)
{
	uint64_t *dst = arg_place(run, &ins->arg[0]);
	bool mark = ins->arg[2].imm & IR_STACK_MARK, more = false;
	uint32_t words = (uint32_t)(ins->arg[1].imm / 8), most = words - mark, n = 0;

	if (!dst)
		return 0;
	memset(dst, 0, 8 * (size_t)words);
	if (run->world->stack)
		more = run->world->stack(run->world->arg, dst, most, (unsigned)ins->arg[2].imm);
	while (n < most && load_bytes(dst + n, 8))
		n++;
	if (mark && more)
		store_bytes(dst + n++, 8, VAL_CUT);
	return n;
}

static uint64_t do_copy(const struct interp_run *run, const struct ir_ins *ins)
{
	void *dst = arg_place(run, &ins->arg[0]), *src = arg_place(run, &ins->arg[1]);

	if (dst && src)
		memmove(dst, src, (size_t)ins->arg[2].imm);
	return 0;
}

static uint64_t do_zero(const struct interp_run *run, const struct ir_ins *ins)
{
	void *dst = arg_place(run, &ins->arg[0]);

	if (dst)
		memset(dst, 0, (size_t)ins->arg[1].imm);
	return 0;
}

static uint64_t do_scopy(const struct interp_run *run, const struct ir_ins *ins)
{
	char *dst = arg_place(run, &ins->arg[0]), *src = arg_place(run, &ins->arg[2]);
	size_t cap = (size_t)ins->arg[1].imm, n = (size_t)ins->arg[3].imm;

	if (!dst || !src)
		return 0;
	n = strnlen(src, n < cap ? n : cap - 1);
	memmove(dst, src, n);
	memset(dst + n, 0, cap - n);
	return 0;
}

/* A string without a NUL ends at its capacity. */
static int string_order(const struct interp_run *run, const struct ir_ins *ins)
{
	const unsigned char *a = arg_place(run, &ins->arg[0]), *b = arg_place(run, &ins->arg[2]);
	size_t na = (size_t)ins->arg[1].imm, nb = (size_t)ins->arg[3].imm;

	for (size_t i = 0; a && b; i++) {
		unsigned ca = i < na ? a[i] : 0, cb = i < nb ? b[i] : 0;

		if (ca != cb)
			return ca < cb ? -1 : 1;
		if (!ca)
			break;
	}
	return 0;
}

static uint64_t do_seq(const struct interp_run *run, const struct ir_ins *ins)
{
	return string_order(run, ins) == 0;
}

static uint64_t do_scmp(const struct interp_run *run, const struct ir_ins *ins)
{
	return (uint64_t)(int64_t)string_order(run, ins);
}

static uint64_t do_cell(const struct interp_run *run, const struct ir_ins *ins)
{
	return (uintptr_t)HOOK(run, cell, NULL, ins->arg[0].obj, arg_place(run, &ins->arg[1]));
}

static uint64_t do_cell0(const struct interp_run *run, const struct ir_ins *ins)
{
	return (uintptr_t)HOOK(run, cell, NULL, ins->arg[0].obj, NULL);
}

static uint64_t do_celln(const struct interp_run *run, const struct ir_ins *ins)
{
	uint64_t n = arg_value(run, &ins->arg[1]) & (run->prog->objs.v[ins->arg[0].obj].cells - 1);

	return (uintptr_t)HOOK(run, cell, NULL, ins->arg[0].obj, &n);
}

static uint64_t do_dyn(const struct interp_run *run, const struct ir_ins *ins)
{
	return (uintptr_t)HOOK(run, dyn, NULL, ins->arg[0].obj, arg_place(run, &ins->arg[1]), ins->arg[2].imm);
}

static uint64_t do_dyndel(const struct interp_run *run, const struct ir_ins *ins)
{
	HOOK0(run, dyndel, ins->arg[0].obj, arg_place(run, &ins->arg[1]));
	return 0;
}

static uint64_t do_ended(const struct interp_run *run, const struct ir_ins *ins)
{
	return HOOK(run, ended, IR_SWEEP_NONE, arg_value(run, &ins->arg[0]));
}

static uint64_t do_sweep(const struct interp_run *run, const struct ir_ins *ins)
{
	HOOK0(run, sweep, ins->arg[0].obj, (enum ir_sweep)arg_value(run, &ins->arg[1]));
	return 0;
}

static uint64_t do_tls(const struct interp_run *run, const struct ir_ins *ins)
{
	return (uintptr_t)HOOK(run, tls, NULL, ins->arg[0].obj, ins->arg[1].imm);
}

static uint64_t do_commit(const struct interp_run *run, const struct ir_ins *ins)
{
	struct ir_arg rec = ir_m(ins->arg[0].obj, 0);
	const uint32_t size = run->prog->objs.v[rec.obj].size;
	const uint64_t n = ins->op == IR_COMMITN ? arg_value(run, &ins->arg[1]) : size;

	HOOK0(run, commit, rec.obj, arg_place(run, &rec), n < size ? (uint32_t)n : size);
	return 0;
}

/* The way up reads more than it needs at once; a structure that this engine has made can end before that. */
static int climb_read(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	const struct ir_world *w = arg;
	int r = w->kread(w->arg, dst, n, addr);

	if (!r || n != CLIMB_SPAN)
		return r;
	for (uint32_t i = 0; i < n; i += 8) {
		char *word = (char *)dst + i;

		if (w->kread(w->arg, word, 8, addr + i))
			memset(word, 0, 8);
		else
			r = 0;
	}
	return r;
}

static uint64_t do_climb(const struct interp_run *run, const struct ir_ins *ins)
{
	const struct climb_reader reader = { climb_read, (void *)(uintptr_t)run->world };
	void *text = arg_place(run, &ins->arg[0]), *work = arg_place(run, &ins->arg[2]);
	void *layout = arg_place(run, &ins->arg[4]);

	if (!text || !work || !layout || !run->world->kread)
		return 1;
	return rt_climb(text, work, layout, (uint64_t)ins->arg[1].imm - CLIMB_MORE, &reader);
}

/* Only the kernel engine has probes with such arguments. */
static uint64_t do_gather(const struct interp_run *run, const struct ir_ins *ins)
{
	void *items = arg_place(run, &ins->arg[0]);

	if (items)
		memset(items, 0, (size_t)ins->arg[1].imm);
	return 0;
}

static uint64_t do_exit(const struct interp_run *run, const struct ir_ins *ins)
{
	HOOK0(run, exit, (int64_t)arg_value(run, &ins->arg[0]));
	return 0;
}

static uint64_t do_drop(const struct interp_run *run, const struct ir_ins *ins)
{
	HOOK0(run, drop, (enum ir_drop)ins->arg[0].imm);
	return 0;
}

/* ---- the run-time library ---- */
#define CALL1_0(f) f(p[0], caps)
#define CALL1_1(f) f(p[0], caps, v[0])
#define CALL1_2(f) f(p[0], caps, v[0], v[1])
#define CALL2_0(f) f(p[0], p[1], caps)
#define CALL2_1(f) f(p[0], p[1], caps, v[0])
#define CALL2_2(f) f(p[0], p[1], caps, v[0], v[1])
#define CALL3_0(f) f(p[0], p[1], p[2], caps)
#define CALL3_1(f) f(p[0], p[1], p[2], caps, v[0])
#define CALL0_2(f) ((void)p, f(caps, v[0], v[1]))
#define CALL4_0(f) f(p[0], p[1], p[2], p[3], caps)
#define RT(n, t, s, np, nv, k, fl, d)                                                          \
	static uint64_t call_##t(void *const *p, uint64_t caps, const uint64_t *v)          \
	{                                                                                   \
		(void)v;                                                                    \
		return CALL##np##_##nv(rt_##t);                                             \
	}
#include "rt/rt.def"

static const struct rt_row {
	uint64_t (*call)(void *const *p, uint64_t caps, const uint64_t *v);
	unsigned places, flags;
} rt_rows[IR_NOPS] = {
#define RT(n, t, s, np, nv, k, f, d) [IR_##n] = { call_##t, np, f },
#include "rt/rt.def"
};

uint64_t ir_rt_call(enum ir_op op, void *const *p, const uint32_t *cap, const uint64_t *v)
{
	const struct rt_row *row = &rt_rows[op];
	uint64_t caps = 0;

	for (unsigned i = 0; i < row->places; i++)
		caps |= (uint64_t)cap[i] << 16 * i;
	if (row->flags & RT_ZERO)
		memset(p[0], 0, cap[0]);
	return row->call(p, caps, v);
}

static uint64_t do_rt(const struct interp_run *run, const struct ir_ins *ins)
{
	void *p[IR_MAXARGS];
	uint32_t cap[IR_MAXARGS];
	uint64_t v[IR_MAXARGS] = { 0 };
	unsigned np = 0, nv = 0;

	for (unsigned i = 0; i < ins->nargs; i++) {
		if (ins->arg[i].kind == IR_MEM) {
			p[np] = arg_place(run, &ins->arg[i]);
			if (!p[np])
				return 0;
			cap[np++] = (uint32_t)ins->arg[++i].imm;
		} else {
			v[nv++] = arg_value(run, &ins->arg[i]);
		}
	}
	return ir_rt_call(ins->op, p, cap, v);
}

static uint64_t do_signal(const struct interp_run *run, const struct ir_ins *ins)
{
	HOOK0(run, signal, arg_value(run, &ins->arg[0]));
	return 0;
}

static intrin_fn *const intrins[IR_NOPS] = {
#define RT(n, t, s, np, nv, k, f, d) [IR_##n] = do_rt,
#include "rt/rt.def"
	[IR_CLOCK] = do_read, [IR_PIDTGID] = do_read, [IR_UIDGID] = do_read, [IR_CPU] = do_read,
	[IR_TASK] = do_read, [IR_CTX] = do_read, [IR_PERFCOUNT] = do_read, [IR_STACKDEPTH] = do_read,
	[IR_CALLERPC] = do_read, [IR_COOKIE] = do_read, [IR_STATE] = do_read, [IR_JIFFIES] = do_read,
	[IR_RANDOM] = do_read, [IR_TURN] = do_read, [IR_PARAM] = do_param, [IR_COMM] = do_comm,
	[IR_USTACKDEPTH] = do_read, [IR_GOID] = do_read, [IR_UREG] = do_ureg, [IR_STACK] = do_stack,
	[IR_TREAD] = do_tread,
	[IR_KREAD] = do_kread, [IR_KSTR] = do_kstr, [IR_UREAD] = do_kread, [IR_USTR] = do_kstr,
	[IR_FILL] = do_fill, [IR_UWRITE] = do_uwrite, [IR_GET] = do_get, [IR_GETS] = do_gets, [IR_PUT] = do_put,
	[IR_COPY] = do_copy, [IR_ZERO] = do_zero,
	[IR_SCOPY] = do_scopy, [IR_SEQ] = do_seq, [IR_SCMP] = do_scmp, [IR_CELL] = do_cell,
	[IR_CELL0] = do_cell0, [IR_CELLN] = do_celln, [IR_DYN] = do_dyn, [IR_DYNDEL] = do_dyndel, [IR_TLS] = do_tls,
	[IR_ENDED] = do_ended, [IR_SWEEP] = do_sweep,
	[IR_COMMIT] = do_commit, [IR_COMMITN] = do_commit, [IR_CLIMB] = do_climb, [IR_GATHER] = do_gather,
	 [IR_EXIT] = do_exit, [IR_SIGNAL] = do_signal, [IR_DROP] = do_drop,
};

/* ---- control ---- */
static void run_fault(struct interp_run *run, const struct ir_ins *ins)
{
	uint64_t v = arg_value(run, &ins->arg[3]);
	struct interp_run error = {
		.prog = run->prog, .world = run->world, .error = true,
		.param = {
			(uint32_t)arg_value(run, &ins->arg[0]), (uint64_t)ins->arg[1].imm, (uint64_t)ins->arg[2].imm, v,
			arg_value(run, &ins->arg[4]),
		},
	};

	HOOK0(run, fault, (uint32_t)error.param[0], (uint32_t)error.param[1], (enum ir_fault)error.param[2], v);
	for (size_t i = 0; i < run->prog->funcs.n; i++) {
		if (run->prog->funcs.v[i]->ctx == IR_C_ERROR) {
			run_func(run->prog->funcs.v[i], &error);
			return;
		}
	}
}

/* The next block; UINT32_MAX at the end. */
static uint32_t next_block(struct interp_run *run, const struct ir_ins *ins)
{
	switch (ins->op) {
	case IR_RET:
		return UINT32_MAX;
	case IR_JMP:
		return (uint32_t)ins->arg[0].imm;
	case IR_FAULT:
		if (run->error)
			HOOK0(run, drop, IR_DROP_DBLERROR);
		else
			run_fault(run, ins);
		return (uint32_t)ins->arg[5].imm;
	default:
		return (uint32_t)(ir_fold(ins->op, arg_value(run, &ins->arg[0]), arg_value(run, &ins->arg[1])) ?
				  ins->arg[2].imm : ins->arg[3].imm);
	}
}

static void run_ins(struct interp_run *run, const struct ir_ins *ins)
{
	unsigned flags = ir_opinfo[ins->op].flags;

	if (flags & IR_F_MEM)
		run->reg[ins->dst] = run_memory(run, ins);
	else if (flags & (IR_F_ALU | IR_F_UN | IR_F_COND))
		run->reg[ins->dst] = ir_fold(ins->op, arg_value(run, &ins->arg[0]), arg_value(run, &ins->arg[1]));
	else if (intrins[ins->op])
		run->reg[ins->dst] = intrins[ins->op](run, ins);
}

static void run_blocks(const struct ir_func *f, struct interp_run *run)
{
	for (uint32_t b = 0; b != UINT32_MAX;) {
		const struct ir_ins *ins = f->blocks.v[b].ins.v;

		while (!(ir_opinfo[ins->op].flags & IR_F_TERM))
			run_ins(run, ins++);
		b = next_block(run, ins);
	}
}

static void run_func(const struct ir_func *f, struct interp_run *run)
{
	uint64_t few[STACK_REGS], *many = NULL;

	run->reg = few;
	if (f->nregs >= STACK_REGS)
		run->reg = many = malloc(((size_t)f->nregs + 1) * sizeof *many);
	if (run->reg)
		run_blocks(f, run);
	else
		HOOK0(run, drop, IR_DROP_SCRATCH);
	free(many);
}

void ir_run(const struct ir_prog *p, const struct ir_func *f, const struct ir_world *w)
{
	struct interp_run run = { .prog = p, .world = w, .error = f->ctx == IR_C_ERROR };

	for (size_t i = 0; i < p->objs.n && !run.error; i++) {
		struct ir_arg all = ir_m((uint32_t)i, 0);
		void *mem = p->objs.v[i].kind == IR_O_LOCAL ? arg_place(&run, &all) : NULL;

		if (mem)
			memset(mem, 0, p->objs.v[i].size);
	}
	run_func(f, &run);
}
