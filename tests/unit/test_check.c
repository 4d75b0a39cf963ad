/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker: tests/errors/TAG[.NAME].d must give what TAG[.NAME].err says, "LINE:COL TAG TEXT", in this order; each
 * tag has at least one. tests/errors/tags.txt has what else brings each tag about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/dcheck.h"

/* Compiles what must be right. */
static void world_good(struct dcheck *w, const char *text)
{
	dcheck_compile(w, text, PRELUDE);
	if (w->err)
		fail_msg("%s\n%s", text, dcheck_first(w));
}

/* ---- tests/errors ---- */
static const char *errors_dir(void)
{
	return getenv("ERRORS") ? getenv("ERRORS") : ERRORS;
}

static void read_file(struct buf *b, const char *path)
{
	if (buf_read_file(b, path))
		fail_msg("cannot read %s", path);
}

static void check_file(const char *path, bool *seen)
{
	struct buf text = { 0 }, want = { 0 };
	struct dcheck w;
	char err[4096];

	snprintf(err, sizeof err, "%.*serr", (int)strlen(path) - 1, path);
	read_file(&text, path);
	read_file(&want, err);
	dcheck_open(&w, buf_str(&text), text.len, PRELUDE);
	dcheck_run(&w);
	if (want.len && want.data[want.len - 1] == '\n')
		want.data[--want.len] = '\0';
	if (strcmp(dcheck_all(&w), buf_str(&want)))
		fail_msg("%s\n got: %s\nwant: %s", path, dcheck_all(&w), buf_str(&want));
	assert_int_equal(w.err != 0, !w.diags.list.v[0].warning);
	seen[w.diags.list.v[0].tag] = true;
	assert_int_equal(strncmp(strrchr(path, '/') + 1, diag_tag_name(w.diags.list.v[0].tag),
				 strcspn(strrchr(path, '/') + 1, ".")), 0);
	dcheck_close(&w);
	buf_free(&want);
	buf_free(&text);
}

/* Tags that a script alone does not bring about: options, arguments, the kernel. Tested where they come from. */
static bool needs_more(enum diag_tag tag)
{
	static const enum diag_tag tags[] = {
		D_NONE, D_ARGS_NONE, D_ATTR_MIN, D_BPF, D_DESTRUCTIVE, D_ENGINE, D_KTYPE, D_MACRO_OFLOW, D_MACRO_UNUSED,
		D_PRAGMA_OPTSET, D_PROC_CREATEFAIL, D_PROC_FUNC, D_PROC_GRAB, D_PROC_LIB, D_PROC_NAME, D_PROC_OFF,
	};

	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (tags[i] == tag)
			return true;
	return false;
}

static void test_errors(void **state)
{
	bool seen[DIAG_NTAGS] = { false };
	char pattern[4096];
	glob_t g;

	(void)state;
	snprintf(pattern, sizeof pattern, "%s/*.d", errors_dir());
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		check_file(g.gl_pathv[i], seen);
	globfree(&g);
	for (int i = 0; i < DIAG_NTAGS; i++)
		if (!seen[i] && !needs_more((enum diag_tag)i))
			fail_msg("no file in tests/errors for %s", diag_tag_name((enum diag_tag)i));
}

/* ---- tests/errors/tags.txt: "TAG<tab>TEXT", the tag of the first error of a text ---- */
static bool row_is_wrong(const char *tag, const char *text)
{
	struct dcheck w;
	const char *first;
	bool wrong;

	dcheck_compile(&w, text, PRELUDE);
	first = w.diags.list.n ? diag_tag_name(w.diags.list.v[0].tag) : "no error";
	wrong = strcmp(first, tag) != 0;
	if (wrong)
		print_error("%s\n got: %s\nwant: %s\n", text, first, tag);
	dcheck_close(&w);
	return wrong;
}

static void test_tags(void **state)
{
	struct buf all = { 0 }, path = { 0 };
	unsigned rows = 0, wrong = 0;
	char *line, *text, *rest;

	(void)state;
	buf_printf(&path, "%s/tags.txt", errors_dir());
	read_file(&all, buf_str(&path));
	for (line = strtok_r(all.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		text = strchr(line, '\t');
		if (*line == '#' || !text)
			continue;
		*text++ = '\0';
		wrong += row_is_wrong(line, text);
		rows++;
	}
	buf_free(&path);
	buf_free(&all);
	assert_int_not_equal(rows, 0);
	assert_int_equal(wrong, 0);
}

/* ---- the list of dtr's own tags in docs/language.md ---- */
static bool is_own(const char *row)
{
	static const struct { const char *tag, *text; } own[] = {
#define DIAG(tag, text)
#define OWN(tag, text) { #tag, text },
#include "base/diag.def"
#undef DIAG
	};
	char want[200];

	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		snprintf(want, sizeof want, "| `%s` | %s |", own[i].tag, own[i].text);
		if (strcmp(own[i].tag, "D_NONE") && !strcmp(want, row))
			return true;
	}
	return false;
}

static size_t own_tags(void)
{
#define DIAG(tag, text)
#define OWN(tag, text) + 1
	return 0
#include "base/diag.def"
#undef DIAG
	       - 1;	/* D_NONE */
}

static void test_own_tags(void **state)
{
	struct buf doc = { 0 }, path = { 0 };
	char *at, *line, *rest;
	size_t rows = 0;

	(void)state;
	buf_printf(&path, "%s/../../docs/language.md", errors_dir());
	read_file(&doc, buf_str(&path));
	at = strstr(buf_str(&doc), "## Error tags\n");
	assert_non_null(at);
	for (line = strtok_r(at, "\n", &rest); line &&
	     strcmp(line, "## Options and output"); line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "| `", 3))
			continue;
		if (!is_own(line))
			fail_msg("not a tag of dtr's own in base/diag.def: %s", line);
		rows++;
	}
	buf_free(&path);
	buf_free(&doc);
	assert_int_equal(rows, own_tags());
}

/* ---- several errors, each reported once ---- */
static void test_cascades(void **state)
{
	static const struct { const char *text; size_t errors; } cases[] = {
		{ "BEGIN { trace(x); trace(x + 1); y = x; trace(y); y = 1; }", 1 },
		{ "BEGIN { trace((x + 1) * 2 - a[x]); }", 1 },
		{ "BEGIN { trace(x + y); trace(self->z); }", 3 },
		{ "BEGIN { a[x] = 1; trace(a[1]); }", 1 },
		{ "BEGIN { x = nosuch(\"a\") + 1; trace(x); x = 2; }", 1 },
		{ "BEGIN { @a[x] = count(); printa(@a); }", 1 },
		{ "BEGIN { @a = lquantize(1, x, 10); }", 1 },
		{ "BEGIN { printf(\"%d %d\", x, \"a\"); }", 2 },
		{ "BEGIN { printf(\"%y\", x); }", 2 },
		{ "inline int v = nothing; BEGIN { trace(v); trace(v); trace(v + 1); }", 1 },
		{ "struct s { int a; }; BEGIN { trace(((struct s *)arg0)->b->c); }", 1 },
		{ "BEGIN { if (x) trace(y); else trace(z); } END /q/ { exit(r); }", 5 },
		{ "BEGIN /!seen/ { seen = 1; trace(z); }", 1 },
		{ "BEGIN /x++ && y == 0/ { trace(x + y++); }", 1 },
		{ "BEGIN /x++ && y == 0/ { trace(z + x); y = 1; }", 2 },
		{ "BEGIN /q || self->q || b[1]/ { trace(1); } BEGIN { q = 1; self->q = 1; a[1] = 1; }", 3 },
		{ "BEGIN { trace(curpsinfo->nothing + 1); trace(curlwpsinfo->nowhere); }", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct dcheck w;

		dcheck_compile(&w, cases[i].text, PRELUDE);
		if (w.diags.nerrors != cases[i].errors)
			fail_msg("%s\n%zu errors instead of %zu: %s", cases[i].text, w.diags.nerrors, cases[i].errors,
				 dcheck_first(&w));
		dcheck_close(&w);
	}
}

/* Without kernel types, one error that says so; scripts that need none work. */
static void test_no_kernel_types(void **state)
{
	const char *text = "BEGIN { trace(curthread->prio); trace(curthread->pid); trace(curpsinfo->pr_pid); }";
	struct dcheck w;

	(void)state;
	dcheck_open(&w, text, strlen(text), PRELUDE);
	w.c.types.btf_path = "/nonexistent/btf";
	dcheck_run(&w);
	assert_int_not_equal(w.err, 0);
	assert_int_equal(w.diags.list.v[0].tag, D_KTYPE);
	dcheck_close(&w);
	/* where the script names it, not in the prelude */
	text = "BEGIN { trace(curpsinfo->pr_pid); }";
	dcheck_open(&w, text, strlen(text), PRELUDE);
	w.c.types.btf_path = "/nonexistent/btf";
	dcheck_run(&w);
	assert_int_equal(w.diags.nerrors, 1);
	assert_ptr_equal(w.diags.list.v[0].loc.src, &w.src);
	dcheck_close(&w);
	text = "profile-97 /pid != 0/ { @[pid, execname, uid, cpu, tid] = count(); }";
	dcheck_open(&w, text, strlen(text), PRELUDE);
	w.c.types.btf_path = "/nonexistent/btf";
	dcheck_run(&w);
	assert_int_equal(w.err, 0);
	dcheck_close(&w);
}

/* ---- the result for later passes ---- */
static void test_keys(void **state)
{
	struct dcheck w;
	const struct agg_desc *d;
	const struct var *v;
	struct val_field f[VAR_MAXKEYS];

	(void)state;
	world_good(&w, "BEGIN { @[pid, execname, arg0 ? \"kernel\" : \"user\"] = count(); @[1, \"a longer name than "
		       "comm\", "
		   "\"x\"] = count(); @n[1] = sum(3); @n[(char)3] = sum(4); @n[timestamp] = sum(5); @p[curthread] = "
		   "count(); "
		   "a[1, 'x', execname] = 2; a[timestamp, 1, \"x\"]++; str = \"a\"; @s[str] = lquantize(pid, 0, 100); "
		   "}");
	d = w.c.script->agglist.v[0];
	assert_int_equal(d->nkeys, 3);
	assert_int_equal(d->key[0].size, 4);
	assert_int_equal(d->key[0].is_signed, true);
	assert_int_equal(d->key[1].off, 8);
	assert_int_equal(d->key[1].kind, VAL_STR);
	assert_int_equal(d->key[1].size, 24);
	assert_int_equal(d->key[2].off, 32);
	assert_int_equal(d->key[2].size, 8);
	assert_int_equal(d->keysize, 40);
	assert_int_equal(d->valsize, d->func->size(&d->spec));
	assert_int_equal(w.c.script->agglist.v[1]->key[0].size, 8);
	assert_int_equal(w.c.script->agglist.v[2]->key[0].kind, VAL_PTR);
	assert_int_equal(w.c.script->agglist.v[3]->key[0].size, 256);
	assert_int_equal(w.c.script->agglist.v[3]->spec.p[1], 100);
	assert_int_equal(w.c.script->agglist.v[3]->spec.p[2], 1);
	v = map_gets(&w.c.script->vars, "a");
	assert_int_equal(var_key_layout(v, 256, f), 32);
	assert_int_equal(f[0].size, 8);
	assert_int_equal(f[1].size, 4);
	assert_int_equal(f[2].off, 16);
	dcheck_close(&w);
}

static void test_statements(void **state)
{
	struct dcheck w;
	const struct stmt *s;

	(void)state;
	world_good(&w, "BEGIN { @a[pid] = quantize(3, 4L); if (pid) { trace(1); } else x = 1; clear(@a); @b = "
		       "llquantize(7, 10, 0, 6, "
		   "20, 2); normalize(@b, 5u); normalize(@b, -5); trunc(@b, pid); }");
	s = w.c.script->clauses->body;
	assert_int_equal(s->action, 1);
	assert_int_equal(s->call->nargs, 2);
	s = s->next;
	assert_int_equal(s->action, 2);
	assert_int_equal(s->yes->action, 3);
	assert_int_equal(s->no->action, 4);
	s = s->next;
	assert_int_equal(s->action, 5);
	assert_ptr_equal(s->expr->args[0]->agg, w.c.script->agglist.v[0]);
	assert_true(w.c.script->agglist.v[0]->cleared);
	s = s->next;
	assert_int_equal(s->call->nargs, 2);
	assert_int_equal(s->call->args[1]->value, 2);
	assert_int_equal(s->call->args[1]->type->size, 8);
	s = s->next;
	assert_int_equal(s->expr->args[1]->type->is_signed, false);
	s = s->next;
	assert_int_equal(s->expr->args[1]->type->is_signed, true);
	assert_int_equal(s->expr->args[1]->type->size, 8);
	s = s->next;
	assert_ptr_equal(s->expr->args[1]->type, w.c.types.t_long);
	assert_true(w.c.script->agglist.v[1]->cleared);
	dcheck_close(&w);
}

static void test_match(void **state)
{
	struct dcheck w;

	(void)state;
	world_good(&w, "BEGIN, BEGIN, profile-97, profile:::profile-97, profile-9* { trace(1); }");
	assert_int_equal(w.c.script->clauses->probes.n, 6);
	dcheck_close(&w);
	dcheck_open(&w, "nosuch:::, fbt:a:b:c { trace(1); }", 34, PRELUDE);
	w.c.opts.zdefs = true;
	dcheck_run(&w);
	assert_int_equal(w.err, 0);
	assert_int_equal(w.c.script->clauses->probes.n, 0);
	dcheck_close(&w);
}

static void test_profself(void **state)
{
	const char *text = "BEGIN { self->x = 1; } profile-97 /self->x/ { trace(1); }";
	struct dcheck w;

	(void)state;
	dcheck_compile(&w, text, PRELUDE);
	assert_int_equal(w.err, 0);
	assert_int_equal(w.diags.list.n, 1);
	dcheck_close(&w);
	dcheck_open(&w, text, strlen(text), PRELUDE);
	w.c.opts.share_self = true;
	dcheck_run(&w);
	assert_int_equal(w.diags.list.n, 0);
	dcheck_close(&w);
}

/* The least stability: of probes and of built-in variables, not of what the prelude makes them from. */
static void test_amin(void **state)
{
	static const struct { const char *text, *amin; size_t errors; } cases[] = {
		{ "BEGIN { trace(curthread->pid); trace(pid); }", "Evolving/Evolving/Common", 1 },
		{ "BEGIN /curthread->pid/ { @[execname] = sum(curthread->prio); }", "evolving/evolving/common", 2 },
		{ "BEGIN { if (pid) trace(curthread->pid); else trace(&curthread->pid); }", "Internal/Unstable/Unknown",
		  2 },
		{ "BEGIN { trace(curthread->pid); }", "Stable/Private/Common", 0 },
		{ "BEGIN { trace(curpsinfo->pr_pid); trace(curlwpsinfo->pr_pri); x = timestamp; }",
		  "Stable/Stable/Common", 0 },
		{ "BEGIN { x = timestamp; }", "Standard/Stable/Common", 2 },
		{ "profile-97 { trace(arg0); }", "Evolving/Evolving/Common", 0 },
		{ "profile-97 { trace(arg0); }", "Stable/Evolving/Common", 2 },
		{ "BEGIN, profile-97 { trace(pid); }", "Stable/Stable/Common", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct dcheck w;

		dcheck_open(&w, cases[i].text, strlen(cases[i].text), PRELUDE);
		w.c.opts.amin = cases[i].amin;
		dcheck_run(&w);
		if (w.diags.nerrors != cases[i].errors)
			fail_msg("%s: %zu errors", cases[i].text, w.diags.nerrors);
		for (size_t k = 0; k < w.diags.nerrors; k++)
			assert_int_equal(w.diags.list.v[k].tag, D_ATTR_MIN);
		dcheck_close(&w);
	}
}

/* One file alone. */
static void test_file(void **state)
{
	bool seen[DIAG_NTAGS];

	check_file(*state, seen);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest file[] = { cmocka_unit_test_prestate(test_file, argv[argc - 1]) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_own_tags),
		cmocka_unit_test(test_cascades),
		cmocka_unit_test(test_no_kernel_types),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_profself),
		cmocka_unit_test(test_amin),
	};

	return argc > 1 ? cmocka_run_group_tests(file, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
