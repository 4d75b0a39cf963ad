/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lowering: records, variables, strings, faults, kernel memory, aggregations, what runs when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/lib/dworld.h"

static void open_text(struct dworld *w, const char *text, bool optimise)
{
	dworld_open(w, text, NULL, optimise);
	if (!w->prog)
		fail_msg("%s\n%s", text, dworld_errors(w));
	w->pidtgid = 4711ull << 32 | 4712;
	w->uidgid = 100ull << 32 | 1000;
	w->cpu = 3;
	w->clock = 1000;
	w->task = IR_SEED_KBASE;
	w->stackdepth = 7;
	strcpy(w->comm, "gzip");
}

/* Every test runs with and without the optimiser. */
typedef void body_fn(struct dworld *w);

static void run_text(const char *text, body_fn *fn)
{
	for (int optimise = 0; optimise < 2; optimise++) {
		struct dworld w;

		open_text(&w, text, optimise);
		fn(&w);
		dworld_close(&w);
	}
}

#define RUN(text, ...) run_text(text, __VA_ARGS__)

static const struct rec_hdr *header(const struct dworld *w, size_t rec)
{
	assert_true(rec < w->recs.n);
	return (const struct rec_hdr *)w->recs.v[rec].data;
}

/* ---- tables of one value ---- */
struct value {
	const char *text;
	int64_t want;
};

static void check_memory(const char *declared, const char *before, const void *kmem, size_t size, const struct value *v,
			 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (int optimise = 0; optimise < 2; optimise++) {
			struct buf text = { 0 };
			struct dworld w;

			buf_printf(&text, "%s BEGIN { %s trace((long)(%s)); }", declared, before, v[i].text);
			open_text(&w, buf_str(&text), optimise);
			if (size)
				memcpy(w.kmem, kmem, size);
			dworld_fire(&w, "BEGIN");
			if (w.faults.n || w.recs.n != 1 || dworld_int(&w, 0, 0, 0) != v[i].want)
				fail_msg("%s: %lld, not %lld", v[i].text,
					 w.recs.n ? (long long)dworld_int(&w, 0, 0, 0) : -1LL, (long long)v[i].want);
			dworld_close(&w);
			buf_free(&text);
		}
	}
}

static void check_values(const char *before, const struct value *v, size_t n)
{
	check_memory("", before, NULL, 0, v, n);
}

static void test_builtins(void **state)
{
	static const struct value v[] = {
		{ "pid", 4711 }, { "tid", 4712 }, { "uid", 1000 }, { "gid", 100 }, { "cpu", 3 }, { "timestamp", 1000 },
		{ "timestamp - timestamp", 0 }, { "stackdepth", 7 }, { "errno", 0 }, { "arg0", 0 }, { "arg9", 0 },
		{ "epid", 1 }, { "id", 1 }, { "(unsigned long)curthread", (int64_t)IR_SEED_KBASE },
		{ "execname == \"gzip\"", 1 }, { "execname == \"gzipp\"", 0 }, { "execname == \"gzi\"", 0 },
		{ "\"gzip\" == execname", 1 }, { "execname != \"gzip\"", 0 }, { "execname != \"bash\"", 1 },
		{ "execname == \"\"", 0 }, { "execname > \"gzi\"", 1 }, { "execname < \"h\"", 1 }, { "execname <= \"gzip\"", 1 },
		{ "execname >= \"gzipx\"", 0 }, { "execname == execname", 1 },
		{ "execname == \"a name that is longer than any\"", 0 },
		{ "execname == \"a name that is longer than any task has, and longer than words\"", 0 },
		{ "execname != \"a name that is longer than any task has, and longer than words\"", 1 },
		{ "probename == \"BEGIN\"", 1 }, { "probename == \"END\"", 0 }, { "probeprov == \"dtrace\"", 1 },
		{ "probemod == \"\"", 1 }, { "probefunc == \"\"", 1 }, { "probename < probeprov", 1 },
		{ "\"abc\" < \"abd\"", 1 }, { "\"abc\" < \"ab\"", 0 }, { "\"\" <= \"\"", 1 }, { "\"a\" > \"\\377\"", 0 },
		{ "\"a\" != \"a\"", 0 }, { "\"a\" >= \"b\"", 0 }, { "execname == \"x\" || execname == \"gzip\"", 1 },
		{ "!(execname == \"gzip\")", 0 }, { "(execname == \"gzip\") + 4", 5 },
	};

	(void)state;
	check_values("", v, sizeof v / sizeof *v);
}

static void test_scalars(void **state)
{
	static const struct value v[] = {
		{ "x", 5 }, { "x++", 5 }, { "++x", 6 }, { "x--", 5 }, { "--x", 4 }, { "x++ + x", 11 }, { "x += 3", 8 },
		{ "x -= 7", -2 }, { "x *= -4", -20 }, { "x /= 2", 2 }, { "x %= 3", 2 }, { "x <<= 3", 40 }, { "x >>= 1", 2 },
		{ "x |= 8", 13 }, { "x &= 4", 4 }, { "x ^= 1", 4 }, { "x = 9", 9 }, { "x = y = 3", 3 }, { "(x = 2, x + 1)", 3 },
		{ "(x += 10, x)", 15 }, { "c", -128 }, { "(c--, c)", 127 }, { "c--", -128 }, { "--c", 127 },
		{ "c -= 1", 127 }, { "c += 300", -84 }, { "(c += 300, c)", -84 }, { "c *= 3", -128 }, { "uc++", 255 },
		{ "++uc", 0 }, { "(uc++, uc)", 0 }, { "uc += 1", 0 }, { "(++uc, uc == 0)", 1 }, { "s++", 32767 },
		{ "++s", -32768 }, { "(s++, s)", -32768 }, { "i++", INT32_MAX }, { "++i", INT32_MIN }, { "(i++, i)", INT32_MIN },
		{ "(i++, i < 0)", 1 }, { "u--", 0 }, { "--u", UINT32_MAX }, { "(u--, u)", UINT32_MAX }, { "l++", INT64_MAX },
		{ "++l", INT64_MIN }, { "(l++, l)", INT64_MIN }, { "c >>= 1", -64 }, { "uc >>= 1", 127 }, { "uc <<= 1", 254 },
		{ "i /= 2l", 1073741823 }, { "c = 300", 44 }, { "u = -1", UINT32_MAX }, { "never", 0 }, { "never++", 0 },
		{ "x ? x : 7", 5 }, { "never ? 1 : 2", 2 }, { "x > 3 && never++ == 0 && never == 1", 1 },
		{ "x < 3 && never++ == 0 || never", 0 }, { "x > 3 || never++", 1 }, { "(x > 3 || never++, never)", 0 },
		{ "this->t = 5", 5 }, { "(this->t = 5, this->t++, ++this->t)", 7 }, { "this->n", 0 }, { "this->n--", 0 },
		{ "(this->n--, this->n)", -1 }, { "(this->c = (char)127, this->c++, this->c)", -128 },
		{ "self->t = 5", 5 }, { "(self->t = 5, self->t)", 5 }, { "self->n", 0 }, { "self->n++", 0 },
		{ "(self->n++, self->n)", 1 }, { "(self->t = 5, self->t *= 3, self->t)", 15 },
		{ "(self->t = 5, self->t = 0, self->t)", 0 }, { "(self->c = (char)127, ++self->c)", -128 },
	};

	(void)state;
	check_values("x = 5; y = 0; c = (char)-128; uc = (unsigned char)255; s = (short)32767; i = 2147483647; "
		     "u = (unsigned int)0; l = 9223372036854775807; never = 0; self->n = 0; this->n = 0; ",
		     v, sizeof v / sizeof *v);
}

static void test_arrays(void **state)
{
	static const struct value v[] = {
		{ "a[1]", 10 }, { "a[2]", 0 }, { "a[1]++", 10 }, { "(a[1]++, a[1])", 11 }, { "++a[7]", 1 },
		{ "(a[1] += 5, a[1])", 15 }, { "(a[1] -= 5, a[1])", 5 }, { "(a[1] |= 5, a[1])", 15 }, { "(a[3] |= 5, a[3])", 5 },
		{ "(a[1] = 0, a[1])", 0 }, { "(a[1] = zero, a[1])", 0 }, { "(a[1] = one, a[1])", 1 },
		{ "b[\"x\", 1, 'c']", 77 }, { "b[\"x\", 1, 'd']", 0 }, { "b[\"x\", 2, 'c']", 0 }, { "b[\"y\", 1, 'c']", 0 },
		{ "b[\"xx\", 1, 'c']", 0 }, { "b[str, 1, 'c']", 77 }, { "b[str2, 1, 'c']", 0 },
		{ "(b[execname, 1, 'c'] = 3, b[\"gzip\", 1, 'c'])", 3 }, { "a[a[1] - 9]", 10 }, { "a[a[a[2] + 1] - 9]", 10 },
		{ "s[1] == \"one\"", 1 }, { "s[2] == \"\"", 1 }, { "s[1] != s[2]", 1 }, { "(s[2] = s[1], s[2] == \"one\")", 1 },
		{ "(s[1] = \"\", s[1] == \"\")", 1 }, { "(s[1] = s[1], s[1] == \"one\")", 1 },
		{ "(b[one ? execname : \"more than a task's name has\", 1, 'c'] = 3, b[\"gzip\", 1, 'c'])", 3 },
		{ "m[(unsigned char)1]", 9 }, { "m[(unsigned char)257]", 9 }, { "(m[3] = 300, m[3])", 44 },
	};

	(void)state;
	check_values("a[1] = 10; b[\"x\", 1, 'c'] = 77; zero = 0; one = 1; str = \"x\"; str2 = \"xyz\"; str2 = \"x y\"; "
		     "s[1] = \"one\"; m[(unsigned char)1] = (char)9; ", v, sizeof v / sizeof *v);
}

/* ---- records ---- */
static void layout(struct dworld *w)
{
	const struct epid_desc *e = &w->prog->epids.v[0];

	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(header(w, 0)->epid, 1);
	assert_int_equal(header(w, 0)->ts, 1000);
	assert_int_equal(header(w, 0)->acts, 31);
	assert_int_equal(e->nacts, 5);
	assert_int_equal(e->recsize, w->recs.v[0].size);
	assert_int_equal(dworld_int(w, 0, 0, 0), -3);
	assert_int_equal(dworld_int(w, 0, 1, 0), 9);
	assert_int_equal(dworld_int(w, 0, 1, 1), -70000);
	assert_string_equal(dworld_str(w, 0, 1, 2), "hello");
	assert_string_equal(dworld_str(w, 0, 2, 0), "gzip");
	assert_int_equal(dworld_int(w, 0, 3, 0), 1ull << 40);
	assert_int_equal(dworld_int(w, 0, 4, 0), 'x');
	assert_int_equal(e->acts[1].act, ACT_PRINTF);
	assert_non_null(e->acts[1].fmt);
	assert_int_equal(e->acts[4].action, 5);
}

/* Bytes that are in no field are zero, so nothing of the stack leaves. */
static void gaps(struct dworld *w)
{
	const struct epid_desc *e = &w->prog->epids.v[0];
	uint8_t used[512] = { 0 };

	dworld_fire(w, "BEGIN");
	assert_true(e->recsize <= sizeof used);
	memset(used, 1, sizeof(struct rec_hdr));
	for (unsigned i = 0; i < e->nacts; i++)
		for (unsigned k = 0; k < e->acts[i].nfields; k++)
			memset(used + e->acts[i].fields[k].off, 1, e->acts[i].fields[k].size);
	for (uint32_t i = 0; i < e->recsize; i++)
		if (!used[i])
			assert_int_equal(w->recs.v[0].data[i], 0);
	for (unsigned k = 0; k < 16; k++)
		if (dworld_str(w, 0, 2, 0)[k] == 0)
			for (; k < 16; k++)
				assert_int_equal(dworld_str(w, 0, 2, 0)[k], 0);
}

static void test_records(void **state)
{
	static const char text[] = "BEGIN { trace((char)-3); printf(\"%d %d %s\", (short)9, -70000, \"hello\"); "
				   "trace(execname); trace(1l << 40); trace((char)'x'); }";

	(void)state;
	RUN(text, layout);
	RUN(text, gaps);
}

static void defaults(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(header(w, i)->epid, i + 1);
		assert_int_equal(header(w, i)->acts, 1);
		assert_int_equal(w->prog->epids.v[i].acts[0].act, ACT_NONE);
		assert_int_equal(w->recs.v[i].size, sizeof(struct rec_hdr));
	}
	assert_int_equal(w->prog->epids.v[2].recobj, UINT32_MAX);
	assert_int_equal(w->prog->epids.v[2].nacts, 0);
	assert_true(w->prog->has_records);
	assert_int_equal(w->clocks, 1);
}

static void test_default_action(void **state)
{
	(void)state;
	RUN("BEGIN;\nBEGIN { }\nBEGIN { x = 1; }", defaults);
}

static void conditional(struct dworld *w)
{
	static const uint32_t acts[] = { 2, 6, 3, 7 };
	unsigned n = 0;

	for (uint64_t i = 0; i < 4; i++) {
		*dworld_cell(w, "var@x", NULL) = i;
		dworld_fire(w, "BEGIN");
	}
	assert_int_equal(w->recs.n, 4);
	for (size_t i = 0; i < 4; i++, n++) {
		assert_int_equal(header(w, i)->acts, acts[i]);
		assert_string_equal(dworld_str(w, i, 0, 0), i & 2 ? "gzip" : "");
		assert_int_equal(dworld_int(w, i, 1, 0), 7);
		assert_int_equal(dworld_int(w, i, 2, 0), i & 1 ? 99 : 0);
	}
}

static void conditional_only(struct dworld *w)
{
	for (uint64_t i = 0; i < 3; i++) {
		*dworld_cell(w, "var@x", NULL) = i;
		dworld_fire(w, "BEGIN");
	}
	assert_int_equal(w->recs.n, 2);
	assert_int_equal(header(w, 0)->acts, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), 11);
	assert_int_equal(header(w, 1)->acts, 2);
	assert_int_equal(dworld_int(w, 1, 1, 0), 22);
	assert_int_equal(*dworld_cell(w, "var@y", NULL), 5);
}

static void test_conditional(void **state)
{
	(void)state;
	RUN("BEGIN { if (x & 2) { trace(execname); } trace(7); if (x & 1) trace(99); }", conditional);
	RUN("BEGIN { if (x == 1) { trace(11); } else if (x == 2) trace(22); else { y = 5; } }", conditional_only);
}

static void exits(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_true(w->exited);
	assert_int_equal(w->status, -7);
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), -7);
	assert_int_equal(*dworld_cell(w, "var@after", NULL), 1);
	assert_int_equal(*dworld_cell(w, "var@next", NULL), 0);
	assert_true(w->prog->uses_exit);
}

static void no_exit(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_false(w->exited);
	assert_int_equal(*dworld_cell(w, "var@next", NULL), 1);
}

static void wrong_state(struct dworld *w)
{
	w->state = IR_S_DRAINING;
	dworld_fire(w, "profile-97");
	assert_int_equal(w->recs.n, 0);
	w->state = IR_S_ACTIVE;
	dworld_fire(w, "profile-97");
	assert_int_equal(w->recs.n, 1);
}

static void test_states(void **state)
{
	(void)state;
	RUN("BEGIN { exit(-7); after = 1; } BEGIN { next = 1; }", exits);
	RUN("BEGIN /0/ { exit(0); } BEGIN { next = 1; }", no_exit);
	RUN("profile-97 { trace(1); }", wrong_state);
}

/* ---- variables ---- */
static void drops(struct dworld *w)
{
	w->full = true;
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->drops[IR_DROP_DYNAMIC], 4);
	assert_int_equal(w->drops[IR_DROP_AGG], 1);
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), 0);
}

static void cells(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(dworld_ncells(w, "var@a"), 3);
	*dworld_cell(w, "var@zero", NULL) = 0;
	dworld_fire(w, "END");
	assert_int_equal(dworld_ncells(w, "var@a"), 0);
	assert_int_equal(dworld_ncells(w, "self@never"), 0);
}

static void namespaces(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	dworld_fire(w, "profile-97");
	assert_int_equal(*dworld_cell(w, "self@x", NULL), 1);
	assert_int_equal(*dworld_cell(w, "self@x@profile", NULL), 2);
	dworld_fire(w, "profile-97");
	assert_int_equal(*dworld_cell(w, "self@x@profile", NULL), 4);
	assert_int_equal(*dworld_cell(w, "self@x", NULL), 1);
}

static void test_cells(void **state)
{
	static const struct compile_opts shared = { .strsize = 64, .profself = true };
	struct dworld w;

	(void)state;
	RUN("BEGIN { self->x = 4; a[1] = 2; a[2]++; self->s = \"x\"; @[1] = count(); trace(a[1]); }", drops);
	RUN("BEGIN { a[1] = 1; a[2] = 1; a[3] = zero + 1; } END { a[1] = 0; a[2] = zero; a[3] = 0; self->never = 0; "
	    "a[9] = zero; }", cells);
	RUN("BEGIN { self->x = 1; } profile-97 { self->x += self->x ? self->x : 2; }", namespaces);
	dworld_open(&w, "BEGIN { self->x = 1; } profile-97 { self->x++; }", &shared, false);
	assert_non_null(w.prog);
	dworld_fire(&w, "BEGIN");
	dworld_fire(&w, "profile-97");
	assert_int_equal(*dworld_cell(&w, "self@x", NULL), 2);
	dworld_close(&w);
}

static void locals(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(dworld_int(w, i, 0, 0), 1);
		assert_string_equal(dworld_str(w, i, 1, 0), "abc");
	}
}

static void test_this(void **state)
{
	(void)state;
	RUN("BEGIN { this->n++; this->s = this->n == 1 ? \"abc\" : \"def\"; } BEGIN { trace(this->n); trace(this->s); }", locals);
}

/* ---- strings ---- */
static const char long_text[] = "a rather long string that does not fit into sixty-four bytes, whatever one does, is it";

static void strings(struct dworld *w)
{
	static const char *const want[] = { "gzip", "gzip", long_text, "", "yes", "BEGIN", "gzip", "no", "gzip" };

	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 1);
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		assert_string_equal(dworld_str(w, 0, i, 0), want[i]);
}

static void cut(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_string_equal(dworld_str(w, 0, 0, 0), "a rather long s");
	assert_string_equal(dworld_str(w, 0, 1, 0), "a rather long s");
	assert_string_equal(dworld_str(w, 0, 2, 0), "gzip");
	assert_int_equal(dworld_int(w, 0, 3, 0), 1);
}

static void zero_tails(struct dworld *w)
{
	uint8_t *s;

	dworld_fire(w, "BEGIN");
	s = (uint8_t *)dworld_cell(w, "var@s", NULL);
	assert_string_equal((char *)s, "ab");
	for (unsigned i = 2; i < 256; i++)
		assert_int_equal(s[i], 0);
}

static void test_strings(void **state)
{
	static const struct compile_opts tiny = { .strsize = 16 };
	struct buf text = { 0 };
	struct dworld w;

	(void)state;
	buf_printf(&text, "BEGIN { nn = \"\"; s = execname; t = s; l = \"%s\"; self->e = execname; trace(s); trace(t); trace(l); trace(nn); "
		   "trace(t == s ? \"yes\" : \"no\"); trace(probename); trace(self->e); trace(l == s ? execname : \"no\"); "
		   "trace((u = (v = s))); }", long_text);
	RUN(buf_str(&text), strings);
	buf_reset(&text);
	buf_printf(&text, "BEGIN { s = \"%s\"; t = s; u = execname; trace(s); trace(t); trace(u); trace(s == t); }", long_text);
	dworld_open(&w, buf_str(&text), &tiny, false);
	assert_non_null(w.prog);
	strcpy(w.comm, "gzip");
	cut(&w);
	dworld_close(&w);
	buf_free(&text);
	RUN("BEGIN { s = \"a string that is longer\"; s = \"ab\"; s = s; s = s == \"ab\" ? s : \"wrong\"; }", zero_tails);
}

/* ---- faults ---- */
static void div_faults(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->faults.n, 2);
	assert_int_equal(w->faults.v[0].epid, 1);
	assert_int_equal(w->faults.v[0].action, 3);
	assert_int_equal(w->faults.v[0].kind, IR_FLT_DIVZERO);
	assert_int_equal(w->faults.v[1].epid, 2);
	assert_int_equal(w->faults.v[1].action, 0);
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(header(w, 0)->epid, 3);
	assert_int_equal(*dworld_cell(w, "var@before", NULL), 1);
	assert_int_equal(*dworld_cell(w, "var@after", NULL), 0);
}

static void error_clause(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 2);
	assert_int_equal(dworld_int(w, 0, 0, 0), 1);
	assert_int_equal(dworld_int(w, 0, 0, 1), 2);
	assert_int_equal(dworld_int(w, 0, 0, 2), IR_FLT_DIVZERO);
	assert_int_equal(dworld_int(w, 0, 0, 3), 42);
	assert_int_equal(header(w, 0)->epid, 3);
	assert_int_equal(header(w, 1)->epid, 2);
	assert_non_null(w->prog->error);
	assert_int_equal(w->prog->probes.n, 1);
}

static void error_exit(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_true(w->exited);
	assert_int_equal(w->status, 3);
	assert_int_equal(*dworld_cell(w, "var@next", NULL), 0);
}

static void double_fault(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->drops[IR_DROP_DBLERROR], 1);
	assert_int_equal(w->faults.n, 1);
	assert_int_equal(*dworld_cell(w, "var@next", NULL), 1);
}

static void modulo(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->faults.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->faults.v[i].kind, IR_FLT_DIVZERO);
	assert_int_equal(w->recs.n, 1);
}

static void test_faults(void **state)
{
	(void)state;
	RUN("BEGIN { trace(1); before = 1; trace(10 / zero); after = 1; } BEGIN /1 % zero/ { trace(2); } BEGIN { trace(3); }",
	    div_faults);
	RUN("BEGIN { this->t = 42; trace(1 / zero); } BEGIN { trace(5); } "
	    "ERROR { printf(\"%d %d %d %d\", arg1, arg2, arg4, this->t); }", error_clause);
	RUN("BEGIN { trace(1 / zero); } BEGIN { next = 1; } ERROR { exit(3); }", error_exit);
	RUN("BEGIN { trace(1 / zero); } BEGIN { next = 1; } ERROR { trace(1 / zero); }", double_fault);
	RUN("BEGIN { x = 1; x /= zero; trace(0); } BEGIN { x %= zero; trace(0); } BEGIN { a[1] /= zero; trace(0); } "
	    "BEGIN { zero ? 1 / zero : 0; zero != 0 && 1 / zero; trace(1); }", modulo);
}

/* ---- kernel memory ---- */
static bool have_btf(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

static void put(struct dworld *w, const char *type, const char *member, uint64_t at, uint64_t v)
{
	struct type *t = type_lookup(&w->c.types, type);
	uint64_t bitoff = 0;
	const struct member *m;

	assert_non_null(t);
	m = type_member(&w->c.types, t, member, &bitoff);
	assert_non_null(m);
	assert_true(at + bitoff / 8 + 8 <= DW_KMEM);
	memcpy(w->kmem + at + bitoff / 8, &v, m->type->size < 8 ? m->type->size : 8);
}

static void tasks(struct dworld *w)
{
	enum { PARENT = 32768 };

	put(w, "struct task_struct", "prio", 0, (uint64_t)-5);
	put(w, "struct task_struct", "real_parent", 0, IR_SEED_KBASE + PARENT);
	put(w, "struct task_struct", "tgid", PARENT, 99);
	put(w, "struct task_struct", "comm", PARENT, 0x736170);	/* "pas" */
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->faults.n, 0);
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), -5);
	assert_int_equal(dworld_int(w, 0, 1, 0), 99);
	assert_int_equal(dworld_int(w, 0, 2, 0), 99);
	assert_string_equal(dworld_str(w, 0, 3, 0), "pas");
	assert_int_equal(dworld_int(w, 0, 4, 0), IR_SEED_KBASE + PARENT);
	assert_int_equal(dworld_int(w, 0, 5, 0), 0);
}

static void bad_pointer(struct dworld *w)
{
	put(w, "struct task_struct", "real_parent", 0, 0xdead0000);
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 0);
	assert_int_equal(w->faults.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(w->faults.v[i].kind, IR_FLT_BADADDR);
		assert_true(w->faults.v[i].value >= 0xdead0000 && w->faults.v[i].value < 0xdead0000 + 0x8000);
	}
	assert_string_equal((char *)dworld_cell(w, "var@s", NULL), "old");
}

static void test_kernel(void **state)
{
	(void)state;
	if (!have_btf())
		skip();
	RUN("BEGIN { trace(curthread->prio); trace(curthread->real_parent->tgid); trace(ppid); "
	    "trace(stringof(curthread->real_parent->comm)); trace(curthread->real_parent); trace(vtimestamp); }", tasks);
	RUN("BEGIN { s = \"old\"; trace(curthread->real_parent->tgid); } BEGIN { s = stringof(curthread->real_parent->comm); } "
	    "BEGIN /curthread->real_parent->prio/ { trace(1); }", bad_pointer);
}

/* The same structure for the C compiler and, as text, for D. */
#define INNER struct inner { short x; unsigned char y[6]; int z[3]; };
#define OUTER struct outer { \
	signed char c; unsigned char uc; short s; unsigned short us; int i; unsigned int ui; long l; unsigned long ul; \
	int b1 : 3; unsigned int b2 : 5; int b3 : 17; unsigned int b4 : 7; unsigned long b5 : 40; long b6 : 24; \
	unsigned long b7 : 64; struct inner in; struct inner arr[2]; int *pi; struct outer *me; char name[10]; \
	char text[20]; };
#define TEXT(x) TEXT2(x)
#define TEXT2(x) #x
INNER
OUTER

static struct outer sample(void)
{
	struct outer o = {
		.c = -1, .uc = 255, .s = -300, .us = 65535, .i = -70000, .ui = 4000000000u, .l = -5000000000, .ul = UINT64_MAX,
		.b1 = -3, .b2 = 21, .b3 = -65000, .b4 = 100, .b5 = 0xabcdef0123, .b6 = -8000000, .b7 = 0xfedcba9876543210,
		.in = { -7, { 1, 2, 3, 4, 5, 255 }, { 10, -20, 30 } },
		.arr = { { 1, { 0 }, { 1, 2, 3 } }, { -2, { 9 }, { -4, 5, -6 } } }, .name = "0123456789", .text = "text",
	};

	o.pi = (int *)(uintptr_t)(IR_SEED_KBASE + offsetof(struct outer, in.z));
	o.me = (struct outer *)(uintptr_t)IR_SEED_KBASE;
	return o;
}

/* p is the C compiler's structure here and the kernel's memory in D. */
static void test_members(void **state)
{
	struct outer o = sample(), *p = &o;
	int k = 1;
#define M(e) { #e, (int64_t)(e) }
	const struct value v[] = {
		M(p->c), M(p->uc), M(p->s), M(p->us), M(p->i), M(p->ui), M(p->l), M(p->ul), M(p->b1), M(p->b2), M(p->b3),
		M(p->b4), M(p->b5), M(p->b6), M(p->b7), M(p->in.x), M(p->in.y[5]), M(p->in.y[k]), M(p->in.z[1]), M(p->arr[1].x),
		M(p->arr[k].z[k + 1]), M(p->arr[0].z[2]), M((&p->in)->z[2]), M((*p).i), M((*p).in.z[0]), M(*(&p->i)),
		M(p->b1 + p->b3), M(p->c == -1 && p->uc == 255), M(p->i ? p->s : 0), M(&p->i != 0),
		M((char *)&p->in - (char *)p), M(&p->arr[1] - &p->arr[0]), M((&p->ui)[-1]), M(sizeof(p->in)),
	};
	static const struct value only_d[] = {
		{ "*p->pi", 10 }, { "p->pi[1]", -20 }, { "*(p->pi + 2)", 30 }, { "p->me->me->i", -70000 },
		{ "stringof(p->text) == \"text\"", 1 }, { "stringof(p->name) == \"012345678\"", 1 },
		{ "p->me == p", 1 }, { "p->pi > (int *)p", 1 },
	};
	static const char before[] = "p = (struct outer *)curthread; k = 1; ";

	(void)state;
	check_memory(TEXT(INNER) TEXT(OUTER), before, &o, sizeof o, v, sizeof v / sizeof *v);
	check_memory(TEXT(INNER) TEXT(OUTER), before, &o, sizeof o, only_d, sizeof only_d / sizeof *only_d);
}

/* ---- aggregations ---- */
static void keys(struct dworld *w)
{
	struct {
		int32_t pid;
		uint8_t c, pad[3];
		char comm[16];
		int64_t n;
	} k = { 4711, 'x', { 0 }, "gzip", -1 };
	uint64_t *v;

	dworld_fire(w, "BEGIN");
	dworld_fire(w, "BEGIN");
	v = dworld_cell(w, "@", &k);
	assert_non_null(v);
	assert_int_equal(*v, 2);
	assert_int_equal(dworld_ncells(w, "@"), 1);
	assert_int_equal(*dworld_cell(w, "@s", NULL), 2 * (4711 + 5));
	assert_int_equal(w->recs.n, 0);
	assert_int_equal(w->clocks, 0);
	assert_false(w->prog->has_records);
}

static void agg_actions(struct dworld *w)
{
	const struct epid_desc *e = &w->prog->epids.v[0];

	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(e->nacts, 7);
	assert_int_equal(e->acts[0].naggs, 2);
	assert_string_equal(e->acts[0].aggs[1]->name, "b");
	assert_int_equal(e->acts[1].naggs, 1);
	assert_non_null(e->acts[1].fmt);
	assert_int_equal(e->acts[2].act, ACT_CLEAR);
	assert_int_equal(e->acts[3].nfields, 0);
	assert_int_equal(dworld_int(w, 0, 4, 0), -5);
	assert_int_equal(dworld_int(w, 0, 5, 0), 1000);
	assert_int_equal(e->acts[6].naggs, 1);
	assert_true(w->prog->ir->objs.v[e->acts[0].aggs[0]->obj].generations);
}

static void test_aggs(void **state)
{
	(void)state;
	RUN("BEGIN { @[pid, (char)'x', execname, (long)-1] = count(); @s = sum(pid + 5); }", keys);
	RUN("BEGIN { @a[1] = count(); @b[1] = sum(3); printa(@a, @b); printa(\"%d %@d\\n\", @a); clear(@a); trunc(@a); "
	    "trunc(@a, -5); normalize(@b, 1000); denormalize(@b); }", agg_actions);
}

/* ---- functions ---- */
static void several(struct dworld *w)
{
	assert_int_equal(w->prog->probes.n, 3);
	assert_string_equal(w->prog->probes.v[0].probe->name, "BEGIN");
	assert_string_equal(w->prog->probes.v[1].probe->name, "END");
	assert_string_equal(w->prog->probes.v[2].probe->name, "tick-1s");
	assert_null(w->prog->probes.v[0].alt);
	assert_non_null(w->prog->probes.v[2].alt);
	assert_int_equal(w->prog->probes.v[2].func->ctx, IR_C_PERF);
	assert_int_equal(w->prog->probes.v[2].alt->ctx, IR_C_RUN);
	assert_int_equal(w->prog->epids.n, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->prog->probes.v[i].func->tag, i);
	dworld_fire(w, "END");
	assert_int_equal(w->recs.n, 2);
	assert_int_equal(header(w, 0)->epid, 2);
	assert_int_equal(header(w, 1)->epid, 3);
	assert_string_equal(dworld_str(w, 0, 0, 0), "END");
}

static void one_time(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->clocks, 1);
	assert_int_equal(w->recs.n, 2);
	assert_int_equal(header(w, 0)->ts, 1000);
	assert_int_equal(header(w, 1)->ts, 1000);
	assert_int_equal(dworld_int(w, 1, 0, 0), 1000);
}

static void no_time(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->clocks, 0);
}

/* The time is read before a predicate that may or may not look at it. */
static void one_or_none(struct dworld *w)
{
	*dworld_cell(w, "var@x", NULL) = 1;
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->clocks, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), 1000);
}

static void wall(struct dworld *w)
{
	assert_true(w->prog->uses_wall);
	*dworld_cell(w, "wall_offset", NULL) = 5000;
	dworld_fire(w, "BEGIN");
	assert_int_equal(dworld_int(w, 0, 0, 0), 6000);
}

static void test_functions(void **state)
{
	(void)state;
	RUN("BEGIN, END { trace(probename); } END, tick-1s { trace(1); }", several);
	RUN("BEGIN { trace(1); } BEGIN { trace(timestamp); }", one_time);
	RUN("BEGIN /x/ { trace(1); } BEGIN { y = 1; }", no_time);
	RUN("BEGIN { trace(walltimestamp); }", wall);
	RUN("BEGIN /x || timestamp > 5/ { trace(timestamp); }", one_or_none);
}

/* ---- limits ---- */
static void refused(const char *text, const char *tag)
{
	struct dworld w;

	dworld_open(&w, text, NULL, false);
	assert_null(w.prog);
	if (!strstr(dworld_errors(&w), tag))
		fail_msg("%s, not %s", dworld_errors(&w), tag);
	dworld_close(&w);
}

static void test_limits(void **state)
{
	static const struct compile_opts big = { .strsize = 4096 };
	struct buf text = { 0 };
	struct dworld w;

	(void)state;
	buf_puts(&text, "BEGIN {");
	for (unsigned i = 0; i < 33; i++)
		buf_puts(&text, "trace(1);");
	buf_puts(&text, "}");
	refused(buf_str(&text), "D_LIMIT");
	buf_reset(&text);
	buf_puts(&text, "BEGIN { trace(\"");
	buf_pad(&text, 'x', 40000);
	buf_puts(&text, "\"); }");
	refused(buf_str(&text), "D_LIMIT");
	buf_reset(&text);
	buf_puts(&text, "BEGIN { x = s; ");
	for (unsigned i = 0; i < 8; i++)
		buf_puts(&text, "trace(s);");
	buf_puts(&text, " s = \"\"; }");
	dworld_open(&w, buf_str(&text), &big, false);
	assert_null(w.prog);
	dworld_close(&w);
	buf_free(&text);
}

/* As deep as the parser allows: compiled, or refused in words. */
static void deep(const char *head, const char *open, const char *middle, const char *close, const char *tail)
{
	for (unsigned depth = 100; depth <= 3000; depth *= 3) {
		struct buf text = { 0 };
		struct dworld w;

		buf_puts(&text, head);
		for (unsigned i = 0; i < depth; i++)
			buf_puts(&text, open);
		buf_puts(&text, middle);
		for (unsigned i = 0; i < depth; i++)
			buf_puts(&text, close);
		buf_puts(&text, tail);
		dworld_open(&w, buf_str(&text), NULL, true);
		assert_true(w.prog || w.diags.nerrors);
		assert_true(w.prog || depth > 100);
		if (w.prog)
			dworld_fire(&w, "BEGIN");
		dworld_close(&w);
		buf_free(&text);
	}
}

static void test_deep(void **state)
{
	(void)state;
	deep("BEGIN { x = 1; trace(", "x + ", "x", "", "); }");
	deep("BEGIN { x = 1; trace(", "- ", "x", "", "); }");
	deep("BEGIN { x = 1; trace(x", "", "", " && x", "); }");
	deep("BEGIN { x = 1; trace(", "x ? 2 : ", "3", "", "); }");
	deep("BEGIN { s = \"\"; trace(", "s == \"a\" ? s : ", "s", "", "); }");
	deep("BEGIN { x = 1; ", "if (x) x = 2; else ", "x = 3;", "", "}");
	deep("BEGIN { a[1] = 1; trace(", "a[", "1", "]", "); }");
}

/* Twice the clauses may not take four times as long. */
static double seconds(unsigned clauses)
{
	struct buf text = { 0 };
	struct timespec a, b;
	struct dworld w;

	for (unsigned i = 0; i < clauses; i++)
		buf_printf(&text, "profile-97 /pid == %u && execname == \"gzip%u\"/ { @a%u[pid, execname] = count(); "
			   "x%u = timestamp; trace(x%u); }\n", i, i, i % 50, i, i);
	dworld_open(&w, "BEGIN { }", NULL, false);
	dworld_close(&w);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	dworld_open(&w, buf_str(&text), NULL, false);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	if (!w.prog)
		fail_msg("%s", dworld_errors(&w));
	dworld_close(&w);
	buf_free(&text);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

static void test_linear(void **state)
{
	double small = seconds(1000), large = seconds(4000);

	(void)state;
	printf("# 1000 clauses in %.3f s, 4000 in %.3f s\n", small, large);
	assert_true(large < small * 12 + 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtins), cmocka_unit_test(test_scalars), cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_records), cmocka_unit_test(test_default_action), cmocka_unit_test(test_conditional),
		cmocka_unit_test(test_states), cmocka_unit_test(test_cells), cmocka_unit_test(test_this),
		cmocka_unit_test(test_strings), cmocka_unit_test(test_faults), cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_aggs), cmocka_unit_test(test_functions), cmocka_unit_test(test_limits), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
