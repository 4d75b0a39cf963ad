/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs of the usdt provider do before the clauses, and arguments. An argument is fetched in the same way at
 * many places, apart from a number (an offset, a constant): each way is emitted once, tables say which one a place uses.
 */
#include "providers/usdt/usdt.h"

enum { ROW_BITS = 32 };

#define COOKIE "usdt.cookie"
#define WORD "usdt.word"

static uint32_t object_of(struct ir_builder *b, const struct ir_obj *o)
{
	int64_t found = ir_obj_find(b->prog, o->name);

	return found >= 0 ? (uint32_t)found : ir_obj_add(b->prog, o);
}

static uint32_t word_object(struct ir_builder *b, const char *name)
{
	return object_of(b, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = 8 });
}

static ir_reg cookie_load(struct ir_builder *b)
{
	return ir_emit(b, IR_LD64, ir_m(word_object(b, COOKIE), 0));
}

/* ---- which probe, which process ---- */
ir_reg usdt_select(struct ir_builder *b, const struct probe *p)
{
	(void)p;
	return ir_emit(b, IR_ZEXT32, ir_r(cookie_load(b)));
}

static uint32_t processes_object(struct ir_builder *b, const struct usdt_state *st)
{
	uint64_t *pids = arena_calloc(b->prog->arena, st->probes.n, sizeof *pids);

	for (size_t i = 0; i < st->probes.n; i++)
		pids[i] = (uint64_t)usdt_probe_of(st->probes.v[i])->pid;
	return object_of(b, &(struct ir_obj){
		.name = "usdt.process", .kind = IR_O_CONST, .size = (uint32_t)(st->probes.n * sizeof *pids),
		.init = pids,
	});
}

static bool one_process(const struct usdt_state *st)
{
	for (size_t i = 1; i < st->probes.n; i++)
		if (usdt_probe_of(st->probes.v[i])->pid != usdt_probe_of(st->probes.v[0])->pid)
			return false;
	return true;
}

/* Other processes execute the same instructions of a file; so does a child of vfork() in the process's memory. */
void usdt_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	const struct usdt_state *st = usdt_probe_of(p)->state;
	uint32_t go = ir_newblock(b, NULL);
	struct ir_arg want = ir_i(usdt_probe_of(p)->pid);
	ir_reg process;

	(void)alt;
	ir_emit(b, IR_ST64, ir_m(word_object(b, COOKIE), 0), ir_r(ir_emit0(b, IR_COOKIE)));
	if (!one_process(st))
		want = ir_r(ir_emit(b, IR_LD64, ir_mx(0, processes_object(b, st), 0, usdt_select(b, p),
						     (uint32_t)st->probes.n)));
	process = ir_emit(b, IR_LSHR, ir_r(ir_emit0(b, IR_PIDTGID)), ir_i(32));
	ir_emit(b, IR_BEQ, ir_r(process), want, ir_b(go), ir_b(skip));
	ir_enter(b, go);
}

/* ---- ways to fetch an argument ---- */
struct way {
	enum usdt_kind kind;
	uint8_t size, shift, scale;
	bool is_signed, narrow;
	int16_t base, index;
};

/* All ways to fetch argument n. */
struct ways {
	VEC(struct way) list;
	uint64_t *table;		/* for each row, its way and its number */
	bool number;			/* the numbers differ */
};

static struct way way_of(const struct usdt_row *row, unsigned n)
{
	const struct usdt_operand *o = &row->arg[n];

	if (n >= row->n || o->kind == USDT_OTHER)
		return (struct way){ .kind = USDT_OTHER };
	return (struct way){
		.kind = o->kind, .size = o->size, .shift = o->shift, .scale = o->scale, .is_signed = o->is_signed,
		.narrow = row->narrow, .base = o->base, .index = o->index,
	};
}

static bool way_equal(const struct way *x, const struct way *y)
{
	return x->kind == y->kind && x->size == y->size && x->shift == y->shift && x->scale == y->scale &&
	       x->is_signed == y->is_signed && x->narrow == y->narrow && x->base == y->base && x->index == y->index;
}

static size_t way_number(struct ways *w, struct arena *a, const struct way *way)
{
	for (size_t i = 0; i < w->list.n; i++)
		if (way_equal(&w->list.v[i], way))
			return i;
	*VEC_ADD(a, &w->list) = *way;
	return w->list.n - 1;
}

static void ways_find(struct ways *w, struct arena *a, const struct usdt_state *st, unsigned n)
{
	*w = (struct ways){ 0 };
	w->table = arena_calloc(a, st->rows.n, 2 * sizeof *w->table);
	for (size_t i = 0; i < st->rows.n; i++) {
		struct way way = way_of(&st->rows.v[i], n);

		w->table[2 * i] = way_number(w, a, &way);
		w->table[2 * i + 1] = n < st->rows.v[i].n ? (uint64_t)st->rows.v[i].arg[n].disp : 0;
		w->number |= w->table[2 * i + 1] != w->table[1];
	}
}

/* ---- code for a way ---- */
static ir_reg reg_load(struct ir_builder *b, int16_t at)
{
	return ir_emit(b, IR_CTX, ir_i(at));
}

static ir_reg address(struct ir_builder *b, const struct way *w, struct ir_arg number)
{
	ir_reg at = ir_emit(b, IR_MOV, number);

	if (w->base != USDT_NONE)
		at = ir_emit(b, IR_ADD, ir_r(reg_load(b, w->base)), number);
	if (w->index != USDT_NONE)
		at = ir_emit(b, IR_ADD, ir_r(at),
			     ir_r(ir_emit(b, IR_MUL, ir_r(reg_load(b, w->index)), ir_i(w->scale))));
	return w->narrow ? ir_emit(b, IR_ZEXT32, ir_r(at)) : at;
}

static ir_reg memory_load(struct ir_builder *b, const struct way *w, struct ir_arg number)
{
	static const enum ir_op loads[] = { [1] = IR_LD8, [2] = IR_LD16, [4] = IR_LD32, [8] = IR_LD64 };
	uint32_t word = word_object(b, WORD);

	ir_emit(b, IR_UREAD, ir_m(word, 0), ir_i(w->size), ir_r(address(b, w, number)));
	return ir_emit(b, loads[w->size], ir_m(word, 0));
}

/* The value as a word, with the argument's width and sign. */
static ir_reg extend(struct ir_builder *b, const struct way *w, ir_reg value)
{
	static const enum ir_op ops[2][5] = {
		{ [1] = IR_ZEXT8, [2] = IR_ZEXT16, [4] = IR_ZEXT32 },
		{ [1] = IR_SEXT8, [2] = IR_SEXT16, [4] = IR_SEXT32 },
	};

	return w->size == 8 ? value : ir_emit(b, ops[w->is_signed][w->size], ir_r(value));
}

static ir_reg way_emit(struct ir_builder *b, const struct way *w, struct ir_arg number)
{
	ir_reg r;

	switch (w->kind) {
	case USDT_CONSTANT:
		r = ir_emit(b, IR_MOV, number);
		break;
	case USDT_REGISTER:
		r = reg_load(b, w->base);
		if (w->shift)
			r = ir_emit(b, IR_LSHR, ir_r(r), ir_i(w->shift));
		break;
	case USDT_MEMORY:
		r = memory_load(b, w, number);
		break;
	default:
		return ir_emit(b, IR_MOV, ir_i(0));
	}
	return extend(b, w, r);
}

/* ---- choice of the way ---- */
struct choice {
	struct ir_builder *b;
	const struct ways *ways;
	struct ir_arg number;
	ir_reg way, value;
	uint32_t done;
};

/* Ways lo..hi, by halving. */
static void choose(struct choice *c, unsigned lo, unsigned hi)
{
	unsigned mid = lo + (hi - lo) / 2;
	uint32_t low, high;

	if (lo == hi) {
		ir_emit_to(c->b, IR_MOV, c->value, ir_r(way_emit(c->b, &c->ways->list.v[lo], c->number)));
		ir_emit(c->b, IR_JMP, ir_b(c->done));
		return;
	}
	low = ir_newblock(c->b, NULL);
	high = ir_newblock(c->b, NULL);
	ir_emit(c->b, IR_BULE, ir_r(c->way), ir_i(mid), ir_b(low), ir_b(high));
	ir_enter(c->b, low);
	choose(c, lo, mid);
	ir_enter(c->b, high);
	choose(c, mid + 1, hi);
}

static ir_reg table_load(struct ir_builder *b, const struct usdt_state *st, const struct ways *w, unsigned n,
			 unsigned column)
{
	uint32_t obj = object_of(b, &(struct ir_obj){
		.name = arena_printf(b->prog->arena, "usdt.arg%u", n), .kind = IR_O_CONST,
		.size = (uint32_t)(st->rows.n * 2 * sizeof *w->table), .init = w->table,
	});
	ir_reg row = ir_emit(b, IR_LSHR, ir_r(cookie_load(b)), ir_i(ROW_BITS));

	row = ir_emit(b, IR_SHL, ir_r(row), ir_i(1));
	return ir_emit(b, IR_LD64, ir_mx(0, obj, 8 * column, row, 2 * (uint32_t)st->rows.n - 1));
}

ir_reg usdt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	const struct usdt_state *st = usdt_probe_of(p)->state;
	struct choice c = { .b = b };
	struct ways w;

	(void)alt;
	ways_find(&w, b->prog->arena, st, n);
	c.ways = &w;
	c.number = w.number ? ir_r(table_load(b, st, &w, n, 1)) : ir_i((int64_t)w.table[1]);
	if (w.list.n == 1)
		return way_emit(b, &w.list.v[0], c.number);
	c.way = table_load(b, st, &w, n, 0);
	c.value = ir_newreg(b);
	c.done = ir_newblock(b, NULL);
	choose(&c, 0, (unsigned)w.list.n - 1);
	ir_enter(b, c.done);
	return c.value;
}
