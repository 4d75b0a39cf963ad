/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/gen/cgen.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 40, STATEMENTS = 14, VALUES = 10, KEYS = 6, DEPTH = 5 };

/* An assignable place. */
struct c_place {
	char text[32];		/* the name, or the part before an index */
	bool index;		/* "[...]" follows */
	bool wide;		/* a bit-field of more than 32 bits: its type differs between gcc and D */
	bool is_signed;
	unsigned group;		/* places of one group share memory */
};

struct cgen {
	uint64_t x;		/* random state */
	struct buf *d, *c;
	unsigned id;		/* of the program */
	unsigned fuel;		/* operators that this expression may still have */
	bool constant;		/* only constants that are permitted in declarations */
	struct c_place place[PLACES];
	unsigned nplaces, ngroups, ninlines;
};

static unsigned dice(struct cgen *g, unsigned n)
{
	uint64_t z;

	g->x += 0x9e3779b97f4a7c15ull;
	z = (g->x ^ g->x >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (unsigned)((z ^ z >> 31) % n);
}

#define PICK(g, list) ((list)[dice((g), sizeof(list) / sizeof *(list))])

static void two(struct cgen *g, const char *d, const char *c)
{
	buf_puts(g->d, d);
	buf_puts(g->c, c);
}

static void put(struct cgen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct cgen *g, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	two(g, text, text);
}

/* ---- expressions ---- */
static void expr(struct cgen *g);

static const struct {
	const char *name;
	bool is_signed;
	unsigned bits;
} types[] = {
	{ "char", true, 8 }, { "signed char", true, 8 }, { "unsigned char", false, 8 }, { "short", true, 16 },
	{ "unsigned short", false, 16 }, { "int", true, 32 }, { "unsigned int", false, 32 }, { "long", true, 64 },
	{ "unsigned long", false, 64 }, { "long long", true, 64 }, { "unsigned long long", false, 64 },
	{ "_Bool", false, 1 },
	{ "bool", false, 1 }, { "int8_t", true, 8 }, { "uint8_t", false, 8 }, { "int16_t", true, 16 },
	{ "uint16_t", false, 16 },
	{ "int32_t", true, 32 }, { "uint32_t", false, 32 }, { "int64_t", true, 64 }, { "uint64_t", false, 64 },
};
enum { NTYPES = sizeof types / sizeof *types };

static void literal(struct cgen *g)
{
	static const char *const edges[] = {
		"0", "1", "2", "7", "31", "127", "128", "255", "256", "32767", "65535", "2147483647", "2147483648",
		"4294967295U",
		"4294967296", "9223372036854775807", "18446744073709551615ULL", "0x80000000", "0xffffffffL",
		"0x8000U", "010",
		"'a'", "'\\377'", "'\\200'", "'\\n'", "'ab'", "'\\377\\377'", "'\\377abc'", "1LL", "3u", "5L", "0xffu",
	};

	if (dice(g, 3))
		put(g, "%s", PICK(g, edges));
	else
		put(g, "%u", dice(g, 300));
}

/* An operand in 0 .. most; `most` is a power of two minus one. */
static void small(struct cgen *g, unsigned most)
{
	put(g, "((");
	expr(g);
	put(g, ") & %u)", most);
}

static void name_place(struct cgen *g, const struct c_place *p)
{
	put(g, "%s", p->text);
	if (!p->index)
		return;
	put(g, "[");
	if (dice(g, 2) && g->fuel)
		small(g, 3);
	else
		put(g, "%u", dice(g, 4));
	put(g, "]");
}

/* In half of the cases one of three, so that statements use the results of others. */
static const struct c_place *any_place(struct cgen *g)
{
	return &g->place[dice(g, 2) ? (g->id * 7 + dice(g, 3) * 5) % g->nplaces : dice(g, g->nplaces)];
}

static void read_place(struct cgen *g)
{
	const struct c_place *p = any_place(g);

	put(g, !p->wide ? "" : p->is_signed ? "((long)" : "((unsigned long)");
	name_place(g, p);
	put(g, p->wide ? ")" : "");
}

static void leaf(struct cgen *g)
{
	static const char *const enumerators[] = { "A", "B", "C", "D" };
	unsigned n = dice(g, 10);

	if (!g->constant && n < 6) {
		read_place(g);
	} else if (!g->constant && n == 6) {
		put(g, "%s%u", PICK(g, enumerators), g->id);
	} else if (n == 7) {
		put(g, "sizeof (%s)", types[dice(g, NTYPES)].name);
	} else if (!g->constant && n == 8 && g->ninlines) {
		put(g, "i%u_%u", g->id, dice(g, g->ninlines));
	} else {
		literal(g);
	}
}

static void divide(struct cgen *g)
{
	bool below = dice(g, 3) == 0;

	put(g, "(");
	expr(g);
	put(g, dice(g, 2) ? " / " : " %% ");
	put(g, below ? "-(" : "(");
	small(g, 15);
	put(g, below ? " + 2))" : " + 1))");
}

static void shift(struct cgen *g)
{
	bool wide = dice(g, 3) == 0;

	put(g, wide ? "((long)" : "(");
	expr(g);
	put(g, dice(g, 2) ? " << " : " >> ");
	small(g, wide ? 63 : 31);
	put(g, ")");
}

static void binary(struct cgen *g)
{
	static const char *const ops[] = {
		"+", "-", "*", "&", "|", "^", "+", "-", "==", "!=", "<", "<=", ">", ">=", "<", ">", "&&", "||",
	};

	put(g, "(");
	expr(g);
	put(g, " %s ", PICK(g, ops));
	expr(g);
	put(g, ")");
}

static void choose(struct cgen *g)
{
	put(g, "(");
	expr(g);
	put(g, " ? ");
	expr(g);
	put(g, " : ");
	expr(g);
	put(g, ")");
}

static void unary(struct cgen *g)
{
	static const char *const ops[] = { "-", "~", "!", "+" };

	put(g, "(%s", PICK(g, ops));
	expr(g);
	put(g, ")");
}

static void cast(struct cgen *g)
{
	if (!g->constant && !dice(g, 8))
		put(g, "((enum e%u)", g->id);
	else
		put(g, "((%s)", types[dice(g, NTYPES)].name);
	expr(g);
	put(g, ")");
}

/* The size of an expression, not of a place, which may be a bit-field. */
static void size(struct cgen *g)
{
	static void (*const kinds[])(struct cgen *) = { binary, unary, cast, shift, choose };

	put(g, "sizeof ");
	PICK(g, kinds)(g);
}

/* gcc 12 crashes on some constants here. */
static void comma(struct cgen *g)
{
	if (g->constant) {
		leaf(g);
		return;
	}
	put(g, "(");
	expr(g);
	put(g, ", ");
	read_place(g);
	put(g, ")");
}

static void call(struct cgen *g)
{
	if (g->constant) {
		leaf(g);
		return;
	}
	put(g, "f%u", g->id);
	two(g, "[", "(");
	expr(g);
	put(g, ", ");
	expr(g);
	two(g, "]", ")");
}

static void expr(struct cgen *g)
{
	static void (*const kinds[])(struct cgen *) = {
		binary, binary, binary, binary, divide, shift, shift, unary, unary, cast, cast, cast, choose, comma,
			size, call,
	};

	if (!g->fuel || !dice(g, 5)) {
		leaf(g);
		return;
	}
	g->fuel--;
	PICK(g, kinds)(g);
}

static void fresh(struct cgen *g)
{
	g->fuel = 1 + dice(g, 9);
	expr(g);
}

static void constant(struct cgen *g)
{
	g->constant = true;
	fresh(g);
	g->constant = false;
}

/* ---- declarations ---- */
static struct c_place *add_place(struct cgen *g, bool is_signed, unsigned group, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static struct c_place *add_place(struct cgen *g, bool is_signed, unsigned group, const char *fmt, ...)
{
	struct c_place *p = &g->place[g->nplaces == PLACES ? PLACES - 1 : g->nplaces++];
	va_list ap;

	*p = (struct c_place){ .is_signed = is_signed, .group = group };
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof p->text, fmt, ap);
	va_end(ap);
	return p;
}

/* In gcc an enumeration is signed only if a value requires it; in D it is an int, or unsigned if a value requires
 * that. */
static void declare_enum(struct cgen *g)
{
	put(g, "enum e%u { A%u = ", g->id, g->id);
	put(g, "%s", dice(g, 2) ? "-3" : "0x80000001");
	put(g, ", B%u = (int)(", g->id);
	constant(g);
	put(g, ") & 0x7fff, C%u, D%u = 'D' };\n", g->id, g->id);
}

/* over: shares memory with a number. Then a bool could have any value, which is undefined in C. */
static void declare_bits(struct cgen *g, const char *tag, const char *const *paths, unsigned npaths, bool over)
{
	static const char plain[] = "abcdefgh";
	unsigned n = 2 + dice(g, 5);

	put(g, "%s%u {\n", tag, g->id);
	for (unsigned i = 0; i < n; i++) {
		unsigned t = dice(g, NTYPES), bits = 1 + dice(g, types[t].bits);
		bool field = dice(g, 4) || (over && types[t].bits == 1);

		put(g, field ? "\t%s %c : %u" : "\t%s %c", types[t].name, plain[i], bits);
		if (field && dice(g, 2)) {
			put(g, " + 0 * (char)(");
			constant(g);
			put(g, ")");
		}
		put(g, ";\n");
		if (field && !dice(g, 6))
			put(g, "\tunsigned : %u;\n", dice(g, 3) ? 3 : 0);
		for (unsigned p = 0; p < npaths; p++)
			add_place(g, types[t].is_signed, g->ngroups + p, paths[p], g->id,
				plain[i])->wide = field && bits > 32;
	}
	put(g, "};\n");
	g->ngroups += npaths;
}

/* A structure in variables of every class, and one that shares memory with a number. */
static void declare_structures(struct cgen *g)
{
	static const char *const paths[] = { "v%u.%c", "this->u%u.%c", "w%u[2].%c" }, *const over[] = { "o%u.b.%c" };

	declare_bits(g, "struct s", paths, 3, false);
	declare_bits(g, "struct t", over, 1, true);
	put(g, "union n%u { struct t%u b; unsigned long raw; };\n", g->id, g->id);
	add_place(g, false, g->ngroups - 1, "o%u.raw", g->id);
}

static void declare_class(struct cgen *g, const char *class, const char *name)
{
	for (unsigned i = 0; i < 3; i++) {
		unsigned t = dice(g, NTYPES);

		buf_printf(g->d, "%s%s %c%u_%u;\n", class, types[t].name, *name, g->id, i);
		buf_printf(g->c, "%s%s %c%u_%u;\n", *class ? "\t" : "static ", types[t].name, *name, g->id, i);
		add_place(g, types[t].is_signed, g->ngroups++, "%s%s%c%u_%u",
			*class == 't' ? "this" : *class ? "self" : "",
			  *class ? "->" : "", *name, g->id, i);
	}
}

static void declare_variables(struct cgen *g)
{
	unsigned a = dice(g, NTYPES), r = dice(g, NTYPES);

	declare_class(g, "", "g");
	buf_printf(g->c, "static struct {\n\tstruct s%u u%u;\n", g->id, g->id);
	declare_class(g, "this ", "t");
	buf_printf(g->c, "} this_%u;\nstatic struct {\n", g->id);
	declare_class(g, "self ", "h");
	buf_printf(g->c, "} self_%u;\n#undef this\n#define this (&this_%u)\n#undef self\n#define self (&self_%u)\n",
		g->id, g->id,
		   g->id);
	buf_printf(g->d, "struct s%u v%u;\nthis struct s%u u%u;\nstruct s%u w%u[int];\nunion n%u o%u;\n", g->id,
		g->id, g->id, g->id,
		   g->id, g->id, g->id, g->id);
	buf_printf(g->c, "static struct s%u v%u, w%u[4];\nstatic union n%u o%u;\n", g->id, g->id, g->id, g->id, g->id);
	buf_printf(g->d, "%s a%u[int];\n%s r%u[4];\n", types[a].name, g->id, types[r].name, g->id);
	buf_printf(g->c, "static %s a%u[4];\nstatic %s r%u[4];\n", types[a].name, g->id, types[r].name, g->id);
	add_place(g, types[a].is_signed, g->ngroups++, "a%u", g->id)->index = true;
	add_place(g, types[r].is_signed, g->ngroups++, "r%u", g->id)->index = true;
}

/* An inline is converted to its type; its parameters are, too. */
static void declare_inlines(struct cgen *g)
{
	for (unsigned n = 2; n--; g->ninlines++) {
		const char *type = types[dice(g, NTYPES)].name;

		buf_printf(g->d, "inline %s i%u_%u = ", type, g->id, g->ninlines);
		buf_printf(g->c, "#define i%u_%u ((%s)(", g->id, g->ninlines, type);
		constant(g);
		two(g, ";\n", "))\n");
	}
	buf_printf(g->d, "inline %s f%u[%s x, %s y] = ", types[g->id % NTYPES].name, g->id,
		types[g->id / 2 % NTYPES].name,
		   types[g->id / 3 % NTYPES].name);
	buf_printf(g->c, "static inline %s f%u(%s x, %s y) { return ", types[g->id % NTYPES].name, g->id,
		   types[g->id / 2 % NTYPES].name, types[g->id / 3 % NTYPES].name);
	put(g, "(x * 3 ^ y >> 1) - (y < x)");
	two(g, ";\n", "; }\n");
}

/* ---- statements ---- */
/* An assignment of any kind, as an expression. */
static void assign(struct cgen *g, const struct c_place *p)
{
	static const char *const ops[] = { "=", "=", "=", "+=", "-=", "*=", "&=", "|=", "^=" };
	static const char *const steps[] = { "++", "--" };
	unsigned n = p->wide ? 9 : dice(g, 10);

	g->fuel = 1 + dice(g, 8);
	put(g, "%s", n == 0 ? PICK(g, steps) : "");
	name_place(g, p);
	if (n < 2) {
		put(g, "%s", n == 1 ? PICK(g, steps) : "");
	} else if (n == 2) {
		put(g, dice(g, 2) ? " /= 1 + " : " %%= 1 + ");
		small(g, 15);
	} else if (n == 3) {
		put(g, dice(g, 2) ? " <<= " : " >>= ");
		small(g, 31);
	} else {
		put(g, " %s ", n == 9 ? "=" : PICK(g, ops));
		expr(g);
	}
}

/* One assignment within another, to two independent places. */
static void chain(struct cgen *g)
{
	const struct c_place *to = any_place(g), *from = any_place(g);

	if (to->index || from->index || from->wide || to->group == from->group)
		from = NULL;
	if (from)
		put(g, "%s = (", to->text);
	assign(g, from ? from : to);
	put(g, from ? ")" : "");
}

static void statement(struct cgen *g)
{
	put(g, "\t");
	if (dice(g, 3))
		assign(g, any_place(g));
	else
		chain(g);
	put(g, ";\n");
}

/* The texts of an expression, removed from the program. */
struct c_pair {
	char d[4096], c[4096];
};

static void take(struct cgen *g, struct c_pair *out, void (*what)(struct cgen *))
{
	struct buf d = { 0 }, c = { 0 }, *was_d = g->d, *was_c = g->c;

	g->d = &d;
	g->c = &c;
	what(g);
	snprintf(out->d, sizeof out->d, "%s", buf_str(&d));
	snprintf(out->c, sizeof out->c, "%s", buf_str(&c));
	buf_free(&d);
	buf_free(&c);
	g->d = was_d;
	g->c = was_c;
}

static bool is_whole(const struct c_pair *e)
{
	return strlen(e->d) < sizeof e->d - 1 && strlen(e->c) < sizeof e->c - 1;
}

static void value(struct cgen *g)
{
	struct c_pair e;
	bool changes = !dice(g, 4);

	take(g, &e, changes ? chain : fresh);
	if (!is_whole(&e))
		return;
	/* an assignment to a bit-field has no size */
	buf_printf(g->d, "\tprintf(\"%u %%d %%d %%d\\n\", (long)(%s), sizeof (+(%s)), (0 ? (%s) : -1) >= 0);\n",
		g->id, e.d,
		   changes ? "0" : e.d, e.d);
	buf_printf(g->c,
		"\tprintf(\"%u %%ld %%ld %%d\\n\", (long)(%s), (long)sizeof (+(%s)), (0 ? (%s) : -1) >= 0);\n", g->id,
		e.c,
		   changes ? "0" : e.c, e.c);
}

/* One of a few values, which dtr knows at compile time. */
static void one_of_few(struct cgen *g)
{
	unsigned n = dice(g, 5);

	g->fuel = 3;
	put(g, n == 0 ? "(bool)(2 + (" : n == 1 ? "!((" : "((");
	expr(g);
	put(g, n < 3 ? " & 7))" : n == 3 ? " ? 3 : -2))" : " %% 3u))");
}

/* Keys of all types and constants, of an aggregation and of an array. */
static void keys(struct cgen *g)
{
	bool few = dice(g, 2);
	struct c_pair e[KEYS];
	unsigned n = 0;

	for (unsigned i = 0; i < KEYS; i++) {
		take(g, &e[n], few ? one_of_few : dice(g, 2) ? leaf : fresh);
		n += is_whole(&e[n]);
	}
	for (unsigned i = 0; i < n; i++) {
		buf_printf(g->d, "\t@k%u[(%s)] = count();\n\tm%u[(%s)] = %u;\n", g->id, e[i].d, g->id, e[i].d, i + 1);
		buf_printf(g->c, "\tkey(KEY(%s), %u);\n", e[i].c, i + 1);
	}
	for (unsigned i = 0; i < n; i++) {
		buf_printf(g->d, "\tprintf(\"%u m %%d\\n\", m%u[(%s)]);\n", g->id, g->id, e[i].d);
		buf_printf(g->c, "\tprintf(\"%u m %%d\\n\", element(KEY(%s)));\n", g->id, e[i].c);
	}
	buf_printf(g->d, "\tprinta(\"k %u %%d %%@d\\n\", @k%u);\n", g->id, g->id);
	buf_printf(g->c, "\trows(%u);\n", g->id);
}

void cgen_program(struct buf *d, struct buf *c, uint64_t seed, unsigned number)
{
	struct cgen g = { .x = seed * 0xd1342543de82ef95ull + 1, .d = d, .c = c, .id = number };

	declare_enum(&g);
	declare_structures(&g);
	declare_variables(&g);
	declare_inlines(&g);
	two(&g, "BEGIN\n{\n", "");
	buf_printf(c, "static void p%u(void)\n{\n", number);
	for (unsigned i = 0; i < STATEMENTS; i++)
		statement(&g);
	for (unsigned i = 0; i < VALUES; i++)
		value(&g);
	keys(&g);
	put(&g, "}\n");
}

void cgen_head(struct buf *c)
{
	buf_puts(c,
		 "#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
		 "static struct { __int128 key; int n, i; } row[64];\nstatic int nrows, below, above;\n"
		 "#define KEY(e) ((0 ? (e) : -1) < 0 ? (__int128)(long)(e) : (__int128)(unsigned long)(e)), (0 ? (e) : "
		 "-1) < 0\n"
		 "static int find(__int128 key, int sign)\n{\n"
		 "\tabove |= key > INT64_MAX;\n\tbelow |= sign;\n"
		 "\tfor (int i = 0; i < nrows; i++)\n\t\tif (row[i].key == key)\n\t\t\treturn i;\n"
		 "\trow[nrows].key = key;\n\trow[nrows].n = 0;\n\treturn nrows++;\n}\n"
		 "static void key(__int128 k, int sign, int i)\n{\n\tint r = find(k, "
		 "sign);\n\trow[r].n++;\n\trow[r].i = "
		 "i;\n}\n"
		 "static int element(__int128 k, int sign)\n{\n\treturn row[find(k, sign)].i;\n}\n"
		 "static void rows(int id)\n{\n\tfor (int i = 0; i < nrows; i++)\n"
		 "\t\tprintf(row[i].key < 0 ? \"k %d %ld %d\\n\" : \"k %d %lu %d\\n\", id, (long)row[i].key, "
		 "row[i].n);\n"
		 "\tif (below && above)\n\t\tprintf(\"b %d\\n\", id);\n\tnrows = below = above = 0;\n}\n");
}

void cgen_main(struct buf *c, unsigned n)
{
	buf_puts(c, "int main(void)\n{\n");
	for (unsigned i = 0; i < n; i++)
		buf_printf(c, "\tp%u();\n", i);
	buf_puts(c, "\treturn 0;\n}\n");
}
