/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings. The user of a string provides its destination: a field, a key, a variable. Every string ends with a NUL and
 * is padded with zeros, so strings can be compared by words and no old data leaks.
 */
#include "lang/lower/str.h"

#include <string.h>

#include "lang/func.h"
#include "lang/lower/args.h"
#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/task.h"
#include "lang/lower/var.h"

enum {
	COMM_SIZE = 16,
	STORE_MAX = 64,		/* longest constant to store word by word */
	WORDS_MAX = 32,		/* longest constant to compare word by word */
};

uint32_t lower_cap(const struct lower *l, const struct type *t)
{
	uint64_t n = t->size ? t->size : l->strsize;

	return n > LOWER_MAXREC ? LOWER_MAXREC + 8 : (uint32_t)((n + 7) & ~7ull);
}

/* ---- constants ---- */
static uint64_t text_word(const struct strval *s, size_t at)
{
	uint64_t w = 0;

	if (at < s->len)
		memcpy(&w, s->text + at, s->len - at < 8 ? s->len - at : 8);
	return w;
}

/* The object with a constant, padded with zeros to a multiple of 8. */
static uint32_t constant_object(struct lower *l, const struct strval *s)
{
	void **slot = map_put(&l->strings, s->text, s->len);
	struct ir_obj o = { .kind = IR_O_CONST, .size = ((uint32_t)s->len + 8) & ~7u };
	char *text;

	if (!*slot) {
		text = arena_alloc(l->arena, o.size);
		memcpy(text, s->text, s->len);
		o.init = text;
		o.name = arena_printf(l->arena, "str@%zu", l->strings.n);
		*slot = (void *)(uintptr_t)(ir_obj_add(l->ir, &o) + 1);
	}
	return (uint32_t)(uintptr_t)*slot - 1;
}

static struct ir_arg place_at(struct ir_arg m, uint32_t by)
{
	m.imm += by;
	return m;
}

/* Stores zeros from `from` to `to`, both multiples of 8. */
static void zero_words(struct lower *l, struct ir_arg dst, uint32_t from, uint32_t to)
{
	if (to - from > STORE_MAX)
		ir_emit(&l->b, IR_ZERO, place_at(dst, from), ir_i(to - from));
	else
		for (; from < to; from += 8)
			ir_emit(&l->b, IR_ST64, place_at(dst, from), ir_i(0));
}

static void store_constant(struct lower *l, const struct strval *s, struct ir_arg dst, uint32_t cap)
{
	struct strval cut = *s;
	uint32_t n;

	if (cut.len >= cap)
		cut.len = cap - 1;
	n = ((uint32_t)cut.len + 7) & ~7u;
	if (n > STORE_MAX)
		ir_emit(&l->b, IR_COPY, dst, ir_m(constant_object(l, &cut), 0), ir_i(n));
	else
		for (uint32_t i = 0; i < n; i += 8)
			ir_emit(&l->b, IR_ST64, place_at(dst, i), ir_i((int64_t)text_word(&cut, i)));
	zero_words(l, dst, n, cap);
}

/* ---- sources ---- */
static struct strval known_string(const char *text, size_t len)
{
	return (struct strval){ .text = text, .len = len };
}

static bool known_text(const struct lower *l, const struct node *n, struct strval *s)
{
	const char *text = NULL;

	if (n->kind == N_STR)
		*s = known_string(n->str, n->len);
	else if (n->kind != N_VAR || n->var->cls != VC_BUILTIN || !(text = lower_builtin_text(l, n)))
		return false;
	else
		*s = known_string(text, strlen(text));
	return true;
}

void lower_store_string(struct lower *l, const struct strval *s, struct ir_arg dst, uint32_t cap)
{
	bool same = s->place.obj == dst.obj && s->place.reg == dst.reg && s->place.imm == dst.imm;

	if (s->text)
		store_constant(l, s, dst, cap);
	else if (!same)
		ir_emit(&l->b, IR_SCOPY, dst, ir_i(cap), s->place, ir_i(s->cap));
}

static void comm_of_thread(struct lower *l, const struct node *n, struct ir_arg dst)
{
	struct ir_arg from;

	if (!l->site || !l->site->task) {
		ir_emit(&l->b, IR_COMM, dst);
		lower_task_layout(l);
		return;
	}
	from = lower_kfield_addr(l, n, lower_task(l), KF_COMM);
	ir_emit(&l->b, IR_KSTR, dst, ir_i(COMM_SIZE), from);
}

void lower_execname(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	struct strval s = { .cap = COMM_SIZE };

	if (cap >= COMM_SIZE) {
		comm_of_thread(l, n, dst);
		zero_words(l, dst, COMM_SIZE, cap);
		return;
	}
	s.place = ir_m(lower_temp(l, COMM_SIZE), 0);
	comm_of_thread(l, n, s.place);
	lower_store_string(l, &s, dst, cap);
}

/* The string at a kernel pointer. Never reads past the end of an array in a structure. */
static void from_kernel(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	uint64_t max = n->type->size ? n->type->size : l->strsize;
	uint32_t bytes = max < cap ? (uint32_t)max : cap, end = (bytes + 7) & ~7u;

	if (bytes % 8)
		ir_emit(&l->b, IR_ST64, place_at(dst, end - 8), ir_i(0));
	lower_string_at(l, n->a, dst, bytes);
	zero_words(l, dst, end, cap);
}

static void from_member(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	uint32_t size = lower_cap(l, n->type), bytes = size < cap ? size : cap;

	lower_string_member(l, n, dst, bytes);
	zero_words(l, dst, bytes, cap);
}

/* A variable whose cell may not exist. */
static void from_variable(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	struct var_place p = lower_place(l, n);
	uint32_t absent = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	struct strval s = { .cap = lower_cap(l, n->var->type) };

	s.place = lower_cell(l, &p, CELL_FIND, absent);
	lower_store_string(l, &s, dst, cap);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	if (s.place.reg) {
		ir_enter(&l->b, absent);
		zero_words(l, dst, 0, cap);
	}
	ir_enter(&l->b, end);
}

static void from_cond(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	uint32_t yes = ir_newblock(&l->b, NULL), no = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);

	lower_branch(l, n->a, yes, no);
	ir_enter(&l->b, yes);
	lower_string(l, n->b, dst, cap);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, no);
	lower_string(l, n->c, dst, cap);
	ir_enter(&l->b, end);
}

static struct strval assign_string(struct lower *l, const struct node *n);

void lower_string(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	struct loc saved = l->b.loc;
	struct strval s;

	if (!lower_enter_depth(l, n->loc))
		return;
	l->b.loc = n->loc;
	switch (known_text(l, n, &s) ? N_STR : n->kind) {
	case N_STR:
		store_constant(l, &s, dst, cap);
		break;
	case N_VAR:
		if (n->var->cls != VC_BUILTIN)
			from_variable(l, n, dst, cap);
		else if (probe_text(l->probe, n->var->builtin))
			lower_gate_text(l, n, dst, cap);
		else if (n->var->builtin == BI_execargs)
			lower_execargs(l, n, dst, cap);
		else
			lower_execname(l, n, dst, cap);
		break;
	case N_INDEX:
		from_variable(l, n, dst, cap);
		break;
	case N_COND:
		from_cond(l, n, dst, cap);
		break;
	case N_CALL:
		n->func->string(l, n, dst, cap);
		break;
	case N_CAST:
		from_kernel(l, n, dst, cap);
		break;
	case N_MEMBER:
	case N_DEREF:
		from_member(l, n, dst, cap);
		break;
	case N_COMMA:
		lower_effect(l, n->a);
		lower_string(l, n->b, dst, cap);
		break;
	case N_ASSIGN:
		s = assign_string(l, n);
		lower_store_string(l, &s, dst, cap);
		break;
	default:
		diag(l->diags, n->loc, D_UNSUPPORTED, "this string expression is not supported yet");
	}
	l->b.loc = saved;
	l->depth--;
}

/* True if the variable is padded. One that a pointer may refer to can have any bytes after the NUL. */
static bool is_padded(const struct node *n)
{
	return n->kind == N_VAR && (n->var->cls == VC_GLOBAL || n->var->cls == VC_THIS) && !n->var->is_array &&
	       !n->var->reached;
}

/* A constant or a variable in place; anything else in a scratch object. */
struct strval lower_strval(struct lower *l, const struct node *n)
{
	struct strval s = { 0 };

	if (known_text(l, n, &s))
		return s;
	if (n->kind == N_ASSIGN)
		return assign_string(l, n);
	s.cap = lower_cap(l, n->type);
	if (is_padded(n)) {
		s.place = ir_m(lower_place(l, n).obj, 0);
	} else {
		s.place = ir_m(lower_temp(l, s.cap), 0);
		lower_string(l, n, s.place, s.cap);
	}
	return s;
}

/*
 * The value is complete before the variable changes: a fault must leave the old string, and the value may depend on the
 * variable.
 */
static struct strval assign_variable(struct lower *l, const struct node *n)
{
	struct strval s = lower_strval(l, n->b);
	struct var_place p = lower_place(l, n->a);
	uint32_t cap = lower_cap(l, n->a->var->type), end;
	struct ir_arg m;

	if (s.text && !s.len && (p.kind == IR_O_DYN || p.kind == IR_O_THREAD)) {
		lower_forget(l, &p, cap);
		return s;
	}
	end = ir_newblock(&l->b, NULL);
	m = lower_cell(l, &p, CELL_CREATE, end);
	lower_store_string(l, &s, m, cap);
	ir_enter(&l->b, end);
	return s;
}

/* Assigns to a member or through a pointer. */
static struct strval assign_string(struct lower *l, const struct node *n)
{
	uint32_t size, tmp, room;
	struct strval s;

	if (n->a->kind != N_MEMBER && n->a->kind != N_DEREF)
		return assign_variable(l, n);
	size = lower_cap(l, n->a->type);
	room = n->a->type->size && n->a->type->size < size ? (uint32_t)n->a->type->size : size;
	tmp = lower_temp(l, size);
	s = lower_strval(l, n->b);
	lower_store_string(l, &s, ir_m(tmp, 0), size);
	if (room < size)	/* an array of characters */
		ir_emit(&l->b, IR_ST8, ir_m(tmp, room - 1), ir_i(0));
	lower_assign_string(l, n->a, ir_m(tmp, 0), room);
	return s;
}

/* ---- comparisons ---- */
struct ir_arg lower_in_place(struct lower *l, const struct strval *s, uint32_t *cap)
{
	*cap = s->text ? ((uint32_t)s->len + 8) & ~7u : s->cap;
	return s->text ? ir_m(constant_object(l, s), 0) : s->place;
}

struct ir_arg lower_strplace(struct lower *l, const struct node *n, uint32_t *cap)
{
	struct strval s = lower_strval(l, n);

	return lower_in_place(l, &s, cap);
}

/* If all words up to the constant's NUL are equal, the strings are equal, because both are padded with zeros. */
static void equal_words(struct lower *l, const struct strval *s, const struct strval *text, uint32_t yes, uint32_t no)
{
	uint32_t last = (uint32_t)text->len & ~7u;

	if (text->len >= s->cap) {
		ir_emit(&l->b, IR_JMP, ir_b(no));
		return;
	}
	for (uint32_t i = 0; i <= last; i += 8) {
		ir_reg w = ir_emit(&l->b, IR_LD64, place_at(s->place, i));
		uint32_t next = i == last ? yes : ir_newblock(&l->b, NULL);

		ir_emit(&l->b, IR_BEQ, ir_r(w), ir_i((int64_t)text_word(text, i)), ir_b(next), ir_b(no));
		if (i < last)
			ir_enter(&l->b, next);
	}
}

static int order_texts(const struct strval *a, const struct strval *b)
{
	int r = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);

	return r ? r : (a->len > b->len) - (a->len < b->len);
}

void lower_compare_strings(struct lower *l, const struct node *n, uint32_t yes, uint32_t no)
{
	static const enum ir_op branch[] = {
		[OP_EQ] = IR_BNE, [OP_NE] = IR_BEQ,	/* of IR_SEQ */
		[OP_LT] = IR_BSLT, [OP_LE] = IR_BSLE, [OP_GT] = IR_BSGT, [OP_GE] = IR_BSGE,
	};
	struct strval a = lower_strval(l, n->a), b = lower_strval(l, n->b);
	bool equality = n->op == OP_EQ || n->op == OP_NE;
	const struct strval *text = a.text ? &a : b.text ? &b : NULL;
	struct ir_arg place_a, place_b;
	uint32_t size_a, size_b;
	ir_reg r;

	if (a.text && b.text) {
		int o = order_texts(&a, &b);
		bool holds = n->op == OP_EQ ? o == 0 : n->op == OP_NE ? o != 0 : n->op == OP_LT ? o < 0 :
			     n->op == OP_LE ? o <= 0 : n->op == OP_GT ? o > 0 : o >= 0;

		ir_emit(&l->b, IR_JMP, ir_b(holds ? yes : no));
	} else if (equality && text && text->len < WORDS_MAX) {
		equal_words(l, a.text ? &b : &a, text, n->op == OP_EQ ? yes : no, n->op == OP_EQ ? no : yes);
	} else {
		place_a = lower_in_place(l, &a, &size_a);
		place_b = lower_in_place(l, &b, &size_b);
		r = ir_emit(&l->b, equality ? IR_SEQ : IR_SCMP, place_a, ir_i(size_a), place_b, ir_i(size_b));
		ir_emit(&l->b, branch[n->op], ir_r(r), ir_i(0), ir_b(yes), ir_b(no));
	}
}
