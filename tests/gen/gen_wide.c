/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Long expressions: deep to the right or to the left, flat, nested calls. They need many values at the same time. */
#include "tests/gen/gen.h"

enum { MOST = 110 };	/* the parser accepts 128 nested parentheses */

static const char *const ops[] = { "+", "-", "*", "&", "|", "^", "<<", ">>", "==", "<", ">=", "&&", "||", "^^" };

static void times(struct script_gen *g, const char *text, unsigned n)
{
	while (n--)
		buf_puts(g->out, text);
}

/* (leaf op (leaf op ... leaf)) */
static void right(struct script_gen *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		buf_putc(g->out, '(');
		gen_leaf(g);
		buf_printf(g->out, " %s ", gen_pick(g, ops));
	}
	gen_leaf(g);
	times(g, ")", n);
}

/* (((leaf op leaf) op leaf) op leaf) */
static void left(struct script_gen *g, unsigned n)
{
	times(g, "(", n);
	gen_leaf(g);
	for (unsigned i = 0; i < n; i++) {
		buf_printf(g->out, " %s ", gen_pick(g, ops));
		gen_leaf(g);
		buf_putc(g->out, ')');
	}
}

/* leaf op leaf op leaf, grouped by precedence */
static void flat(struct script_gen *g, unsigned n)
{
	buf_putc(g->out, '(');
	for (unsigned i = 0; i < n; i++) {
		gen_leaf(g);
		buf_printf(g->out, " %s ", gen_pick(g, ops));
	}
	gen_leaf(g);
	buf_putc(g->out, ')');
}

/* leaf ? leaf : leaf ? leaf : ... leaf */
static void choices(struct script_gen *g, unsigned n)
{
	buf_putc(g->out, '(');
	for (unsigned i = 0; i < n; i++) {
		gen_leaf(g);
		buf_printf(g->out, " == %u ? ", gen_dice(g, 4));
		gen_leaf(g);
		buf_puts(g->out, " : ");
	}
	gen_leaf(g);
	buf_putc(g->out, ')');
}

/* Increments of variables, whose previous values are needed later. */
static void steps(struct script_gen *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		buf_puts(g->out, "((");
		gen_var(g);
		buf_printf(g->out, "%s) %s ", gen_dice(g, 2) ? "++" : "--", gen_dice(g, 2) ? "+" : "^");
	}
	gen_leaf(g);
	times(g, ")", n);
}

/* Nested calls. */
static void calls(struct script_gen *g, unsigned n)
{
	n = 1 + n / 8;
	times(g, "(strlen(strjoin(execname, lltostr", n);
	buf_putc(g->out, '(');
	gen_leaf(g);
	buf_putc(g->out, ')');
	times(g, ")))", n);
}

void gen_wide(struct script_gen *g)
{
	static void (*const kinds[])(struct script_gen *, unsigned) = { right, left, flat, choices, steps, calls };
	static const char *const where[] = { "g0 = ", "trace(", "@wide = sum(" };
	unsigned n = 1 + gen_dice(g, MOST), at = gen_dice(g, 3);

	g->fuel = 0;
	buf_puts(g->out, where[at]);
	gen_pick(g, kinds)(g, n);
	buf_puts(g->out, at ? ");\n" : ";\n");
}
