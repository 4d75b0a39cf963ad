/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lowering: records, variables, strings, faults, aggregations, what runs when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/lib/dworld.h"
#include "tests/lib/options.h"

static const struct rec_hdr *header(const struct dworld *w, size_t rec)
{
	assert_true(rec < w->recs.n);
	return (const struct rec_hdr *)w->recs.v[rec].data;
}

/* ---- records ---- */
static void layout(struct dworld *w)
{
	const struct epid_desc *e = &w->prog->epids.v[0];

	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(header(w, 0)->epid, 1);
	assert_int_equal(header(w, 0)->ts, 1000);
	assert_int_equal(header(w, 0)->branches, 0);
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
	dworld_each(text, layout);
	dworld_each(text, gaps);
}

static void defaults(struct dworld *w)
{
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(header(w, i)->epid, i + 1);
		assert_int_equal(header(w, i)->branches, 0);
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
	dworld_each("BEGIN;\nBEGIN { }\nBEGIN { x = 1; }", defaults);
}

static void conditional(struct dworld *w)
{
	static const uint32_t branches[] = { 0, 2, 1, 3 };
	unsigned n = 0;

	for (uint64_t i = 0; i < 4; i++) {
		*dworld_cell(w, "var@x", NULL) = i;
		dworld_fire(w, "BEGIN");
	}
	assert_int_equal(w->recs.n, 4);
	for (size_t i = 0; i < 4; i++, n++) {
		assert_int_equal(header(w, i)->branches, branches[i]);
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
	assert_int_equal(header(w, 0)->branches, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), 11);
	assert_int_equal(header(w, 1)->branches, 2);
	assert_int_equal(dworld_int(w, 1, 1, 0), 22);
	assert_int_equal(*dworld_cell(w, "var@y", NULL), 5);
}

static void test_conditional(void **state)
{
	(void)state;
	dworld_each("int x; BEGIN { if (x & 2) { trace(execname); } trace(7); if (x & 1) trace(99); }", conditional);
	dworld_each("int x; BEGIN { if (x == 1) { trace(11); } else if (x == 2) trace(22); else { y = 5; } "
		"}", conditional_only);
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
	dworld_each("BEGIN { exit(-7); after = 1; } BEGIN { next = 1; }", exits);
	dworld_each("BEGIN /0/ { exit(0); } BEGIN { next = 1; }", no_exit);
	dworld_each("profile-97 { trace(1); }", wrong_state);
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
	struct d_options shared = test_options();
	struct dworld w;

	(void)state;
	shared.strsize = 64;
	shared.share_self = true;
	dworld_each("BEGIN { self->x = 4; a[1] = 2; a[2]++; self->s = \"x\"; @[1] = count(); trace(a[1]); }", drops);
	dworld_each("int zero; self int never; BEGIN { a[1] = 1; a[2] = 1; a[3] = zero + 1; } END { a[1] = 0; "
	    "a[2] = zero; a[3] = 0; "
		"self->never = 0; "
	    "a[9] = zero; }", cells);
	dworld_each("BEGIN { self->x = 1; } profile-97 { self->x += self->x ? self->x : 2; }", namespaces);
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
	dworld_each("BEGIN { this->n++; this->s = this->n == 1 ? \"abc\" : \"def\"; } BEGIN { trace(this->n); "
		"trace(this->s); }", locals);
}

/* ---- strings ---- */
static const char long_text[] = "a rather long string that does not fit into sixty-four bytes, whatever one "
	"does, is it";

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
	struct d_options tiny = test_options();
	struct buf text = { 0 };
	struct dworld w;

	(void)state;
	tiny.strsize = 16;
	buf_printf(&text, "BEGIN { nn = \"\"; s = execname; t = s; l = \"%s\"; self->e = execname; trace(s); "
		"trace(t); trace(l); trace(nn); "
		   "trace(t == s ? \"yes\" : \"no\"); trace(probename); trace(self->e); trace(l == s ? execname "
		": \"no\"); "
		   "trace((u = (v = s))); }", long_text);
	dworld_each(buf_str(&text), strings);
	buf_reset(&text);
	buf_printf(&text, "BEGIN { s = \"%s\"; t = s; u = execname; trace(s); trace(t); trace(u); trace(s == "
		"t); }", long_text);
	dworld_open(&w, buf_str(&text), &tiny, false);
	assert_non_null(w.prog);
	strcpy(w.comm, "gzip");
	cut(&w);
	dworld_close(&w);
	buf_free(&text);
	dworld_each("BEGIN { s = \"a string that is longer\"; s = \"ab\"; s = s; s = s == \"ab\" ? s : "
		"\"wrong\"; }", zero_tails);
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
	dworld_each("int zero; BEGIN { trace(1); before = 1; trace(10 / zero); after = 1; } BEGIN /1 % zero/ { "
	    "trace(2); "
		"} BEGIN { trace(3); }",
	    div_faults);
	dworld_each("int zero; BEGIN { this->t = 42; trace(1 / zero); } BEGIN { trace(5); } "
	    "ERROR { printf(\"%d %d %d %d\", arg1, arg2, arg4, this->t); }", error_clause);
	dworld_each("int zero; BEGIN { trace(1 / zero); } BEGIN { next = 1; } ERROR { exit(3); }", error_exit);
	dworld_each("int zero; BEGIN { trace(1 / zero); } BEGIN { next = 1; } ERROR { trace(1 / zero); "
	    "}", double_fault);
	dworld_each("int zero; BEGIN { x = 1; x /= zero; trace(0); } BEGIN { x %= zero; trace(0); } BEGIN { "
	    "a[1] /= zero; "
		"trace(0); } "
	    "BEGIN { y = zero ? 1 / zero : 0; y = zero != 0 && 1 / zero; trace(1); }", modulo);
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
	dworld_each("BEGIN { @[pid, (char)'x', execname, (long)-1] = count(); @s = sum(pid + 5); }", keys);
	dworld_each("BEGIN { @a[1] = count(); @b[1] = sum(3); printa(@a, @b); printa(\"%d %@d\\n\", @a); "
		"clear(@a); trunc(@a); "
	    "trunc(@a, -5); normalize(@b, 1000); denormalize(@b); }", agg_actions);
}

static void shared_rows(struct dworld *w)
{
	assert_int_equal(dworld_agg(w, "b")->obj, dworld_agg(w, "a")->obj);
	assert_int_equal(dworld_agg(w, "a")->valoff, 0);
	assert_int_equal(dworld_agg(w, "b")->valoff, 8);
	assert_int_equal(w->prog->ir->objs.v[dworld_agg(w, "a")->obj].size, 8 + 16);
	/* another key, another run, a fault, a step, an element: rows of their own */
	for (const char *p = "cdefghij"; *p; p++) {
		char name[] = { *p, 0 };

		assert_int_equal(dworld_agg(w, name)->valoff, 0);
		for (const char *q = "abcdefghij"; *q; q++)
			if (*q != *p)
				assert_int_not_equal(dworld_agg(w, name)->obj, dworld_agg(w, (char[]){ *q, 0 })->obj);
	}
}

static void test_shared_rows(void **state)
{
	(void)state;
	dworld_each("BEGIN { @a[pid, execname] = count(); @b[pid, execname] = avg(tid); @c[pid, tid] = count(); } "
		    "BEGIN { @d[pid] = count(); @e[pid] = count(); } BEGIN { @d[pid] = count(); } "
		    "BEGIN { @f[pid] = count(); @g[pid] = sum(1 / arg0); x = 1; @h[x++] = count(); @i[x++] = "
		    "count(); } "
		    "BEGIN { @j[pid] = count(); x = 2; }", shared_rows);
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

/* Read anew each time; timestamp is not. */
static void wall(struct dworld *w)
{
	assert_true(w->prog->uses_wall);
	*dworld_cell(w, "wall_offset", NULL) = 5000;
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->clocks, 3);
	assert_true(dworld_int(w, 0, 0, 0) > 6000);
	assert_true(dworld_int(w, 0, 1, 0) > dworld_int(w, 0, 0, 0));
	assert_int_equal(dworld_int(w, 0, 2, 0), 1000);
	assert_int_equal(dworld_int(w, 0, 3, 0), 1000);
}

static void test_functions(void **state)
{
	(void)state;
	dworld_each("BEGIN, END { trace(probename); } END, tick-1s { trace(1); }", several);
	dworld_each("BEGIN { trace(1); } BEGIN { trace(timestamp); }", one_time);
	dworld_each("int x; BEGIN /x/ { trace(1); } BEGIN { y = 1; }", no_time);
	dworld_each("BEGIN { trace(walltimestamp); trace(walltimestamp); trace(timestamp); trace(timestamp); }", wall);
	dworld_each("int x; BEGIN /x || timestamp > 5/ { trace(timestamp); }", one_or_none);
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
	struct d_options big = test_options();
	struct buf text = { 0 };
	struct dworld w;

	(void)state;
	big.strsize = 4096;
	buf_puts(&text, "int x; BEGIN {");
	for (unsigned i = 0; i < 33; i++)
		buf_puts(&text, "if (x) trace(1);");
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

/*
 * Twice the clauses may not take four times as long. 16 times as many take 16 times as long, or 256 times if the time
 * is quadratic; the bound of 64 is a factor of four from either. What else the machine does, and what it takes away
 * from a virtual processor, only adds to a time: the least of several is nearest to the truth.
 */
static void test_linear(void **state)
{
	enum { CLAUSES = 500, MORE = 16 };
	double small = seconds(CLAUSES), large = seconds(CLAUSES * MORE), again;

	(void)state;
	for (int i = 0; i < 4; i++) {
		again = seconds(CLAUSES);
		small = again < small ? again : small;
	}
	for (int i = 0; i < 2; i++) {
		again = seconds(CLAUSES * MORE);
		large = again < large ? again : large;
	}
	printf("# %d clauses in %.3f s, %d in %.3f s\n", CLAUSES, small, CLAUSES * MORE, large);
	assert_true(large < small * MORE * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records), cmocka_unit_test(test_default_action),
		cmocka_unit_test(test_conditional),
		cmocka_unit_test(test_states), cmocka_unit_test(test_cells), cmocka_unit_test(test_this),
		cmocka_unit_test(test_strings), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_aggs), cmocka_unit_test(test_shared_rows), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
