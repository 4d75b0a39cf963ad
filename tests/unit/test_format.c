/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats of printf and printa. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lang/syntax/format.h"

/* The number of arguments that a conversion takes. */
static unsigned taken(const struct conv *c)
{
	if (c->kind == CONV_TEXT)
		return 0;
	return (c->kind != CONV_AGG) + (unsigned)c->dynwidth + (unsigned)c->dynprec;
}

/* "T3" text of 3 bytes; otherwise the letter with flags, width and precision, '@' in front of an aggregation's. */
static void show(struct buf *b, const struct conv *c)
{
	const struct { bool on; char ch; } flags[] = {
		{ c->at, '@' }, { c->minus, '-' }, { c->zero, '0' }, { c->plus, '+' }, { c->space, ' ' },
		{ c->alt, '#' }, { c->group, '\'' },
	};
	static const char kinds[] = {
		[CONV_TEXT] = 'T', [CONV_INT] = 'I', [CONV_CHAR] = 'C', [CONV_STR] = 'S', [CONV_PTR] = 'P',
		[CONV_TIME] = 'Y', [CONV_AGG] = 'A', [CONV_FLOAT] = 'F', [CONV_WCHAR] = 'W', [CONV_WSTR] = 'w',
		[CONV_PORT] = 'D',
	};

	buf_putc(b, kinds[c->kind]);
	if (c->kind == CONV_TEXT) {
		buf_printf(b, "<%.*s>", (int)c->len, c->text);
		return;
	}
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].on)
			buf_putc(b, flags[i].ch);
	buf_printf(b, "%c", c->spec);
	if (c->width >= 0 || c->dynwidth)
		buf_printf(b, "w%d", c->dynwidth ? -1 : c->width);
	if (c->prec >= 0 || c->dynprec)
		buf_printf(b, "p%d", c->dynprec ? -1 : c->prec);
	buf_printf(b, "n%u", taken(c));
}

static void expect(const char *format, bool printa, const char *want, enum diag_tag tag)
{
	struct buf b = { 0 };
	struct arena a;
	struct diags d;
	struct loc loc = { 0 };
	const struct fmt *f;

	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	f = fmt_parse(&a, format, strlen(format), loc, printa, &d);
	if (f) {
		for (unsigned i = 0; i < f->n; i++)
			show(&b, &f->conv[i]);
		if (strcmp(buf_str(&b), want))
			fail_msg("%s\n got: %s\nwant: %s", format, buf_str(&b), want);
	}
	assert_int_equal(d.nerrors ? d.list.v[0].tag : D_NONE, tag);
	buf_free(&b);
	arena_free(&a);
}

static void test_conversions(void **state)
{
	(void)state;
	expect("", false, "", D_NONE);
	expect("abc\n", false, "T<abc\n>", D_NONE);
	expect("%d", false, "Idn1", D_NONE);
	expect("a%%b%sc", false, "T<a>T<%>T<b>Ssn1T<c>", D_NONE);
	expect("%-08.3lld|%hx %zu", false, "I0dw8p3n1T<|>Ixn1T< >Iun1", D_NONE);
	expect("%+ #'X%c%p%Y%i%o", false, "I+ #'Xn1Ccn1Ppn1YYn1Iin1Ion1", D_NONE);
	expect("%*d%.*s%-*.*u", false, "Idw-1n2Ssp-1n2I-uw-1p-1n3", D_NONE);
	expect("%5.s", false, "Ssw5p0n1", D_NONE);
	expect("%@d %8@u %@-9x %s", true, "A@dn0T< >A@uw8n0T< >A@-xw9n0T< >Ssn1", D_NONE);
	expect("%f%C%S%T%P", false, "Ffn1CCn1SSn1YTn1DPn1", D_NONE);
	expect("%wc%lc%ws%ls%hd%hhx", false, "Wcn1Wcn1wsn1wsn1Idn1Ixn1", D_NONE);
	expect("%?x%-?p%0-5d%-05d", false, "Ixw16n1P-pw16n1I-dw5n1I0dw5n1", D_NONE);
	expect("%5@d%@-5d%5-@d", true, "A@dw5n0A@-dw5n0A@-dw5n0", D_NONE);
	expect("100%%", false, "T<100>T<%>", D_NONE);
}

static void test_bad(void **state)
{
	(void)state;
	expect("%", false, "", D_SYNTAX);
	expect("%5", false, "", D_SYNTAX);
	expect("%ll", false, "", D_SYNTAX);
	expect("%y", false, "", D_SYNTAX);
	expect("%\x01", false, "", D_SYNTAX);
	expect("%@d", false, "", D_PRINTF_AGG_CONV);
	expect("%16777217d", false, "", D_LIMIT);
	expect("%**d", false, "", D_SYNTAX);
	expect("%.1.2d", false, "", D_SYNTAX);
	expect("%1$d", false, "", D_SYNTAX);
	expect("%5%", false, "", D_SYNTAX);
	expect("%.99999999999999999999d", false, "", D_LIMIT);
	expect("%n", false, "", D_SYNTAX);
	expect("%wd", false, "Idn1", D_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
