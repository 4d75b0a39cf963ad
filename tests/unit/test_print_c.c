/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * printf's conversions beside C's: every combination of flags, width, precision and letter with values at the edges of
 * every type, shown by the printer and by snprintf. And %T and %Y at the edges of years beside the fields of struct tm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/arena.h"
#include "engine/output/print.h"

enum { TEXT = 256, FLAGS = 32 };

static struct fmt *parse(struct arena *a, const char *text)
{
	struct diags d;
	struct fmt *f;

	diags_init(&d, a);
	f = fmt_parse(a, text, strlen(text), (struct loc){ 0 }, FMT_PRINTF, &d);
	assert_non_null(f);
	return f;
}

static void expect(const char *format, const struct val_field *f, const void *rec, unsigned n, const char *want)
{
	struct val_field fields[3];
	struct rec_act act = { .fields = fields, .nfields = n };
	struct arena a = { 0 };
	struct buf out = { 0 };

	assert_true(n <= sizeof fields / sizeof fields[0]);
	memcpy(fields, f, n * sizeof *f);
	act.fmt = parse(&a, format);
	print_format(&out, &act, rec, NULL, ESCAPE_NOTHING);
	if (strcmp(buf_str(&out), want)) {
		print_error("%s: got \"%s\", want \"%s\"\n", format, buf_str(&out), want);
		fail();
	}
	buf_free(&out);
	arena_free(&a);
}

/* Flag set number i, as text. '-' stands last: of '-' and '0' the later one counts in D, always '-' in C. */
static const char *flags(unsigned i, char *text)
{
	static const char all[] = "0+ #-";
	char *p = text;

	for (unsigned bit = 0; all[bit]; bit++)
		if (i >> bit & 1)
			*p++ = all[bit];
	*p = '\0';
	return text;
}

static const char *const widths[] = { "", "1", "5", "24" }, *const precs[] = { "", ".", ".0", ".1", ".7", ".30" };
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The output of C for an integer of `size` bytes. */
static void by_c(char *want, const char *head, char letter, int64_t v, unsigned size, bool sign)
{
	char format[64];
	uint64_t u = size == 8 ? (uint64_t)v : (uint64_t)v & ((1ull << 8 * size) - 1);

	if ((letter == 'd' || letter == 'i') && !sign)
		letter = 'u';
	snprintf(format, sizeof format, "[%s%s%c]", head, letter == 'c' ? "" : "ll", letter);
	if (letter == 'c')
		snprintf(want, TEXT, format, (int)v);
	else if (letter == 'd' || letter == 'i')
		snprintf(want, TEXT, format, (long long)v);
	else
		snprintf(want, TEXT, format, (unsigned long long)u);
}

static void one_integer(const char *head, char letter, int64_t v, unsigned size, bool sign)
{
	const struct val_field f = { .size = size, .kind = VAL_INT, .is_signed = sign };
	const union { int64_t i64; int32_t i32; int16_t i16; int8_t i8; } rec[] = {
		{ .i8 = (int8_t)v }, { .i16 = (int16_t)v }, { .i32 = (int32_t)v }, { .i64 = v },
	};
	const void *at = &rec[__builtin_ctz(size)];
	char format[64], want[TEXT];

	snprintf(format, sizeof format, "[%s%c]", head, letter);
	by_c(want, head, letter, val_int(&f, at), size, sign);
	expect(format, &f, at, 1, want);
}

static void each_integer(const char *head)
{
	static const int64_t values[] = { 0, 1, -1, 8, 65, 255, -128, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
	static const char letters[] = "diuoxXc";

	for (size_t v = 0; v < COUNT(values); v++) {
		for (unsigned size = 1; size <= 8; size *= 2) {
			one_integer(head, letters[(v + size) % 7], values[v], size, true);
			one_integer(head, letters[(v + size + 3) % 7], values[v], size, false);
		}
		for (unsigned l = 0; letters[l]; l++)
			if (letters[l] != 'c' || (char)values[v])
				one_integer(head, letters[l], values[v], 8, true);
	}
}

static void test_integers(void **state)
{
	char set[8], head[32];

	(void)state;
	for (unsigned i = 0; i < FLAGS; i++) {
		for (size_t w = 0; w < COUNT(widths); w++) {
			for (size_t p = 0; p < COUNT(precs); p++) {
				snprintf(head, sizeof head, "%%%s%s%s", flags(i, set), widths[w], precs[p]);
				each_integer(head);
			}
		}
	}
}

/* "%*.*d" */
static void test_computed(void **state)
{
	static const int32_t numbers[] = { 0, 1, 5, 12, -1, -9 };
	const struct val_field f[] = {
		{ .off = 0, .size = 4, .kind = VAL_INT, .is_signed = true },
		{ .off = 4, .size = 4, .kind = VAL_INT, .is_signed = true },
		{ .off = 8, .size = 4, .kind = VAL_INT, .is_signed = true },
	};
	char set[8], format[32], want[TEXT];

	(void)state;
	for (unsigned i = 0; i < FLAGS; i++) {
		snprintf(format, sizeof format, "[%%%s*.*d]", flags(i, set));
		for (size_t n = 0; n < COUNT(numbers) * COUNT(numbers) * COUNT(numbers); n++) {
			int32_t rec[] = { numbers[n % 6], numbers[n / 6 % 6], numbers[n / 36] };

			snprintf(want, sizeof want, format, rec[0], rec[1], rec[2]);
			expect(format, f, rec, 3, want);
		}
	}
}

static void test_strings(void **state)
{
	static const char *const texts[] = { "", "a", "hello", "more than eight" };
	const struct val_field f = { .size = 16, .kind = VAL_STR };
	char set[8], format[32], want[TEXT], rec[16];

	(void)state;
	for (unsigned i = 0; i < FLAGS * COUNT(widths) * COUNT(precs) * COUNT(texts); i++) {
		const char *text = texts[i % 4], *width = widths[i / 4 % 4], *prec = precs[i / 16 % 6];

		/* zeros before a string are undefined in C */
		snprintf(format, sizeof format, "[%%%s%s%ss]", flags(i / 96 & ~1u, set), width, prec);
		snprintf(want, sizeof want, format, text);
		memset(rec, 0, sizeof rec);
		strncpy(rec, text, sizeof rec - 1);
		expect(format, &f, rec, 1, want);
	}
}

static void one_time(int64_t second)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
	};
	const struct val_field f[] = {
		{ .size = 8, .kind = VAL_INT, .is_signed = true }, { .size = 8, .kind = VAL_INT, .is_signed = true },
	};
	time_t t = (time_t)second;
	int64_t rec = second * 1000000000;
	char want[TEXT];
	struct tm tm;

	assert_non_null(localtime_r(&t, &tm));
	snprintf(want, sizeof want, "%s, %02d %s %04d %02d:%02d:%02d %s|%04d %s %2d %02d:%02d:%02d", days[tm.tm_wday],
		tm.tm_mday,
		 months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_zone, tm.tm_year + 1900,
		 months[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	expect("%T|%Y", f, &rec, 2, want);
}

/* The days around every new year that 64 bits of nanoseconds reach. */
static void test_years(void **state)
{
	static const char *const zones[] = { "UTC", "EST5", "XYZ-13" };

	(void)state;
	for (size_t z = 0; z < COUNT(zones); z++) {
		assert_int_equal(setenv("TZ", zones[z], 1), 0);
		tzset();
		for (int year = 1678; year < 2262; year++) {
			struct tm tm = { .tm_year = year - 1900, .tm_mday = 1 };
			int64_t begin = timegm(&tm);

			for (int day = -4; day < 5; day++)
				one_time(begin + day * 86400);
			one_time(begin - 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers), cmocka_unit_test(test_computed), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_years),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
