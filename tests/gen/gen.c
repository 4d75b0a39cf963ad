/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/gen/gen.h"

#include <string.h>

/* Aggregating functions and the parameters after their value; weight: one more argument may follow. */
static const struct {
	const char *name, *params[3];
	bool value, weight;
} funcs[] = {
	{ "count", { "", "", "" }, false, false },
	{ "sum", { "", "", "" }, true, false },
	{ "min", { "", "", "" }, true, false },
	{ "max", { "", "", "" }, true, false },
	{ "avg", { "", "", "" }, true, false },
	{ "stddev", { "", "", "" }, true, false },
	{ "quantize", { "", "", "" }, true, true },
	{ "lquantize", { ", 0, 100, 10", ", -50, 1000, 7", ", 0, 10, 1" }, true, true },
	{ "llquantize", { ", 10, 0, 6, 20", ", 2, 0, 30, 4", ", 10, 0, 3, 10" }, true, true },
};
enum { NFUNCS = sizeof funcs / sizeof *funcs };

unsigned gen_dice(struct script_gen *g, unsigned n)
{
	uint64_t z;

	g->x += 0x9e3779b97f4a7c15ull;
	z = (g->x ^ g->x >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (unsigned)((z ^ z >> 31) % n);
}

/* ---- declarations ---- */
static uint8_t any_type(struct script_gen *g, bool string)
{
	return string && !gen_dice(g, 4) ? GEN_STRING : (uint8_t)gen_dice(g, gen_ntypes);
}

static const char *name_of(uint8_t t)
{
	return t == GEN_STRING ? "string" : gen_types[t];
}

static void make_key(struct script_gen *g, struct gen_key *k, unsigned least)
{
	k->n = least + gen_dice(g, GEN_KEYS + 1 - least);
	for (unsigned i = 0; i < k->n; i++)
		k->type[i] = any_type(g, true);
}

static void declare_array(struct script_gen *g, const char *class, char name, unsigned i)
{
	buf_printf(g->out, "%s%s %c%u", class, name_of(g->elem[i]), name, i);
	for (unsigned k = 0; k < g->array[i].n; k++)
		buf_printf(g->out, "%s%s", k ? ", " : "[", name_of(g->array[i].type[k]));
	buf_puts(g->out, "];\n");
}

static void declare(struct script_gen *g)
{
	buf_puts(g->out, "int spec;\ninline int limit = 100;\nenum color { RED = 3, BLUE = -4 };\nenum far { FAR "
		 "= ~7u, "
		 "FARTHER = sizeof (int) - 5 > 0 };\n");
	buf_puts(g->out, "struct pair { short first; uint64_t second; };\n");
	gen_mem_declare(g);
	for (unsigned i = 0; i < GEN_INTS; i++) {
		g->ints[i] = any_type(g, false);
		buf_printf(g->out, "%s g%u;\nself %s n%u;\nthis %s t%u;\n", gen_types[g->ints[i]], i,
			   gen_types[any_type(g, false)], i, gen_types[any_type(g, false)], i);
	}
	buf_puts(g->out, "string s0;\nstring s1;\nthis string s;\nself string s;\n");
	for (unsigned i = 0; i < GEN_ARRAYS; i++) {
		make_key(g, &g->array[i], 1);
		g->elem[i] = i ? any_type(g, true) : 5;
		declare_array(g, "", 'a', i);
		declare_array(g, "self ", 'b', i);
	}
	for (unsigned i = 0; i < GEN_AGGS; i++) {
		g->func[i] = (uint8_t)(i < NFUNCS ? i : gen_dice(g, NFUNCS));
		g->params[i] = gen_pick(g, funcs[g->func[i]].params);
		make_key(g, &g->agg[i], 0);
		g->agg[i].few = !gen_dice(g, 3);
	}
}

/* ---- statements ---- */
static void aggregate(struct script_gen *g)
{
	unsigned i = gen_dice(g, GEN_AGGS), f = g->func[i];

	buf_printf(g->out, "@n%u", i);
	gen_keys(g, &g->agg[i]);
	buf_printf(g->out, " = %s(", funcs[f].name);
	if (funcs[f].value)
		gen_int(g);
	buf_puts(g->out, g->params[i]);
	if (funcs[f].weight && !gen_dice(g, 3)) {
		buf_puts(g->out, ", ");
		gen_int(g);
	}
	buf_puts(g->out, ");\n");
}

static void assign(struct script_gen *g)
{
	static const char *const ops[] = { "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=" };

	if (!gen_dice(g, 4)) {
		gen_strvar(g);
		buf_puts(g->out, " = ");
		gen_str(g);
	} else if (!gen_dice(g, 6)) {
		buf_puts(g->out, g->self && gen_dice(g, 2) ? "self->b0" : "a0");
		gen_keys(g, &g->array[0]);
		buf_puts(g->out, " = 0");
	} else if (!gen_dice(g, 8)) {
		gen_var(g);
		buf_puts(g->out, gen_dice(g, 2) ? " /= " : " %= ");
		gen_nonconst(g);
	} else if (!gen_dice(g, 6)) {
		gen_var(g);
		buf_puts(g->out, gen_dice(g, 2) ? "++" : "--");
	} else {
		gen_var(g);
		buf_printf(g->out, " %s ", gen_pick(g, ops));
		gen_int(g);
	}
	buf_puts(g->out, ";\n");
}

void gen_format(struct script_gen *g)
{
	static const char *const convs[] = {
		"%d", "%i", "%u", "%o", "%x", "%X", "%c", "%5d", "%-8d", "%08x", "%+d", "% d", "%#x", "%.3d", "%lld",
		"%hd", "%'d",
		"%s", "%10s", "%.3s", "%-6s", "%Y", "%*d", "%p", "%%",
	};
	const char *conv[4];
	unsigned n = 1 + gen_dice(g, 4);

	buf_puts(g->out, "printf(\"");
	for (unsigned i = 0; i < n; i++) {
		conv[i] = gen_pick(g, convs);
		buf_printf(g->out, "%s ", conv[i]);
	}
	buf_puts(g->out, "\\n\"");
	for (unsigned i = 0; i < n; i++) {
		if (!strcmp(conv[i], "%%"))
			continue;
		buf_puts(g->out, ", ");
		if (strchr(conv[i], 's')) {
			gen_str(g);
			continue;
		}
		if (strchr(conv[i], '*'))
			buf_printf(g->out, "%u, ", gen_dice(g, 20));
		buf_puts(g->out, strchr(conv[i], 'p') ? "(void *)" : "");
		gen_int(g);
	}
	buf_puts(g->out, ");\n");
}

static void about_agg(struct script_gen *g)
{
	static const char *const calls[] = {
		"printa(@n%u);\n", "clear(@n%u);\n", "trunc(@n%u);\n", "trunc(@n%u, 3);\n", "trunc(@n%u, -2);\n",
		"normalize(@n%u, 10);\n", "normalize(@n%u, -3);\n", "normalize(@n%u, 0xfffffffffffffff0);\n",
		"denormalize(@n%u);\n", "printa(\"%%%%@d\\n\", @n%u);\n",
	};
	unsigned i = gen_dice(g, GEN_AGGS);

	if (!gen_dice(g, 8)) {
		buf_printf(g->out, "normalize(@n%u, ", i);
		gen_nonconst(g);
		buf_puts(g->out, ");\n");
		return;
	}
	buf_printf(g->out, gen_pick(g, calls), i);
}

/* Stacks and symbols: as actions, as keys, in a format. */
static void symbolic(struct script_gen *g)
{
	static const char *const stacks[] = { "stack()", "stack(3)", "ustack(5)", "jstack(2, 100)", "ustack()" };
	static const char *const keys[] = {
		"k[stack(3), ustack(2)]", "u[ustack(3)]", "n[stackof(stackid()), ustackof(ustackid(3))]",
		"j[jstackof(jstackid(2))]",
	};
	static const char *const symbols[] = { "sym(", "func(", "mod(", "usym(", "ufunc(", "umod(", "uaddr(" };

	switch (gen_dice(g, 5)) {
	case 0:
		buf_printf(g->out, "%s;\n", gen_pick(g, stacks));
		break;
	case 1:
		buf_puts(g->out, gen_pick(g, symbols));
		gen_int(g);
		buf_puts(g->out, ");\n");
		break;
	case 2:
		buf_printf(g->out, "printf(\"%%k %%a %%A\", %s, %s", gen_pick(g, stacks), gen_pick(g, symbols));
		gen_int(g);
		buf_puts(g->out, "), arg1);\n");
		break;
	case 3:
		buf_printf(g->out, "@y[%s%u)] = count();\n", "usym(", gen_dice(g, 3));
		break;
	default:
		buf_printf(g->out, "@%s = sum(", gen_pick(g, keys));
		gen_int(g);
		buf_puts(g->out, ");\n");
	}
}

static void record(struct script_gen *g)
{
	switch (gen_dice(g, 9)) {
	case 8:
		symbolic(g);
		break;
	case 0:
		about_agg(g);
		break;
	case 1:
		buf_puts(g->out, "trace(");
		gen_str(g);
		buf_puts(g->out, ");\n");
		break;
	case 2:
	case 3:
		buf_puts(g->out, gen_dice(g, 4) ? "trace(" : "print(");
		gen_int(g);
		buf_puts(g->out, ");\n");
		break;
	default:
		gen_format(g);
	}
}

static void statement(struct script_gen *g)
{
	unsigned n = gen_dice(g, 10);

	if (g->mem && !gen_dice(g, 3)) {
		gen_mem_statement(g);
	} else if (!gen_dice(g, 60)) {
		gen_wide(g);
	} else if (n < 4) {
		assign(g);
	} else if (n < 7) {
		aggregate(g);
	} else if (n < 9 || !g->fuel) {
		record(g);
	} else if (!gen_dice(g, 12)) {
		buf_puts(g->out, "exit(");
		gen_int(g);
		buf_puts(g->out, ");\n");
	} else {
		g->fuel--;
		buf_puts(g->out, "if (");
		gen_int(g);
		buf_puts(g->out, ") {\n");
		statement(g);
		buf_puts(g->out, "} else {\n");
		statement(g);
		buf_puts(g->out, "}\n");
	}
}

/* Clauses that permit only some actions, in some order. */
static void speculative(struct script_gen *g)
{
	static const char *const ends[] = { "commit", "discard" };
	unsigned n = gen_dice(g, 3);

	buf_puts(g->out, gen_dice(g, 3) ? "BEGIN\n{\nspec = speculation();\n}\n" : "");
	buf_printf(g->out, "BEGIN\n{\nspeculate(%s);\n", gen_dice(g, 8) ? "spec" : "g0");
	while (n--) {
		buf_puts(g->out, "trace(");
		gen_int(g);
		buf_puts(g->out, ");\n");
	}
	buf_puts(g->out, "}\n");
	if (gen_dice(g, 4))
		buf_printf(g->out, "BEGIN\n{\n%s(%s);\n}\n", gen_pick(g, ends), gen_dice(g, 8) ? "spec" : "1");
}

/* Actions that the consumer performs: here they are only recorded. */
static void outside(struct script_gen *g)
{
	switch (gen_dice(g, 4)) {
	case 0:
		buf_puts(g->out, "system(\"%s %d\", ");
		gen_str(g);
		buf_puts(g->out, ", ");
		gen_int(g);
		break;
	case 1:
		buf_puts(g->out, "freopen(\"%s\", ");
		gen_str(g);
		break;
	case 2:
		buf_puts(g->out, "ftruncate(");
		break;
	default:
		buf_puts(g->out, "setopt(");
		gen_str(g);
		buf_puts(g->out, ", ");
		gen_str(g);
	}
	buf_puts(g->out, ");\n");
}

static void clause(struct script_gen *g)
{
	static const char *const probes[] = {
		"BEGIN", "END", "profile-97", "profile-97, BEGIN", "profile-1234", "tick-1s", "ERROR",
		"BEGIN, tick-10ms",
	};
	const char *where = gen_dice(g, 2) ? "BEGIN" : gen_pick(g, probes);
	unsigned n = 1 + gen_dice(g, 5);

	g->fuel = 4 + gen_dice(g, 24);
	if (!gen_dice(g, 8)) {
		speculative(g);
		return;
	}
	g->mem = false;
	buf_printf(g->out, "%s\n", where);
	if (!gen_dice(g, 3)) {
		buf_puts(g->out, "/(");
		gen_int(g);
		buf_puts(g->out, ")/\n");
	}
	buf_puts(g->out, "{\n");
	g->mem = !gen_dice(g, 3);
	if (g->mem)
		buf_puts(g->out, "this->m = (char *)alloca(48);\nthis->w = (uint64_t *)alloca(16);\n");
	for (unsigned i = gen_dice(g, 4); i; i--) {
		buf_printf(g->out, "this->t%u = ", gen_dice(g, GEN_INTS));
		gen_constant(g);
		buf_puts(g->out, ";\n");
	}
	while (n--)
		statement(g);
	if (!gen_dice(g, 10))
		outside(g);
	buf_puts(g->out, "}\n");
}

/* Fills the aggregations that clear() and the like name. */
static void fill(struct script_gen *g)
{
	buf_puts(g->out, "BEGIN\n{\n");
	for (unsigned i = 0; i < GEN_AGGS; i++) {
		buf_printf(g->out, "@n%u", i);
		g->fuel = 0;
		gen_keys(g, &g->agg[i]);
		buf_printf(g->out, " = %s(%s%s);\n", funcs[g->func[i]].name, funcs[g->func[i]].value ? "arg0" : "",
			   g->params[i]);
	}
	for (unsigned i = 0; i < GEN_INTS; i++) {
		buf_printf(g->out, "%s%u = ", g->self && gen_dice(g, 2) ? "self->n" : "g", i);
		gen_constant(g);
		buf_puts(g->out, ";\n");
	}
	buf_puts(g->out, "}\n");
}

void gen_script(struct buf *out, uint64_t seed)
{
	struct script_gen g = { .x = seed * 0xd1342543de82ef95ull + 1, .out = out };
	unsigned n;

	n = 1 + gen_dice(&g, 4);
	g.kernel = !gen_dice(&g, 8);
	g.self = gen_dice(&g, 4);
	declare(&g);
	fill(&g);
	while (n--)
		clause(&g);
}
