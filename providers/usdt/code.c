/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs of the usdt provider do before the clauses, and arguments. An argument is fetched in the same way at
 * many places, apart from a number (an offset, a constant): each way is emitted once, and tables say which one a place
 * uses.
 * If places may be found while the program runs, there is one more way, which serves any of them and is slower: a word
 * of the table describes it.
 */
#include <stddef.h>
#include <stdio.h>

#include "providers/family.h"
#include "providers/usdt/usdt.h"

#define COOKIE "usdt.cookie"
#define WORD "usdt.word"
#define PROCESS "usdt.process"
#define TABLE "usdt.arg%u"
enum { TABLE_NAME = 24 };

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
		pids[i] = (uint64_t)family_word(st->set, usdt_probe_of(st->probes.v[i])->pid);
	return object_of(b, &(struct ir_obj){
		.name = PROCESS, .kind = IR_O_GLOBAL, .size = (uint32_t)(st->probes.n * sizeof *pids),
		.init = pids,
	});
}

void usdt_set_process(const struct usdt_state *st, const struct probe *p)
{
	uint64_t *pids = st->env->global(st->env, PROCESS);

	if (pids)
		__atomic_store_n(&pids[usdt_probe_of(p)->number],
				 (uint64_t)family_word(st->set, usdt_probe_of(p)->pid), __ATOMIC_RELEASE);
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
	struct ir_arg want = ir_i(family_word(st->set, usdt_probe_of(p)->pid));
	uint32_t check = 0, go = 0;

	(void)alt;
	ir_emit(b, IR_ST64, ir_m(word_object(b, COOKIE), 0), ir_r(ir_emit0(b, IR_COOKIE)));
	if (one_process(st) && !usdt_probe_of(st->probes.v[0])->pid)
		return;		/* each process is meant */
	if (!one_process(st))
		want = ir_r(ir_emit(b, IR_LD64, ir_mx(0, processes_object(b, st), 0, usdt_select(b, p),
						     (uint32_t)st->probes.n)));
	if (st->set->everywhere) {
		check = ir_newblock(b, NULL);
		go = ir_newblock(b, NULL);
		ir_emit(b, IR_BEQ, want, ir_i(0), ir_b(go), ir_b(check));
		ir_enter(b, check);
	}
	family_check(b, st->set, want, skip);
	if (st->set->everywhere) {
		ir_emit(b, IR_JMP, ir_b(go));
		ir_enter(b, go);
	}
}

/* ---- ways to fetch an argument ---- */
struct usdt_way {
	enum usdt_kind kind;
	uint8_t size, shift, scale;
	bool is_signed, narrow;
	int16_t base, index;
};

/* Words of a row of the table of argument n. */
enum { COL_WAY, COL_NUMBER, COL_ANY, COLUMNS };

/* All ways to fetch argument n. */
struct usdt_ways {
	VEC(struct usdt_way) list;
	bool any;			/* and the one that serves any place */
	uint64_t *table;
	size_t rows;			/* of the table */
	bool number;			/* the numbers differ */
};

static struct usdt_way way_of(const struct usdt_row *row, unsigned n)
{
	const struct usdt_operand *o = &row->arg[n];

	if (n >= row->n || o->kind == USDT_OTHER)
		return (struct usdt_way){ .kind = USDT_OTHER };
	return (struct usdt_way){
		.kind = o->kind, .size = o->size, .shift = o->shift, .scale = o->scale, .is_signed = o->is_signed,
		.narrow = row->narrow, .base = o->base, .index = o->index,
	};
}

static bool way_equal(const struct usdt_way *x, const struct usdt_way *y)
{
	return x->kind == y->kind && x->size == y->size && x->shift == y->shift && x->scale == y->scale &&
	       x->is_signed == y->is_signed && x->narrow == y->narrow && x->base == y->base && x->index == y->index;
}

static size_t way_number(struct usdt_ways *w, struct arena *a, const struct usdt_way *way)
{
	for (size_t i = 0; i < w->list.n; i++)
		if (way_equal(&w->list.v[i], way))
			return i;
	*VEC_ADD(a, &w->list) = *way;
	return w->list.n - 1;
}

/* COL_ANY: from bit 0: base and index register (in the order of struct pt_regs), log2 of the scale, shift, log2 of the
 * size, flags. */
enum { ANY_INDEX = 8, ANY_SCALE = 16, ANY_SHIFT = 24, ANY_SIZE = 32, ANY_FLAGS = 40, ANY_REG = 0xff };
enum { ANY_SIGNED = 1, ANY_NARROW = 2, ANY_MEMORY = 4 };

static uint64_t log2_of(unsigned n)
{
	return n > 1 ? (uint64_t)__builtin_ctz(n) : 0;
}

static uint64_t any_word(const struct usdt_way *w)
{
	uint64_t flags = (w->is_signed ? ANY_SIGNED : 0) | (w->narrow ? ANY_NARROW : 0) |
			 (w->kind == USDT_MEMORY ? ANY_MEMORY : 0);
	bool regs = w->kind == USDT_REGISTER || w->kind == USDT_MEMORY;
	uint64_t base = regs && w->base != USDT_NONE ? (uint64_t)w->base / 8 : ANY_REG;
	uint64_t index = regs && w->index != USDT_NONE ? (uint64_t)w->index / 8 : ANY_REG;

	return base | index << ANY_INDEX | log2_of(w->scale) << ANY_SCALE | (uint64_t)w->shift << ANY_SHIFT |
	       log2_of(w->size) << ANY_SIZE | flags << ANY_FLAGS;
}

static uint64_t number_of(const struct usdt_row *row, unsigned n)
{
	return n < row->n && row->arg[n].kind != USDT_OTHER ? (uint64_t)row->arg[n].disp : 0;
}

static void ways_find(struct usdt_ways *w, struct arena *a, const struct usdt_state *st, unsigned n)
{
	*w = (struct usdt_ways){ .any = st->anchor != NULL };
	w->rows = st->rows.n + (w->any ? USDT_SPARE_ROWS : 0);
	w->table = arena_calloc(a, w->rows, COLUMNS * sizeof *w->table);
	for (size_t i = 0; i < st->rows.n; i++) {
		struct usdt_way way = way_of(&st->rows.v[i], n);
		uint64_t *to = w->table + COLUMNS * i;

		to[COL_WAY] = way_number(w, a, &way);
		to[COL_NUMBER] = number_of(&st->rows.v[i], n);
		w->number |= w->any || to[COL_NUMBER] != w->table[COL_NUMBER];
	}
	w->number |= w->any;
}

/* ---- code for a way ---- */
static ir_reg reg_load(struct ir_builder *b, int16_t at)
{
	return ir_emit(b, IR_CTX, ir_i(at));
}

static ir_reg address_emit(struct ir_builder *b, const struct usdt_way *w, struct ir_arg number)
{
	ir_reg at = ir_emit(b, IR_MOV, number);

	if (w->base != USDT_NONE)
		at = ir_emit(b, IR_ADD, ir_r(reg_load(b, w->base)), number);
	if (w->index != USDT_NONE)
		at = ir_emit(b, IR_ADD, ir_r(at),
			     ir_r(ir_emit(b, IR_MUL, ir_r(reg_load(b, w->index)), ir_i(w->scale))));
	return w->narrow ? ir_emit(b, IR_ZEXT32, ir_r(at)) : at;
}

static ir_reg memory_load(struct ir_builder *b, const struct usdt_way *w, struct ir_arg number)
{
	static const enum ir_op loads[] = { [1] = IR_LD8, [2] = IR_LD16, [4] = IR_LD32, [8] = IR_LD64 };
	uint32_t word = word_object(b, WORD);

	ir_emit(b, IR_UREAD, ir_m(word, 0), ir_i(w->size), ir_r(address_emit(b, w, number)));
	return ir_emit(b, loads[w->size], ir_m(word, 0));
}

/* The value as a word, with the argument's width and sign. */
static ir_reg extend_value(struct ir_builder *b, const struct usdt_way *w, ir_reg value)
{
	static const enum ir_op ops[2][5] = {
		{ [1] = IR_ZEXT8, [2] = IR_ZEXT16, [4] = IR_ZEXT32 },
		{ [1] = IR_SEXT8, [2] = IR_SEXT16, [4] = IR_SEXT32 },
	};

	return w->size == 8 ? value : ir_emit(b, ops[w->is_signed][w->size], ir_r(value));
}

static ir_reg way_emit(struct ir_builder *b, const struct usdt_way *w, struct ir_arg number)
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
	return extend_value(b, w, r);
}

/* ---- code for any way ---- */
static ir_reg word_bits(struct ir_builder *b, ir_reg word, unsigned at, int64_t mask)
{
	return ir_emit(b, IR_AND, ir_r(ir_emit(b, IR_LSHR, ir_r(word), ir_i(at))), ir_i(mask));
}

/* The number of bytes decides how much is read: the memory after it may not be readable. */
static ir_reg any_memory(struct ir_builder *b, ir_reg word, ir_reg at)
{
	ir_reg value = ir_newreg(b), size = word_bits(b, word, ANY_SIZE, 3);
	uint32_t obj = word_object(b, WORD), done = ir_newblock(b, NULL);

	ir_emit(b, IR_ST64, ir_m(obj, 0), ir_i(0));
	for (unsigned i = 0; i < 4; i++) {
		uint32_t go = ir_newblock(b, NULL), next = ir_newblock(b, NULL);

		ir_emit(b, IR_BEQ, ir_r(size), ir_i(i), ir_b(go), ir_b(next));
		ir_enter(b, go);
		ir_emit(b, IR_UREAD, ir_m(obj, 0), ir_i(1 << i), ir_r(at));
		ir_emit_to(b, IR_LD64, value, ir_m(obj, 0));
		ir_emit(b, IR_JMP, ir_b(done));
		ir_enter(b, next);
	}
	ir_emit_to(b, IR_MOV, value, ir_i(0));
	ir_enter(b, done);
	return value;
}

/* One of two values, by a flag. */
static ir_reg any_flag(struct ir_builder *b, ir_reg word, unsigned flag, ir_reg yes, ir_reg no)
{
	ir_reg value = ir_emit(b, IR_MOV, ir_r(no));
	uint32_t go = ir_newblock(b, NULL), done = ir_newblock(b, NULL);

	ir_emit(b, IR_BNE, ir_r(word_bits(b, word, ANY_FLAGS, flag)), ir_i(0), ir_b(go), ir_b(done));
	ir_enter(b, go);
	ir_emit_to(b, IR_MOV, value, ir_r(yes));
	ir_enter(b, done);
	return value;
}

static ir_reg any_emit(struct ir_builder *b, ir_reg word, struct ir_arg number)
{
	ir_reg at = ir_emit(b, IR_UREG, ir_r(word_bits(b, word, ANY_INDEX, ANY_REG))), value, left;
	uint32_t read = ir_newblock(b, NULL), plain = ir_newblock(b, NULL), done = ir_newblock(b, NULL);

	at = ir_emit(b, IR_SHL, ir_r(at), ir_r(word_bits(b, word, ANY_SCALE, 3)));
	at = ir_emit(b, IR_ADD, ir_r(at), ir_r(ir_emit(b, IR_UREG, ir_r(word_bits(b, word, 0, ANY_REG)))));
	at = ir_emit(b, IR_ADD, ir_r(at), number);
	value = ir_emit(b, IR_LSHR, ir_r(at), ir_r(word_bits(b, word, ANY_SHIFT, 63)));
	ir_emit(b, IR_BNE, ir_r(word_bits(b, word, ANY_FLAGS, ANY_MEMORY)), ir_i(0), ir_b(read), ir_b(plain));
	ir_enter(b, read);
	at = any_flag(b, word, ANY_NARROW, ir_emit(b, IR_ZEXT32, ir_r(at)), at);
	ir_emit_to(b, IR_MOV, value, ir_r(any_memory(b, word, at)));
	ir_emit(b, IR_JMP, ir_b(done));
	ir_enter(b, plain);
	ir_enter(b, done);
	/* 64 - 8 * size */
	left = ir_emit(b, IR_SUB, ir_i(64), ir_r(ir_emit(b, IR_SHL, ir_i(8), ir_r(word_bits(b, word, ANY_SIZE, 3)))));
	value = ir_emit(b, IR_SHL, ir_r(value), ir_r(left));
	return any_flag(b, word, ANY_SIGNED, ir_emit(b, IR_ASHR, ir_r(value), ir_r(left)),
			ir_emit(b, IR_LSHR, ir_r(value), ir_r(left)));
}

/* ---- choice of the way ---- */
struct usdt_choice {
	struct ir_builder *b;
	const struct usdt_ways *ways;
	unsigned arg;
	struct ir_arg number;
	ir_reg way, value;
	uint32_t done;
};

static ir_reg table_load(struct usdt_choice *c, unsigned column)
{
	const struct usdt_ways *w = c->ways;
	uint32_t obj = object_of(c->b, &(struct ir_obj){
		.name = arena_printf(c->b->prog->arena, TABLE, c->arg), .kind = w->any ? IR_O_GLOBAL : IR_O_CONST,
		.size = (uint32_t)(w->rows * COLUMNS * sizeof *w->table), .init = w->table,
	});
	ir_reg row = ir_emit(c->b, IR_LSHR, ir_r(cookie_load(c->b)), ir_i(USDT_ROW_BITS));

	row = ir_emit(c->b, IR_MUL, ir_r(row), ir_i(COLUMNS));
	return ir_emit(c->b, IR_LD64, ir_mx(0, obj, 8 * column, row, (uint32_t)((w->rows - 1) * COLUMNS + 1)));
}

/* The way after all others serves any place. */
static ir_reg choice_emit(struct usdt_choice *c, unsigned i)
{
	if (i < c->ways->list.n)
		return way_emit(c->b, &c->ways->list.v[i], c->number);
	return any_emit(c->b, table_load(c, COL_ANY), c->number);
}

/* Ways lo..hi, by halving. */
static void choose_way(struct usdt_choice *c, unsigned lo, unsigned hi)
{
	unsigned mid = lo + (hi - lo) / 2;
	uint32_t low, high;

	if (lo == hi) {
		ir_emit_to(c->b, IR_MOV, c->value, ir_r(choice_emit(c, lo)));
		ir_emit(c->b, IR_JMP, ir_b(c->done));
		return;
	}
	low = ir_newblock(c->b, NULL);
	high = ir_newblock(c->b, NULL);
	ir_emit(c->b, IR_BULE, ir_r(c->way), ir_i(mid), ir_b(low), ir_b(high));
	ir_enter(c->b, low);
	choose_way(c, lo, mid);
	ir_enter(c->b, high);
	choose_way(c, mid + 1, hi);
}

ir_reg usdt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	struct usdt_state *st = usdt_probe_of(p)->state;
	struct usdt_choice c = { .b = b, .arg = n };
	struct usdt_ways w;

	(void)alt;
	ways_find(&w, b->prog->arena, st, n);
	st->ways[n] = w.list.n;
	c.ways = &w;
	c.number = w.number ? ir_r(table_load(&c, COL_NUMBER)) : ir_i((int64_t)w.table[COL_NUMBER]);
	if (w.list.n + w.any == 1)
		return choice_emit(&c, 0);
	c.way = table_load(&c, COL_WAY);
	c.value = ir_newreg(b);
	c.done = ir_newblock(b, NULL);
	choose_way(&c, 0, (unsigned)w.list.n + w.any - 1);
	ir_enter(b, c.done);
	return c.value;
}

/* Arguments of which the script has no table are not used. */
void usdt_set_row(const struct usdt_state *st, size_t row)
{
	for (unsigned n = 0; n < USDT_ARGS; n++) {
		const struct usdt_way way = way_of(&st->rows.v[row], n);
		char name[TABLE_NAME];
		uint64_t *to;

		snprintf(name, sizeof name, TABLE, n);
		to = st->env->global(st->env, name);
		if (!to)
			continue;
		to += COLUMNS * row;
		to[COL_NUMBER] = number_of(&st->rows.v[row], n);
		to[COL_ANY] = any_word(&way);
		__atomic_store_n(&to[COL_WAY], st->ways[n], __ATOMIC_RELEASE);
	}
}
