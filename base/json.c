/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

/* Appends a comma, unless this is the first element within its brackets or the value of a name. */
static void json_next(struct buf *b)
{
	char last = b->len ? b->data[b->len - 1] : '\n';

	if (!strchr("{[:\n", last))
		buf_putc(b, ',');
}

void json_open(struct buf *b, char bracket)
{
	json_next(b);
	buf_putc(b, bracket);
}

void json_close(struct buf *b, char bracket)
{
	buf_putc(b, bracket);
}

void json_name(struct buf *b, const char *name)
{
	json_text(b, name);
	buf_putc(b, ':');
}

size_t json_utf8_length(const unsigned char *s, size_t n)
{
	static const struct { unsigned char low, high, second_low, second_high; size_t len; } leads[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	if (*s < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++) {
		if (*s < leads[i].low || *s > leads[i].high)
			continue;
		if (n < leads[i].len || s[1] < leads[i].second_low || s[1] > leads[i].second_high)
			return 0;
		for (size_t k = 2; k < leads[i].len; k++)
			if (s[k] < 0x80 || s[k] > 0xbf)
				return 0;
		return leads[i].len;
	}
	return 0;
}

static void put_escaped(struct buf *b, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (const char *l = letters; *l; l += 2) {
		if ((unsigned char)*l == c) {
			buf_putc(b, '\\');
			buf_putc(b, l[1]);
			return;
		}
	}
	buf_printf(b, "\\u%04x", c);
}

/* True if valid UTF-8 needs no escape. U+0080 to U+009F are control characters. */
static bool is_plain(const unsigned char *s)
{
	return *s >= ' ' && *s != '"' && *s != '\\' && *s != 0x7f && (*s != 0xc2 || s[1] >= 0xa0);
}

void json_string(struct buf *b, const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len, plain = 0;

	json_next(b);
	buf_putc(b, '"');
	for (size_t i = 0; i < n; i += len ? len : 1) {
		len = json_utf8_length(s + i, n - i);
		if (len && is_plain(s + i))
			continue;
		buf_put(b, text + plain, i - plain);
		put_escaped(b, s[len > 1 ? i + 1 : i]);
		plain = i + (len ? len : 1);
	}
	buf_put(b, text + plain, n - plain);
	buf_putc(b, '"');
}

void json_text(struct buf *b, const char *s)
{
	json_string(b, s, strlen(s));
}

/* Pages have millions of numbers, and printf() takes several times as long. */
static void put_digits(struct buf *b, uint64_t v)
{
	char digits[20];
	size_t n = sizeof digits;

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	buf_put(b, digits + n, sizeof digits - n);
}

void json_int(struct buf *b, int64_t v)
{
	json_next(b);
	if (v < 0)
		buf_putc(b, '-');
	put_digits(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void json_uint(struct buf *b, uint64_t v)
{
	json_next(b);
	put_digits(b, v);
}

void json_float(struct buf *b, long double v, int digits)
{
	json_next(b);
	buf_printf(b, "%.*Lg", digits, v);
}

void json_hex(struct buf *b, uint64_t v)
{
	json_next(b);
	buf_printf(b, "\"0x%" PRIx64 "\"", v);
}

void json_bytes(struct buf *b, const void *p, size_t n)
{
	const unsigned char *s = p;

	json_next(b);
	buf_putc(b, '"');
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%02x", s[i]);
	buf_putc(b, '"');
}

void json_bool(struct buf *b, bool v)
{
	json_next(b);
	buf_puts(b, v ? "true" : "false");
}

void json_null(struct buf *b)
{
	json_next(b);
	buf_puts(b, "null");
}

void json_member_text(struct buf *b, const char *name, const char *text)
{
	json_name(b, name);
	json_text(b, text);
}

void json_member_int(struct buf *b, const char *name, int64_t v)
{
	json_name(b, name);
	json_int(b, v);
}

void json_member_uint(struct buf *b, const char *name, uint64_t v)
{
	json_name(b, name);
	json_uint(b, v);
}

void json_member_float(struct buf *b, const char *name, long double v, int digits)
{
	json_name(b, name);
	json_float(b, v, digits);
}

void json_line_open(struct buf *b, const char *type)
{
	json_open(b, '{');
	json_member_text(b, "type", type);
}

void json_line_close(struct buf *b)
{
	json_close(b, '}');
	buf_putc(b, '\n');
}
