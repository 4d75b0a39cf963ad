/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The front of the compiler: literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/parse_fixture.h"

static struct node *first_expr(struct fixture *f, const char *literal)
{
	char text[256];

	snprintf(text, sizeof text, "BEGIN { %s }", literal);
	if (parse(f, text))
		fail_msg("%s: %s", literal, f->diags.list.v[0].text);
	return f->c.script->clauses->body->expr;
}

#define LIT(x) { #x, (uint64_t)(x), _Generic((x), int: "int", unsigned: "unsigned int", long: "long", \
	unsigned long: "unsigned long", long long: "long long", unsigned long long: "unsigned long long") }

static void test_integers(void **state)
{
	/* value and type as this test's own compiler has them */
	static const struct { const char *text; uint64_t value; const char *type; } rows[] = {
		LIT(0), LIT(1), LIT(2147483647), LIT(2147483648), LIT(4294967296), LIT(9223372036854775807), LIT(0777),
		LIT(017777777777), LIT(020000000000), LIT(0x7fffffff), LIT(0x80000000), LIT(0xffffffff),
		LIT(0x100000000),
		LIT(0xffffffffffffffff), LIT(0XaBcDeF), LIT(1u), LIT(1U), LIT(4294967295u), LIT(4294967296u), LIT(1l),
		LIT(1L), LIT(1ul), LIT(1lu), LIT(1ll), LIT(1LLU), LIT(1ull), LIT(18446744073709551615u),
		LIT(0x8000000000000000l),
		LIT('a'), LIT('\n'), LIT('\''), LIT('"'), LIT('\"'), LIT('\\'), LIT('\0'), LIT('\101'), LIT('\x41'),
		LIT('\?'),
		LIT('\a'), LIT('\b'), LIT('\f'), LIT('\r'), LIT('\t'), LIT('\v'),
		{ "'ab'", 0x6162, "int" }, { "'abcd'", 0x61626364, "int" }, { "'\\377'", UINT64_MAX, "int" },
		{ "'\\377\\377'", 0xffff, "int" },
		{ "'abcdefgh'", 0x6162636465666768, "long" }, { "'\\q'", 'q', "int" },
		{ "18446744073709551615", UINT64_MAX, "unsigned long" }, { "00", 0, "int" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		const struct node *n;

		open_default(&f);
		n = first_expr(&f, rows[i].text);
		if (n->kind != N_INT || n->value != rows[i].value || strcmp(n->type->name, rows[i].type))
			fail_msg("%s: %llu (%s)", rows[i].text, (unsigned long long)n->value, n->type->name);
		close_all(&f);
	}
}

static void test_strings(void **state)
{
	static const struct { const char *text, *value; } rows[] = {
		{ "\"\"", "" }, { "\"abc\"", "abc" }, { "\"a\\tb\\n\"", "a\tb\n" }, { "\"\\\"q\\\"\"", "\"q\"" },
		{ "\"\\x41\\101\\e\\\\\"", "AAe\\" }, { "\"\\a\\b\\f\\r\\v\\'\\?\"", "\a\b\f\r\v'?" },
		{ "\"ab\\0cd\"", "ab" },
		{ "\"/* no comment */ // none\"", "/* no comment */ // none" }, { "\"\xc3\xa9\"", "\xc3\xa9" },
		{ "\"\\1234\"", "S4" }, { "\"\\x1234\"", "4" }, { "\"\\xg\"", "xg" }, { "\"\\08\"", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		const struct node *n;

		open_default(&f);
		n = first_expr(&f, rows[i].text);
		assert_int_equal(n->kind, N_STR);
		assert_string_equal(n->str, rows[i].value);
		assert_int_equal(n->len, strlen(rows[i].value));
		close_all(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_integers), cmocka_unit_test(test_strings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
