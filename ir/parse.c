/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the text form. Every operation is parsed by its signature, without special cases. After an error, reading
 * continues with the next line.
 */
#include "ir/text.h"

#include <assert.h>
#include <string.h>

struct ir_parser {
	struct ir_prog *prog;
	struct ir_builder b;		/* b.func is NULL outside of functions */
	struct diags *diags;
	const struct source *src;
	const char *pos, *end;
	const char *line_start;
	uint32_t line;
	struct arena scratch;
	struct map ops;			/* text -> operation + 1 */
	struct buf word;		/* the current quoted name */
};

/* ---- characters and words ---- */
static struct loc current_loc(const struct ir_parser *ps)
{
	return (struct loc){ .src = ps->src, .line = ps->line, .col = (uint32_t)(ps->pos - ps->line_start) + 1 };
}

#define fail(ps, ...) (diag((ps)->diags, current_loc(ps), D_SYNTAX, __VA_ARGS__), false)

static int peek_char(const struct ir_parser *ps)
{
	return ps->pos < ps->end ? (unsigned char)*ps->pos : -1;
}

static void skip_line(struct ir_parser *ps)
{
	while (ps->pos < ps->end && *ps->pos != '\n')
		ps->pos++;
}

/* A statement does not continue on the next line. */
static void skip_blank(struct ir_parser *ps)
{
	while (peek_char(ps) == ' ' || peek_char(ps) == '\t' || peek_char(ps) == '\r')
		ps->pos++;
	if (peek_char(ps) == '#')
		skip_line(ps);
}

static void skip_lines(struct ir_parser *ps)
{
	for (skip_blank(ps); peek_char(ps) == '\n'; skip_blank(ps)) {
		ps->line_start = ++ps->pos;
		ps->line++;
	}
}

static bool accept_char(struct ir_parser *ps, char c)
{
	skip_blank(ps);
	if (peek_char(ps) != (unsigned char)c)
		return false;
	ps->pos++;
	return true;
}

static bool expect_char(struct ir_parser *ps, char c)
{
	return accept_char(ps, c) || fail(ps, "'%c' expected", c);
}

/* Reads a run of letters and digits, without a copy. */
static bool parse_word(struct ir_parser *ps, const char **w, size_t *n)
{
	skip_blank(ps);
	*w = ps->pos;
	if (peek_char(ps) < 0 || !ir_name_start((unsigned char)*ps->pos))
		return fail(ps, "a word expected");
	while (peek_char(ps) >= 0 && ir_name_char((unsigned char)*ps->pos))
		ps->pos++;
	*n = (size_t)(ps->pos - *w);
	return true;
}

static bool word_is(const char *w, size_t n, const char *s)
{
	return strlen(s) == n && !memcmp(w, s, n);
}

static int digit_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static bool parse_digits(struct ir_parser *ps, unsigned base, uint64_t max, uint64_t *v)
{
	const char *start = ps->pos;

	for (*v = 0; ps->pos < ps->end; ps->pos++) {
		int d = digit_value(*ps->pos);

		if (d < 0 || (unsigned)d >= base)
			break;
		if ((unsigned)d > max || *v > (max - (unsigned)d) / base)
			return fail(ps, "number too large");
		*v = *v * base + (unsigned)d;
	}
	return ps->pos > start || fail(ps, "a number expected");
}

static bool parse_number(struct ir_parser *ps, uint64_t max, uint64_t *v)
{
	skip_blank(ps);
	if (ps->end - ps->pos > 2 && ps->pos[0] == '0' && ps->pos[1] == 'x') {
		ps->pos += 2;
		return parse_digits(ps, 16, max, v);
	}
	return parse_digits(ps, 10, max, v);
}

static bool parse_immediate(struct ir_parser *ps, int64_t *v)
{
	bool neg = accept_char(ps, '-');
	uint64_t u;

	if (!parse_number(ps, neg ? 1ull << 63 : UINT64_MAX, &u))
		return false;
	*v = (int64_t)(neg ? 0 - u : u);
	return true;
}

static bool parse_number32(struct ir_parser *ps, uint32_t max, uint32_t *v)
{
	uint64_t u;

	if (!parse_number(ps, max, &u))
		return false;
	*v = (uint32_t)u;
	return true;
}

/* Reads the character after a backslash. Returns 0 if it is invalid. */
static int parse_escape(struct ir_parser *ps)
{
	int c = peek_char(ps), hi, lo;

	if (c == '"' || c == '\\') {
		ps->pos++;
		return c;
	}
	if (c != 'x' || ps->end - ps->pos < 3)
		return 0;
	hi = digit_value(ps->pos[1]);
	lo = digit_value(ps->pos[2]);
	ps->pos += 3;
	return hi < 0 || lo < 0 ? 0 : hi * 16 + lo;
}

static bool parse_quoted(struct ir_parser *ps, struct buf *out)
{
	int c;

	for (ps->pos++; (c = peek_char(ps)) != '"'; buf_putc(out, c)) {
		if (c <= 0 || c == '\n')
			return fail(ps, "'\"' expected");
		ps->pos++;
		if (c == '\\' && !(c = parse_escape(ps)))
			return fail(ps, "not an escape sequence");
	}
	ps->pos++;
	return true;
}

/* Reads a name, quoted or not. NULL after an error. */
static char *parse_name(struct ir_parser *ps)
{
	const char *w;
	size_t n;

	skip_blank(ps);
	if (peek_char(ps) == '"') {
		buf_reset(&ps->word);
		return parse_quoted(ps, &ps->word) ? arena_strdup(&ps->scratch, buf_str(&ps->word)) : NULL;
	}
	return parse_word(ps, &w, &n) ? arena_strndup(&ps->scratch, w, n) : NULL;
}

static bool one_of(struct ir_parser *ps, const char *const *list, unsigned nlist, const char *what, unsigned *i)
{
	const char *w;
	size_t n;

	if (!parse_word(ps, &w, &n))
		return false;
	for (*i = 0; *i < nlist; ++*i) {
		if (word_is(w, n, list[*i]))
			return true;
	}
	return fail(ps, "unknown %s '%.*s'", what, n > 40 ? 40 : (int)n, w);
}

/* ---- operands ---- */
static bool at_reg(struct ir_parser *ps)
{
	skip_blank(ps);
	return ps->end - ps->pos > 1 && ps->pos[0] == 'r' && ps->pos[1] >= '0' && ps->pos[1] <= '9';
}

static bool parse_reg(struct ir_parser *ps, ir_reg *r)
{
	if (!at_reg(ps))
		return fail(ps, "a register expected");
	ps->pos++;
	if (!parse_number32(ps, IR_MAXREGS, r))
		return false;
	if (!*r)
		return fail(ps, "registers count from 1");
	if (*r > ps->b.func->nregs)
		ps->b.func->nregs = *r;
	return true;
}

static bool block_number(struct ir_parser *ps, uint32_t *n)
{
	skip_blank(ps);
	if (peek_char(ps) != 'b')
		return fail(ps, "a block expected");
	ps->pos++;
	return parse_number32(ps, UINT32_MAX, n);
}

static bool parse_object(struct ir_parser *ps, uint32_t *obj)
{
	struct loc loc = (skip_blank(ps), current_loc(ps));
	char *s = parse_name(ps);
	int64_t n;

	if (!s)
		return false;
	n = ir_obj_find(ps->prog, s);
	if (n < 0)
		return diag(ps->diags, loc, D_SYNTAX, "unknown object '%s'", s), false;
	*obj = (uint32_t)n;
	return true;
}

/* True for "rN:", a register that holds a cell. Objects may have names like registers. */
static bool at_cell(struct ir_parser *ps)
{
	const char *p = ps->pos + 1;

	if (!at_reg(ps))
		return false;
	for (p = ps->pos + 1; p < ps->end && *p >= '0' && *p <= '9'; p++)
		;
	return p < ps->end && *p == ':';
}

static bool parse_place(struct ir_parser *ps, struct ir_arg *a)
{
	a->kind = IR_MEM;
	if (!expect_char(ps, '['))
		return false;
	if (at_cell(ps) && (!parse_reg(ps, &a->reg) || !expect_char(ps, ':')))
		return false;
	if (!parse_object(ps, &a->obj))
		return false;
	skip_blank(ps);
	if (peek_char(ps) != '-' && !expect_char(ps, '+'))
		return false;
	if (!parse_immediate(ps, &a->imm))
		return false;
	if (accept_char(ps, '+')) {
		uint32_t lim;

		if (!parse_reg(ps, &a->idx) || !expect_char(ps, '*') || !expect_char(ps, '8') ||
		    !expect_char(ps, '<') || !parse_number32(ps, IR_MAXLIM, &lim))
			return false;
		a->lim = lim;
	}
	return expect_char(ps, ']');
}

static bool parse_operand(struct ir_parser *ps, char sig, struct ir_arg *a)
{
	uint32_t n;

	switch (sig) {
	case 'v':
		a->kind = at_reg(ps) ? IR_REG : IR_IMM;
		return a->kind == IR_REG ? parse_reg(ps, &a->reg) : parse_immediate(ps, &a->imm);
	case 'i':
		a->kind = IR_IMM;
		return parse_immediate(ps, &a->imm);
	case 'm':
		return parse_place(ps, a);
	case 'o':
		a->kind = IR_OBJ;
		return parse_object(ps, &a->obj);
	default:
		if (!block_number(ps, &n))
			return false;
		*a = ir_b(n);
		return true;
	}
}

static bool expect_arrow(struct ir_parser *ps)
{
	if (!accept_char(ps, '-') || peek_char(ps) != '>')
		return fail(ps, "'->' expected");
	ps->pos++;
	return true;
}

/* ---- statements ---- */
static bool parse_operation(struct ir_parser *ps)
{
	struct ir_arg args[IR_MAXARGS] = { 0 };
	const char *word, *sig;
	ir_reg dst = 0;
	unsigned nargs = 0;
	size_t len;
	void **op;

	skip_blank(ps);
	ps->b.loc = current_loc(ps);
	if (ir_terminated(&ps->b))
		return fail(ps, "an operation after the end of its block");
	if (at_reg(ps) && (!parse_reg(ps, &dst) || !expect_char(ps, '=')))
		return false;
	if (!parse_word(ps, &word, &len))
		return false;
	op = map_find(&ps->ops, word, len);
	if (!op)
		return fail(ps, "unknown operation '%.*s'", len > 40 ? 40 : (int)len, word);
	sig = ir_opinfo[(uintptr_t)*op - 1].sig;
	if (*sig == 'd')
		sig++;
	else if (dst)
		return fail(ps, "the operation has no result");
	for (; sig[nargs]; nargs++) {
		if (sig[nargs] == 'l' && (nargs == 0 || sig[nargs - 1] != 'l')) {
			if (!expect_arrow(ps))
				return false;
		} else if (nargs && !expect_char(ps, ',')) {
			return false;
		}
		if (!parse_operand(ps, sig[nargs], &args[nargs]))
			return false;
	}
	ir_emitv(&ps->b, (enum ir_op)((uintptr_t)*op - 1), dst, nargs, args);
	return true;
}

/* True for "bN:" or "bN label:". No operation begins with 'b' and a digit. */
static bool at_block(struct ir_parser *ps)
{
	skip_blank(ps);
	return ps->end - ps->pos > 1 && ps->pos[0] == 'b' && ps->pos[1] >= '0' && ps->pos[1] <= '9';
}

static bool parse_block(struct ir_parser *ps)
{
	struct ir_func *f = ps->b.func;
	char *label = NULL;
	uint32_t n;

	if (!block_number(ps, &n))
		return false;
	if (n != ps->b.block + 1)
		return fail(ps, "block %u expected: blocks are numbered in order", (unsigned)(ps->b.block + 1));
	skip_blank(ps);
	if (peek_char(ps) != ':' && !(label = parse_name(ps)))
		return false;
	if (!expect_char(ps, ':'))
		return false;
	/* a new function already has its entry block */
	if (n)
		ir_newblock(&ps->b, label);
	else if (label)
		f->blocks.v[0].label = arena_strdup(ps->prog->arena, label);
	ps->b.block = n;
	return true;
}

static bool parse_function(struct ir_parser *ps)
{
	char *s = parse_name(ps);
	uint32_t tag = 0, task = 0, turns = 0;
	unsigned ctx;

	if (!s || !one_of(ps, ir_ctx_text, IR_NCTX, "kind of function", &ctx))
		return false;
	while (!accept_char(ps, '{')) {
		const char *w;
		size_t n;

		if (!parse_word(ps, &w, &n))
			return false;
		if (!word_is(w, n, "tag") && !word_is(w, n, "task") && !word_is(w, n, "turns"))
			return fail(ps, "'tag' or '{' expected");
		if (!expect_char(ps, '=') ||
		    !parse_number32(ps, n == 5 ? 1 : UINT32_MAX, n == 3 ? &tag : n == 4 ? &task : &turns))
			return false;
	}
	ps->b.func = ir_func_add(ps->prog, s, (enum ir_ctx)ctx);
	ps->b.func->tag = tag;
	ps->b.func->task = task;
	ps->b.func->turns = turns;
	ps->b.block = UINT32_MAX;	/* no block was opened yet; the next one is 0 */
	return true;
}

static bool parse_init(struct ir_parser *ps, struct ir_obj *o, size_t *n)
{
	const char *start = ps->pos;
	unsigned char *bytes;

	while (ps->pos < ps->end && digit_value(*ps->pos) >= 0)
		ps->pos++;
	*n = (size_t)(ps->pos - start) / 2;
	if (!*n || (ps->pos - start) % 2)
		return fail(ps, "an even number of hexadecimal digits expected");
	bytes = arena_alloc(&ps->scratch, *n);
	for (size_t i = 0; i < *n; i++)
		bytes[i] = (unsigned char)(digit_value(start[2 * i]) << 4 | digit_value(start[2 * i + 1]));
	o->init = bytes;
	return true;
}

static bool parse_attribute(struct ir_parser *ps, struct ir_obj *o, size_t *ninit)
{
	uint32_t flag, *v;
	const char *w;
	bool *b;
	size_t n;

	if (!parse_word(ps, &w, &n) || !expect_char(ps, '='))
		return false;
	if (word_is(w, n, "init"))
		return parse_init(ps, o, ninit);
	b = word_is(w, n, "gen") ? &o->generations : word_is(w, n, "stacks") ? &o->stacks :
	    word_is(w, n, "owned") ? &o->owned : word_is(w, n, "threads") ? &o->threads : NULL;
	v = b ? &flag : word_is(w, n, "size") ? &o->size : word_is(w, n, "key") ? &o->keysize :
	    word_is(w, n, "ns") ? &o->ns : word_is(w, n, "cells") ? &o->cells : word_is(w, n, "tag") ? &o->tag :
	    word_is(w, n, "leader") ? &o->leader : NULL;
	if (!v)
		return fail(ps, "unknown attribute '%.*s'", n > 40 ? 40 : (int)n, w);
	if (!parse_number32(ps, b ? 1 : UINT32_MAX, v))
		return false;
	if (b)
		*b = flag;
	return true;
}

static bool at_attribute(struct ir_parser *ps)
{
	const char *p;

	skip_blank(ps);
	for (p = ps->pos; p < ps->end && ir_name_char((unsigned char)*p); p++)
		;
	return p > ps->pos && p < ps->end && *p == '=';
}

static bool parse_declaration(struct ir_parser *ps)
{
	struct ir_obj o = { .name = parse_name(ps) };
	size_t ninit = 0;
	unsigned kind;

	if (!o.name || !one_of(ps, ir_objkind_text, IR_NOBJKINDS, "kind of object", &kind))
		return false;
	o.kind = (enum ir_objkind)kind;
	while (at_attribute(ps)) {
		if (!parse_attribute(ps, &o, &ninit))
			return false;
	}
	if (o.init && ninit != o.size)
		return fail(ps, "init= has %zu bytes, the object %u", ninit, (unsigned)o.size);
	if (ir_obj_find(ps->prog, o.name) >= 0)
		return fail(ps, "object '%s' declared twice", o.name);
	ir_obj_add(ps->prog, &o);
	return true;
}

static bool parse_statement(struct ir_parser *ps)
{
	const char *w;
	size_t n;

	if (ps->b.func) {
		if (accept_char(ps, '}')) {
			ps->b.func = NULL;
			return true;
		}
		if (at_block(ps))
			return parse_block(ps);
		if (ps->b.block == UINT32_MAX)
			return fail(ps, "a block expected");
		return parse_operation(ps);
	}
	if (!parse_word(ps, &w, &n))
		return false;
	if (word_is(w, n, "obj"))
		return parse_declaration(ps);
	if (word_is(w, n, "func"))
		return parse_function(ps);
	return fail(ps, "'obj' or 'func' expected");
}

int ir_parse(struct ir_prog *p, const struct source *src, struct diags *d)
{
	struct ir_parser ps = {
		.prog = p, .diags = d, .src = src, .b.prog = p, .line = 1,
		.pos = src->text, .end = src->text + src->len, .line_start = src->text,
	};
	size_t before = d->nerrors;

	arena_init(&ps.scratch, p->arena->oom, p->arena->oom_arg);
	map_init(&ps.ops, &ps.scratch);
	for (uintptr_t i = 0; i < IR_NOPS; i++)
		map_sets(&ps.ops, ir_opinfo[i].text, (void *)(i + 1));
	for (skip_lines(&ps); ps.pos < ps.end; skip_lines(&ps)) {
		if (!parse_statement(&ps))
			skip_line(&ps);
	}
	if (ps.b.func)
		diag(d, current_loc(&ps), D_SYNTAX, "'}' expected");
	buf_free(&ps.word);
	arena_free(&ps.scratch);
	return d->nerrors > before ? -1 : 0;
}
