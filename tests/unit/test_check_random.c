/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random scripts through the checker, random bytes through the format parser; the seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/dcheck.h"

/* ---- random scripts ---- */
enum { RUNS = 4000 };

static uint64_t rnd(uint64_t *seed, uint64_t n)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (*seed >> 20) % n;
}

static void random_expr(struct buf *b, uint64_t *seed, unsigned depth);

/* The template, each '$' replaced by an expression. */
static void random_fill(struct buf *b, uint64_t *seed, const char *template, unsigned depth)
{
	for (; *template; template++) {
		if (*template == '$')
			random_expr(b, seed, depth);
		else
			buf_putc(b, *template);
	}
}

static void random_expr(struct buf *b, uint64_t *seed, unsigned depth)
{
	static const char *const leaves[] = {
		"x", "y", "x", "str", "1", "0", "-1", "0xffffffffff", "'c'", "\"text\"", "execname", "pid",
		"timestamp", "arg0", "curthread", "curthread->prio", "curthread->comm", "curthread->parent",
		"curlwpsinfo->pr_clname", "curpsinfo->pr_pid", "this->v", "self->w", "I", "S", "tp->b", "tp->arr",
		"tp->name", "tp", "nothing", "uid",
	};
	static const char *const forms[] = {
		"($ + $)", "($ - $)", "($ * $)", "($ / $)", "($ % $)", "($ & $)", "($ << $)", "($ >> $)", "($ == $)",
		"($ < $)", "($ >= $)", "($ && $)", "($ || $)", "($ ^^ $)", "($ ? $ : $)", "($, $)", "!$", "~$", "-$",
		"*$", "&$", "(int)$", "(char)$", "(unsigned long)$", "(struct t *)$", "(char *)$", "stringof($)",
		"sizeof ($)", "(x = $)", "(y += $)", "x++", "--y", "arr[$]", "arr2[$, $]", "(arr[$] = $)",
		"arr[$]++", "((int *)$)[$]", "(this->v = $)", "(x <<= $)", "(str = $)",
		"((struct t *)$)->next->arr[$]", "strlen($)", "(self->w -= $)", "(this->v ^= $)",
	};

	if (!depth || !rnd(seed, 3))
		buf_puts(b, leaves[rnd(seed, sizeof leaves / sizeof *leaves)]);
	else
		random_fill(b, seed, forms[rnd(seed, sizeof forms / sizeof *forms)], depth - 1);
}

static void random_script(struct buf *b, uint64_t *seed)
{
	static const char *const statements[] = {
		"x = $; ", "trace($); ", "printf(\"%d %s\", $, $); ", "printf(\"%*x|%s\", $, $, $); ",
		"@a[$] = count(); ", "@b = sum($); ", "@c[$, $] = quantize($); ",
		"if ($) { x = $; } else trace($); ", "exit($); ", "printa(@a); ", "printa(\"%d %@d\", @a); ",
		"trunc(@a, $); ", "arr[$] = $; ", "arr2[$, $] += $; ", "$; ", "normalize(@b, $); ",
		"} tick-1s / $ / { ", "} profile-97 { ", "@d = lquantize($, 0, 100, 10); ",
	};

	buf_puts(b, DECLS "int x; inline int I = x + 1; inline string S = \"ess\"; int arr[int]; string arr2[int, "
		 "string]; "
		 "BEGIN { x = 1; y = 2L; this->v = 3; self->w = 4; @a[1] = count(); @b = sum(1); ");
	for (uint64_t n = rnd(seed, 4) + 1; n; n--)
		random_fill(b, seed, statements[rnd(seed, sizeof statements / sizeof *statements)], 3);
	buf_puts(b, "}");
}

/* A program that the checker accepts can be lowered, and the IR is valid. */
static void lower(struct dcheck *w, const char *text)
{
	if (lang_compile(&w->c, STAGE_LOWERED))
		fail_msg("%s\n%s", text, dcheck_first(w));
}

/* Any outcome but a crash. */
static void test_random(void **state)
{
	uint64_t seed = 88172645463325252ull;
	unsigned good = 0;

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		struct buf b = { 0 };
		struct dcheck w;

		random_script(&b, &seed);
		dcheck_compile(&w, buf_str(&b), PRELUDE);
		if (!w.err) {
			good++;
			lower(&w, buf_str(&b));
		}
		dcheck_close(&w);
		buf_free(&b);
	}
	assert_true(good > RUNS / 10);
}

/* ---- formats ---- */
static void test_random_formats(void **state)
{
	static const char letters[] = "%%%%%%dsxcpYuioX@*.-+ #'0123456789hlfy\\a\t\n\x80\xff";
	uint64_t seed = 1234567890123ull;
	struct arena a;
	struct diags d;
	char text[32];

	(void)state;
	for (int run = 0; run < 50000; run++) {
		size_t len = rnd(&seed, sizeof text);
		struct loc loc = { 0 };
		struct fmt *f;
		size_t room = 0;

		arena_init(&a, NULL, NULL);
		diags_init(&d, &a);
		for (size_t i = 0; i < len; i++)
			text[i] = letters[rnd(&seed, sizeof letters - 1)];
		f = fmt_parse(&a, text, len, loc, run % 2, &d);
		assert_int_equal(f == NULL, d.nerrors != 0);
		for (unsigned i = 0; f && i < f->n; i++) {
			const struct conv *c = &f->conv[i];

			assert_true(c->kind != CONV_TEXT || (c->len > 0 && !c->dynwidth && !c->dynprec));
			assert_true(c->width <= 1 << 24 && c->prec <= 1 << 24 && (run % 2 || !c->at));
			room += c->kind == CONV_TEXT ? c->len : 2;
		}
		assert_true(room <= len);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
