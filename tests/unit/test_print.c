/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/print.c: trace(), printf() and printa() with a format, to the column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/output/print.h"

/* A record to print from. */
static const struct {
	int64_t i64;
	int32_t i32;
	int16_t i16;
	int8_t i8;
	uint8_t letter;
	char full[8], text[16];
	uint64_t pointer;
	int64_t time, width, minus, huge;
	char empty[8];
} rec = {
	-5, -6, -7, -8, 'A', "fullfull", "hello", 0xffffffff81000000u, 1795233153999999999, 8, -8, 1ll << 40, "",
};

#define FIELD(m, k, s) { .off = offsetof(__typeof__(rec), m), .size = sizeof rec.m, .kind = k, .is_signed = s }
static const struct val_field I64 = FIELD(i64, VAL_INT, true), I32 = FIELD(i32, VAL_INT, true),
	I16 = FIELD(i16, VAL_INT, true), I8 = FIELD(i8, VAL_INT, true), U64 = FIELD(i64, VAL_INT, false),
	U32 = FIELD(i32, VAL_INT, false), U16 = FIELD(i16, VAL_INT, false), U8 = FIELD(i8, VAL_INT, false),
	LETTER = FIELD(letter, VAL_INT, false), FULL = FIELD(full, VAL_STR, false), TEXT = FIELD(text, VAL_STR, false),
	BYTES = FIELD(text, VAL_BYTES, false), PTR = FIELD(pointer, VAL_PTR, false), TIME = FIELD(time, VAL_INT, true),
	WIDTH = FIELD(width, VAL_INT, true), MINUS = FIELD(minus, VAL_INT, true), HUGE_ = FIELD(huge, VAL_INT, true),
	EMPTY = FIELD(empty, VAL_STR, false);

static void expect_trace(const struct val_field *f, bool quiet, const char *want)
{
	struct buf out = { 0 };

	print_trace(&out, f, &rec, quiet);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
}

static void test_trace(void **state)
{
	(void)state;
	expect_trace(&I64, false, "                  -5");
	expect_trace(&I32, false, "         -6");
	expect_trace(&I16, false, "    -7");
	expect_trace(&I8, false, "  -8");
	expect_trace(&U64, false, " 18446744073709551611");
	expect_trace(&U32, false, " 4294967290");
	expect_trace(&U16, false, " 65529");
	expect_trace(&U8, false, " 248");
	expect_trace(&PTR, false, "  0xffffffff81000000");
	expect_trace(&TEXT, false, "  hello                            ");
	expect_trace(&EMPTY, false, "                                   ");
	expect_trace(&FULL, false, "  fullfull                         ");
	expect_trace(&I64, true, "-5");
	expect_trace(&U8, true, "248");
	expect_trace(&PTR, true, "0xffffffff81000000");
	expect_trace(&TEXT, true, "hello");
	expect_trace(&EMPTY, true, "");
	expect_trace(&FULL, true, "fullfull");
	expect_trace(&BYTES, false,
		     "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		     "         0: 68 65 6c 6c 6f 00 00 00 00 00 00 00 00 00 00 00  hello...........\n");
}

static void test_lines(void **state)
{
	struct probe p = { .id = 33631, .func = "", .name = "tick-1sec" }, l = { .id = 7, .name = "entry" };
	char func[400];
	struct buf out = { 0 };

	(void)state;
	print_header(&out);
	print_prefix(&out, 0, &p);
	assert_string_equal(buf_str(&out), "CPU     ID                    FUNCTION:NAME\n"
					   "  0  33631                       :tick-1sec ");
	buf_reset(&out);
	memset(func, 'f', sizeof func);
	func[399] = '\0';
	l.func = func;
	print_prefix(&out, 1234, &l);
	assert_int_equal(out.len, 5 + 7 + 399 + 7);
	assert_memory_equal(out.data, "1234      7 fff", 15);
	assert_string_equal(out.data + out.len - 8, "f:entry ");
	buf_free(&out);
}

/* ---- printf ---- */
enum { MAXCONVS = 16 };

/* A number or '*'; -1 without one. */
static int number(const char **s, bool *dynamic)
{
	char *end;
	long n;

	*dynamic = **s == '*';
	*s += *dynamic;
	if (**s < '0' || **s > '9')
		return -1;
	n = strtol(*s, &end, 10);
	*s = end;
	return (int)n;
}

static enum conv_kind kind_of(char letter)
{
	return letter == 's' ? CONV_STR : letter == 'c' ? CONV_CHAR : letter == 'p' ? CONV_PTR :
	       letter == 'Y' ? CONV_TIME : CONV_INT;
}

/* Parses the text after a '%'. Tests are texts, so that they read like scripts. */
static const char *conv_of(const char *s, struct conv *c)
{
	for (; strchr("-0+ #'@", *s); s++) {
		c->minus |= *s == '-';
		c->zero |= *s == '0';
		c->plus |= *s == '+';
		c->space |= *s == ' ';
		c->alt |= *s == '#';
		c->group |= *s == '\'';
		c->at |= *s == '@';
	}
	c->prec = -1;
	c->width = number(&s, &c->dynwidth);
	if (*s == '.') {
		s++;
		c->prec = number(&s, &c->dynprec);
	}
	c->spec = *s;
	c->kind = c->at ? CONV_AGG : kind_of(*s);
	return s + 1;
}

static struct fmt fmt_of(const char *s, struct conv *convs)
{
	struct fmt f = { .conv = convs, .text = s };

	memset(convs, 0, MAXCONVS * sizeof *convs);
	for (; *s; f.n++) {
		struct conv *c = &convs[f.n];

		assert_true(f.n < MAXCONVS);
		if (*s == '%') {
			s = conv_of(s + 1, c);
			continue;
		}
		*c = (struct conv){ .kind = CONV_TEXT, .text = s, .len = strcspn(s, "%") };
		s += c->len;
	}
	return f;
}

static void expect_printf(const char *text, const struct val_field *const *fields, unsigned n, const char *want)
{
	struct conv convs[MAXCONVS];
	struct fmt fmt = fmt_of(text, convs);
	struct val_field list[4];
	struct buf out = { 0 };

	for (unsigned i = 0; i < n; i++)
		list[i] = *fields[i];
	print_format(&out, &(struct rec_act){ .fmt = &fmt, .fields = list, .nfields = n }, &rec, NULL, ESCAPE_TEXT);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
}

#define EXPECT(text, want, ...) \
	expect_printf("[" text "]", (const struct val_field *[]){ __VA_ARGS__ }, \
		      sizeof((const struct val_field *[]){ __VA_ARGS__ }) / sizeof(void *), want)

static void test_integers(void **state)
{
	(void)state;
	EXPECT("%d", "[-5]", &I64);
	EXPECT("%i", "[-6]", &I32);
	EXPECT("%d", "[4294967290]", &U32);
	/* the width of an integer does not depend on its sign */
	EXPECT("%u", "[4294967290]", &I32);
	EXPECT("%x", "[fffffffffffffffb]", &I64);
	EXPECT("%x", "[fffffffa]", &I32);
	EXPECT("%X", "[FFF9]", &I16);
	EXPECT("%o", "[370]", &I8);
	EXPECT("%6d", "[    -6]", &I32);
	EXPECT("%-6d", "[-6    ]", &I32);
	EXPECT("%06d", "[-00006]", &I32);
	EXPECT("%.3d", "[-006]", &I32);
	EXPECT("%6.3d", "[  -006]", &I32);
	EXPECT("%+d", "[+8]", &WIDTH);
	EXPECT("% d", "[ 8]", &WIDTH);
	EXPECT("%#x", "[0xf8]", &U8);
	EXPECT("%-0+ #'5d", "[+8   ]", &WIDTH);
}

static size_t length_of(const char *text, struct val_field a, struct val_field b)
{
	struct conv convs[MAXCONVS];
	struct fmt fmt = fmt_of(text, convs);
	struct val_field list[] = { a, b };
	struct buf out = { 0 };
	size_t n;

	print_format(&out, &(struct rec_act){ .fmt = &fmt, .fields = list, .nfields = 2 }, &rec, NULL, ESCAPE_TEXT);
	n = out.len;
	buf_free(&out);
	return n;
}

static void test_dynamic(void **state)
{
	(void)state;
	EXPECT("%*d", "[      -5]", &WIDTH, &I64);
	EXPECT("%*d", "[-5      ]", &MINUS, &I64);
	EXPECT("%.*d", "[-00000005]", &WIDTH, &I64);
	EXPECT("%.*d", "[-5]", &MINUS, &I64);
	EXPECT("%*.*d", "[-00000005]", &WIDTH, &WIDTH, &I64);
	EXPECT("%*s", "[   hello]", &WIDTH, &TEXT);
	EXPECT("%.*s", "[hello]", &WIDTH, &TEXT);
	EXPECT("%*s", "[hello   ]", &MINUS, &TEXT);
	/* limited, whatever a script computes */
	assert_int_equal(length_of("%*d", HUGE_, I64), 4096);
	assert_int_equal(length_of("%*s", HUGE_, TEXT), 4096);
	assert_int_equal(length_of("%.*d", HUGE_, I64), 4097);
	assert_int_equal(length_of("%2147483647.2147483647d", I64, I64), (1 << 24) + 1);
}

static void test_strings(void **state)
{
	(void)state;
	EXPECT("%s", "[hello]", &TEXT);
	EXPECT("%s", "[fullfull]", &FULL);
	EXPECT("%s", "[]", &EMPTY);
	EXPECT("%8s", "[   hello]", &TEXT);
	EXPECT("%-8s", "[hello   ]", &TEXT);
	EXPECT("%.2s", "[he]", &TEXT);
	EXPECT("%.0s", "[]", &TEXT);
	EXPECT("%4.3s", "[ hel]", &TEXT);
	EXPECT("%3s", "[   ]", &EMPTY);
	EXPECT("%c", "[A]", &LETTER);
	EXPECT("%3c", "[  A]", &LETTER);
	EXPECT("%-3c", "[A  ]", &LETTER);
	EXPECT("%p", "[ffffffff81000000]", &PTR);
	EXPECT("%20p", "[    ffffffff81000000]", &PTR);
	EXPECT("%-12p", "[f8          ]", &U8);
	EXPECT("%p", "[fffffffa]", &I32);
}

static void test_time(void **state)
{
	static const int64_t before = -1;
	struct conv convs[MAXCONVS];
	struct fmt fmt = fmt_of("%Y", convs);
	struct val_field f = { .size = 8, .kind = VAL_INT, .is_signed = true };
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
	EXPECT("%Y", "[2026 Nov 21 03:52:33]", &TIME);
	EXPECT("%22Y", "[  2026 Nov 21 03:52:33]", &TIME);
	EXPECT("%Y", "[1970 Jan  1 00:00:00]", &WIDTH);
	print_format(&out, &(struct rec_act){ .fmt = &fmt, .fields = &f, .nfields = 1 }, &before, NULL, ESCAPE_TEXT);
	assert_string_equal(buf_str(&out), "1969 Dec 31 23:59:59");
	buf_free(&out);
	assert_int_equal(setenv("TZ", "EST5", 1), 0);
	tzset();
	EXPECT("%Y", "[2026 Nov 20 22:52:33]", &TIME);
}

/* Arguments that the checker would have refused print something harmless. */
static void test_odd(void **state)
{
	(void)state;
	EXPECT("%d", "[hello]", &TEXT);
	EXPECT("%s", "[-5]", &I64);
	EXPECT("%n", "[-5]", &I64);
	EXPECT("%q", "[248]", &U8);
	EXPECT("%@d", "[]", &I64);
	expect_printf("[%*.*d]", NULL, 0, "[]");
	EXPECT("%*d", "[]", &WIDTH);
	EXPECT("%*d", "[-5]", &TEXT, &I64);
}

/* ---- printa ---- */
struct print_key {
	int32_t pid, pad;
	char name[16];
};

static struct agg_desc by_pid_name(const char *func, const int64_t *p, unsigned n)
{
	struct agg_desc d = {
		.name = "proc", .func = agg_func_find(func), .nkeys = 2, .keysize = sizeof(struct print_key),
		.key = { { .size = 4, .kind = VAL_INT, .is_signed = true }, { .off = 8, .size = 16, .kind = VAL_STR } },
	};
	struct agg_paramarg args[AGG_MAXPARAMS] = { 0 };
	struct diags diags = { 0 };

	for (unsigned i = 0; i < n; i++)
		args[i] = (struct agg_paramarg){ .is_const = true, .value = p[i] };
	if (d.func->check)
		assert_int_equal(d.func->check(&d.spec, args, n, (struct loc){ 0 }, &diags), 0);
	d.valsize = d.func->size(&d.spec);
	return d;
}

/* Adds `value` to word `word` of a row. */
static void add(struct agg_table *t, int32_t pid, const char *name, unsigned word, int64_t value)
{
	struct print_key k = { .pid = pid };
	int64_t *cell = calloc(1, t->desc->valsize);

	strncpy(k.name, name, sizeof k.name - 1);
	cell[word] = value;
	assert_int_equal(agg_table_add(t, &k, cell), 0);
	free(cell);
}

static void expect_printa(const char *text, const struct agg_table *const *t, unsigned nt, const char *want)
{
	struct conv convs[MAXCONVS];
	struct fmt fmt = fmt_of(text, convs);
	const struct agg_order order = { 0 };
	struct buf out = { 0 };

	assert_int_equal(print_printa(&out, &fmt, &(struct print_tables){ t, nt, &order }, NULL, NULL), 0);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
}

#define PRINTA(text, want, ...) \
	expect_printa(text, (const struct agg_table *[]){ __VA_ARGS__ }, \
		      sizeof((const struct agg_table *[]){ __VA_ARGS__ }) / sizeof(void *), want)

/* The guide's first script: printa("%-8d %-40s %@d\n", @proc). */
static void test_printa(void **state)
{
	static const char guide[] = "%-8d %-40s %@d\n", few[] = "%@04d %d;";
	struct agg_desc d = by_pid_name("count", NULL, 0);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	PRINTA(guide, "", &t);
	add(&t, 218848, "sh", 0, 2);
	add(&t, 3, "fsflush", 0, 4);
	add(&t, 223887, "uname", 0, 1);
	PRINTA(guide,
	       "223887   uname                                    1\n"
	       "218848   sh                                       2\n"
	       "3        fsflush                                  4\n", &t);
	PRINTA(few, "0001 223887;0002 218848;0004 3;", &t);
	PRINTA("x", "xxx", &t);
	PRINTA("%d %s %d!", "223887 uname !218848 sh !3 fsflush !", &t);
	t.normal = 2;
	PRINTA(few, "0000 223887;0001 218848;0002 3;", &t);
	agg_table_free(&t);
}

static void test_printa_several(void **state)
{
	static const char text[] = "%d:%@d/%@d/%@d ";
	struct agg_desc count = by_pid_name("count", NULL, 0), min = by_pid_name("min", NULL, 0);
	struct agg_table a, b;

	(void)state;
	agg_table_init(&a, &count);
	agg_table_init(&b, &min);
	add(&a, 1, "x", 0, 7);
	add(&a, 2, "x", 0, 8);
	add(&b, 2, "x", 0, -9 ^ INT64_MAX);
	add(&b, 3, "x", 0, 5 ^ INT64_MAX);
	/* a key that is missing counts as 0; conversions beyond the last aggregation show it again */
	PRINTA(text, "3:0/5/5 1:7/0/0 2:8/-9/-9 ", &a, &b);
	PRINTA(text, "1:7/7/7 2:8/8/8 ", &a);
	PRINTA("%@x ", "fffffffffffffff7 5 ", &b);
	agg_table_free(&a);
	agg_table_free(&b);
}

static void test_printa_histogram(void **state)
{
	static const char text[] = "%s%@dend\n";
	struct agg_desc count = by_pid_name("count", NULL, 0);
	struct agg_desc hist = by_pid_name("lquantize", (int64_t[]){ 0, 1, 1 }, 3);
	struct agg_table a, b;

	(void)state;
	agg_table_init(&a, &count);
	agg_table_init(&b, &hist);
	count.nkeys = hist.nkeys = 1;
	count.key[0] = count.key[1];
	hist.key[0] = hist.key[1];
	add(&b, 0, "ksh", 1, 3);
	PRINTA(text,
	       "ksh\n"
	       "           value  ------------- Distribution ------------- count    \n"
	       "             < 0 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 3        \n"
	       "            >= 1 |                                         0        \n"
	       "end\n", &b);
	agg_table_reset(&b);
	add(&a, 0, "sh", 0, 1);
	PRINTA(text,
	       "sh\n"
	       "           value  ------------- Distribution ------------- count    \n"
	       "             < 0 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "            >= 1 |                                         0        \n"
	       "end\n", &b, &a);
	agg_table_free(&a);
	agg_table_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace), cmocka_unit_test(test_lines), cmocka_unit_test(test_integers),
		cmocka_unit_test(test_dynamic), cmocka_unit_test(test_strings), cmocka_unit_test(test_time),
		cmocka_unit_test(test_odd), cmocka_unit_test(test_printa), cmocka_unit_test(test_printa_several),
		cmocka_unit_test(test_printa_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
