/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory: scratch memory, that of processes, structures and C arrays. */
#include "tests/gen/gen.h"

void gen_mem_declare(struct script_gen *g)
{
	buf_puts(g->out,
		 "struct box { short x; int b : 5; unsigned int c : 9; _Bool d : 1; uint64_t e : 33; bool f; uint64_t "
		 "v[3]; char name[8]; };\n"
		 "this char *m;\nthis uint64_t *w;\nstruct box bx;\nthis struct box tb;\nself struct box sb;\n"
		 "struct box ab[int];\nint ar[6];\ninline int mix[int a, long b] = a * 3 ^ b;\n");
}

/* Mostly addresses at which the process has memory. */
static void user_address(struct script_gen *g)
{
	buf_printf(g->out, "(0x7f0000000000ULL + %u)", gen_dice(g, 40) * 8);
}

/* An index below n, a power of two; a constant is below the number of elements, because others are refused. */
static void index_below(struct script_gen *g, unsigned n, unsigned elements)
{
	static const char *const outside[] = { "(-1)", "0x4000000000000001", "0x8000000000000001", "100000", "arg0",
		"arg1" };

	if (gen_dice(g, 3)) {
		buf_printf(g->out, "[%u]", gen_dice(g, elements));
		return;
	}
	if (!gen_dice(g, 8)) {
		buf_printf(g->out, "[(uint64_t)pid - pid + %s]", gen_pick(g, outside));
		return;
	}
	buf_puts(g->out, "[((uint64_t)pid - pid + (");
	gen_int(g);
	buf_printf(g->out, ")) & %u]", n - 1);
}

static void box(struct script_gen *g)
{
	static const char *const names[] = { "bx", "this->tb", "ab[1]", "ab[g0]", "self->sb",
		"(*(struct box *)this->m)" };

	buf_puts(g->out, g->self ? gen_pick(g, names) : names[gen_dice(g, 4)]);
}

/* A place that can be read and assigned. */
static void place(struct script_gen *g)
{
	static const char *const fields[] = { ".x", ".b", ".c", ".d", ".e", ".f", ".name[3]" };

	switch (gen_dice(g, 6)) {
	case 0:
		buf_puts(g->out, "this->m");
		index_below(g, 16, 16);
		break;
	case 1:
		buf_puts(g->out, "*this->w");
		break;
	case 2:
		buf_puts(g->out, "ar");
		index_below(g, 8, 6);
		break;
	case 3:
		box(g);
		buf_puts(g->out, ".v");
		index_below(g, 4, 3);
		break;
	default:
		box(g);
		buf_puts(g->out, gen_pick(g, fields));
	}
}

void gen_mem_int(struct script_gen *g)
{
	static const char *const calls[] = { "getmajor(", "getminor(" };
	static const char *const inlines[] = { "mix[pid, g0]", "mix[g1, mix[2, cpu]]", "mix[this->w[0], -3]" };

	buf_putc(g->out, '(');
	switch (gen_dice(g, g->kernel ? 9 : 8)) {
	case 0:
		buf_printf(g->out, "*(userland %s *)", gen_types[gen_dice(g, gen_ntypes)]);
		user_address(g);
		break;
	case 1:
		buf_puts(g->out, gen_pick(g, calls));
		gen_int(g);
		buf_putc(g->out, ')');
		break;
	case 3:
		buf_puts(g->out, gen_pick(g, inlines));
		break;
	case 7:
		buf_puts(g->out, "`jiffies");
		break;
	case 8:
		buf_puts(g->out, "progenyof(");
		gen_int(g);
		buf_putc(g->out, ')');
		break;
	default:
		place(g);
	}
	buf_putc(g->out, ')');
}

void gen_mem_str(struct script_gen *g)
{
	static const char *const texts[] = { "stringof(this->m)", "bx.name", "this->tb.name", "stringof(this->m + 3)" };

	switch (gen_dice(g, 4)) {
	case 0:
		buf_puts(g->out, "copyinstr(");
		user_address(g);
		if (gen_dice(g, 2)) {
			/* not a constant, as a constant that is too large is refused */
			buf_puts(g->out, ", (uint64_t)pid - pid + (");
			gen_int(g);
			buf_putc(g->out, ')');
		}
		buf_putc(g->out, ')');
		break;
	case 1:
		buf_puts(g->out, "stringof((userland char *)");
		user_address(g);
		buf_putc(g->out, ')');
		break;
	default:
		buf_puts(g->out, gen_pick(g, texts));
	}
}

static void move(struct script_gen *g)
{
	static const char *const froms[] = { "this->m", "this->m + 2", "this->w" };

	buf_puts(g->out, "bcopy(");
	if (gen_dice(g, 3))
		buf_puts(g->out, gen_pick(g, froms));
	else
		buf_printf(g->out, "(char *)0xffff888000000000 + %u", gen_dice(g, 256));
	buf_printf(g->out, ", this->m + %u, ", gen_dice(g, 8));
	if (gen_dice(g, 2))
		buf_printf(g->out, "%u);\n", gen_dice(g, 20));
	else
		buf_puts(g->out, "g1 & 15);\n");
}

static void show(struct script_gen *g)
{
	buf_printf(g->out, "tracemem(this->m, %u", 1 + gen_dice(g, 20));
	if (gen_dice(g, 2)) {
		buf_puts(g->out, ", ");
		gen_int(g);
	}
	buf_puts(g->out, ");\n");
}

void gen_mem_statement(struct script_gen *g)
{
	bool into;

	switch (gen_dice(g, 8)) {
	case 0:
		buf_printf(g->out, "this->m = (char *)alloca(%u);\n", 16 + gen_dice(g, 40));
		break;
	case 1:
		buf_puts(g->out, "this->w = (uint64_t *)alloca(8);\n");
		break;
	case 2:
		into = gen_dice(g, 2);
		buf_puts(g->out, into ? "copyinto(" : "this->m = (char *)copyin(");
		user_address(g);
		buf_puts(g->out, gen_dice(g, 2) ? ", 16" : ", g0");
		buf_puts(g->out, into ? ", this->m);\n" : ");\n");
		break;
	case 3:
		move(g);
		break;
	case 4:
		show(g);
		break;
	case 5:
		box(g);
		buf_puts(g->out, " = ");
		box(g);
		buf_puts(g->out, ";\n");
		break;
	default:
		place(g);
		buf_puts(g->out, gen_dice(g, 3) ? " = " : " += ");
		gen_int(g);
		buf_puts(g->out, ";\n");
	}
}
