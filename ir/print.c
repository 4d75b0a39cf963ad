/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text form. Every operation is printed by its signature. */
#include "ir/text.h"

#include <inttypes.h>

const char *const ir_objkind_text[IR_NOBJKINDS] = {
	[IR_O_TEMP] = "temp", [IR_O_LOCAL] = "local", [IR_O_REC] = "rec", [IR_O_GLOBAL] = "global",
	[IR_O_CONST] = "const", [IR_O_THREAD] = "thread", [IR_O_DYN] = "dyn", [IR_O_AGG] = "agg",
};

const char *const ir_ctx_text[IR_NCTX] = {
	[IR_C_RUN] = "run", [IR_C_PERF] = "perf", [IR_C_RAWTP] = "rawtp", [IR_C_UPROBE] = "uprobe",
	[IR_C_KPROBE] = "kprobe", [IR_C_CGROUP] = "cgroup",
	[IR_C_ERROR] = "error",
};

bool ir_name_start(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
}

bool ir_name_char(unsigned char c)
{
	return ir_name_start(c) || (c >= '0' && c <= '9');
}

static bool name_plain(const char *s)
{
	if (!ir_name_start((unsigned char)*s))
		return false;
	while (*s && ir_name_char((unsigned char)*s))
		s++;
	return !*s;
}

static void print_name(struct buf *out, const char *s)
{
	if (name_plain(s)) {
		buf_puts(out, s);
		return;
	}
	buf_putc(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_putc(out, c);
	}
	buf_putc(out, '"');
}

static void print_init(struct buf *out, const struct ir_obj *o)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p = o->init;

	buf_puts(out, " init=");
	for (uint32_t i = 0; i < o->size; i++) {
		buf_putc(out, hex[p[i] >> 4]);
		buf_putc(out, hex[p[i] & 15]);
	}
}

static void print_attr(struct buf *out, const char *name, uint32_t v)
{
	if (v)
		buf_printf(out, " %s=%" PRIu32, name, v);
}

static void print_obj(struct buf *out, const struct ir_obj *o)
{
	buf_puts(out, "obj ");
	print_name(out, o->name);
	buf_printf(out, " %s", ir_objkind_text[o->kind]);
	print_attr(out, "key", o->keysize);
	print_attr(out, "cells", o->cells);
	buf_printf(out, " size=%" PRIu32, o->size);
	print_attr(out, "ns", o->ns);
	print_attr(out, "leader", o->leader);
	print_attr(out, "gen", o->generations);
	print_attr(out, "stacks", o->stacks);
	print_attr(out, "owned", o->owned);
	print_attr(out, "threads", o->threads);
	print_attr(out, "tag", o->tag);
	if (o->init && o->size)
		print_init(out, o);
	buf_putc(out, '\n');
}

static const char *obj_name(const struct ir_prog *p, uint32_t obj)
{
	return obj < p->objs.n ? p->objs.v[obj].name : "?";
}

static void print_place(struct buf *out, const struct ir_prog *p, const struct ir_arg *a)
{
	buf_putc(out, '[');
	if (a->reg)
		buf_printf(out, "r%" PRIu32 ":", a->reg);
	print_name(out, obj_name(p, a->obj));
	buf_printf(out, "%+" PRId64, a->imm);
	if (a->idx)
		buf_printf(out, "+r%" PRIu32 "*8<%" PRIu32, a->idx, (uint32_t)a->lim);
	buf_putc(out, ']');
}

static void print_arg(struct buf *out, const struct ir_prog *p, const struct ir_arg *a)
{
	switch ((enum ir_argkind)a->kind) {
	case IR_REG:
		buf_printf(out, "r%" PRIu32, a->reg);
		break;
	case IR_IMM:
		buf_printf(out, "%" PRId64, a->imm);
		break;
	case IR_MEM:
		print_place(out, p, a);
		break;
	case IR_OBJ:
		print_name(out, obj_name(p, a->obj));
		break;
	case IR_BLOCK:
		buf_printf(out, "b%" PRId64, a->imm);
		break;
	case IR_NONE:
		buf_putc(out, '?');
		break;
	}
}

/* An arrow precedes the blocks, so that successors are easy to see. */
static void print_ins(struct buf *out, const struct ir_prog *p, const struct ir_ins *ins)
{
	bool arrow = false;

	buf_putc(out, '\t');
	if (ins->dst)
		buf_printf(out, "r%" PRIu32 " = ", ins->dst);
	buf_puts(out, ins->op < IR_NOPS ? ir_opinfo[ins->op].text : "?");
	for (unsigned i = 0; i < ins->nargs && i < IR_MAXARGS; i++) {
		if (ins->arg[i].kind == IR_BLOCK && !arrow) {
			buf_puts(out, " -> ");
			arrow = true;
		} else {
			buf_puts(out, i ? ", " : " ");
		}
		print_arg(out, p, &ins->arg[i]);
	}
	buf_putc(out, '\n');
}

void ir_print_func(struct buf *out, const struct ir_prog *p, const struct ir_func *f)
{
	buf_puts(out, "func ");
	print_name(out, f->name);
	buf_printf(out, " %s", ir_ctx_text[f->ctx]);
	print_attr(out, "tag", f->tag);
	print_attr(out, "task", f->task);
	print_attr(out, "turns", f->turns);
	buf_puts(out, " {\n");
	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];

		buf_printf(out, "b%zu", b);
		if (k->label) {
			buf_putc(out, ' ');
			print_name(out, k->label);
		}
		buf_puts(out, ":\n");
		for (size_t i = 0; i < k->ins.n; i++)
			print_ins(out, p, &k->ins.v[i]);
	}
	buf_puts(out, "}\n");
}

void ir_print(struct buf *out, const struct ir_prog *p)
{
	for (size_t i = 0; i < p->objs.n; i++)
		print_obj(out, &p->objs.v[i]);
	for (size_t i = 0; i < p->funcs.n; i++)
		ir_print_func(out, p, p->funcs.v[i]);
}
