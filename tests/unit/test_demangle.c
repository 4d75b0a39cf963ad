/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Readable names of C++, Rust and OCaml symbols, and names that would become too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "engine/symbols/demangle.h"

/* The newer form of Rust's names is defined by its RFC 2603. */
static void test_demangle(void **state)
{
	static const char *const names[][2] = {
		{ "main", "main" }, { "", "" }, { "@", "@" }, { "_ZZZ", "_ZZZ" }, { "_Z", "_Z" }, { "_R", "_R" },
		{ "_RNvC", "_RNvC" }, { "_RZZ", "_RZZ" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}" },
		{ "_RNvMs_NtCs1234_7mycrate3fooNtB4_3Foo3bar", "<mycrate::foo::Foo>::bar" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
		{ "_ZN37_$LT$std..Foo$u20$as$u20$std..Bar$GT$3run17h0123456789abcdefE", "<std::Foo as std::Bar>::run" },
		{ "_ZN5shape4areaEi", "shape::area(int)" }, { "_ZN5shapeD0Ev", "shape::~shape()" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const" },
		{ "_Z3runv.cold", "run() [clone .cold]" },
		{ "camlStdlib__Map__add_200", "Stdlib.Map.add_200" }, { "camlStdlib__$40_197", "Stdlib.@_197" },
		{ "camlChain__f__42", "Chain.f.42" }, { "camlStdlib.Map.add_200", "Stdlib.Map.add_200" },
		{ "caml_main", "caml_main" }, { "caml", "caml" }, { "camlA", "A" }, { "camlA__", "A__" },
		{ "camlA___b", "A_.b" }, { "camlA$", "A$" }, { "camlA$4", "A$4" }, { "camlA$00", "A$00" },
		{ "memcpy@@GLIBC_2.17", "memcpy" }, { "memcpy@GLIBC_2.2.5", "memcpy" }, { "_RNvC6_123foo3bar@@V1",
		  "123foo::bar" },
		{ "_ZN5shape4areaEi@V2", "shape::area(int)" },
	};
	struct demangler d = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_string_equal(demangler_name(&d, names[i][0]), names[i][1]);
	demangler_close(&d);
	demangler_close(&d);
}

/* Base 62, one less, as Rust's references are written. */
static void put_base62(struct buf *b, size_t v)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (v > 62)
		buf_putc(b, digits[(v - 1) / 62]);
	if (v)
		buf_putc(b, digits[(v - 1) % 62]);
	buf_putc(b, '_');
}

static void rust_bomb(struct buf *name, unsigned levels)
{
	size_t last, here;

	buf_reset(name);
	buf_puts(name, "_RINvC1a1f");
	last = name->len;
	buf_puts(name, "TuuE");
	for (unsigned i = 0; i < levels; i++) {
		here = name->len;
		buf_puts(name, "TB");
		put_base62(name, last - 2);
		buf_puts(name, "B");
		put_base62(name, last - 2);
		buf_puts(name, "E");
		last = here;
	}
	buf_puts(name, "E");
}

/* pair<T, T> of the one before. */
static void cxx_bomb(struct buf *name, unsigned levels)
{
	buf_reset(name);
	buf_puts(name, "_Z1f4pairIiiES_IS0_S0_E");
	for (unsigned i = 1; i < levels; i++) {
		const char *more = i < 36 ? "" : "1";
		unsigned n = i % 36;
		char c = (char)(n < 10 ? '0' + n : 'A' + n - 10);

		buf_printf(name, "S_IS%s%c_S%s%c_E", more, c, more, c);
	}
}

/* A name that refers to its own parts, each twice: the readable form is two times as long with each level. */
static void test_demangle_bombs(void **state)
{
	static void (*const make[])(struct buf *name, unsigned levels) = { rust_bomb, cxx_bomb };
	struct demangler d = { 0 };
	struct buf name = { 0 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		size_t few;

		make[i](&name, 4);
		few = strlen(demangler_name(&d, buf_str(&name)));
		assert_string_not_equal(demangler_name(&d, buf_str(&name)), buf_str(&name));
		make[i](&name, 8);
		assert_true(strlen(demangler_name(&d, buf_str(&name))) > 12 * few);
		make[i](&name, 60);
		assert_string_equal(demangler_name(&d, buf_str(&name)), buf_str(&name));
	}
	/* deep, not long */
	for (unsigned n = 100; n < 100000; n *= 10) {
		buf_reset(&name);
		buf_puts(&name, "_Z1f");
		for (unsigned i = 0; i < n; i++)
			buf_putc(&name, 'P');
		buf_putc(&name, 'i');
		assert_non_null(demangler_name(&d, buf_str(&name)));
	}
	demangler_close(&d);
	buf_free(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle), cmocka_unit_test(test_demangle_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
