/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/jsoncheck.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_NAMES = 256 };

struct json_text {
	const unsigned char *s;
	size_t n, i;
	unsigned depth;
};

static const char *read_value(struct json_text *r);

static int look(const struct json_text *r)
{
	return r->i < r->n ? r->s[r->i] : -1;
}

static bool accept(struct json_text *r, int c)
{
	if (look(r) != c)
		return false;
	r->i++;
	return true;
}

static void skip_blanks(struct json_text *r)
{
	while (look(r) == ' ' || look(r) == '\t' || look(r) == '\n' || look(r) == '\r')
		r->i++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static const char *read_digits(struct json_text *r)
{
	if (!is_digit(look(r)))
		return "a digit is missing";
	while (is_digit(look(r)))
		r->i++;
	return NULL;
}

static const char *read_number(struct json_text *r)
{
	const char *err;

	accept(r, '-');
	if (!accept(r, '0') && (err = read_digits(r)))
		return err;
	if (is_digit(look(r)))
		return "a number begins with 0";
	if (accept(r, '.') && (err = read_digits(r)))
		return err;
	if (accept(r, 'e') || accept(r, 'E')) {
		if (!accept(r, '+'))
			accept(r, '-');
		return read_digits(r);
	}
	return NULL;
}

/* Decodes by the bits, then asks whether the sequence was the shortest one. */
static const char *read_utf8(struct json_text *r)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned c = r->s[r->i++], len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	uint32_t code = c & (0xffu >> (len + 1));

	if (c < 0xc0 || c >= 0xf8)
		return "a byte that begins no UTF-8 sequence";
	for (unsigned i = 1; i < len; i++) {
		if (look(r) < 0x80 || look(r) > 0xbf)
			return "an unfinished UTF-8 sequence";
		code = code << 6 | (r->s[r->i++] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return "a UTF-8 sequence of no character";
	return NULL;
}

static const char *read_escape(struct json_text *r)
{
	int c = look(r);

	r->i++;
	if (c > 0 && strchr("\"\\/bfnrt", c))
		return NULL;
	if (c != 'u')
		return "an unknown escape";
	for (int i = 0; i < 4; i++, r->i++)
		if (look(r) <= 0 || !strchr("0123456789abcdefABCDEF", look(r)))
			return "\\u without four digits";
	return NULL;
}

static const char *read_string(struct json_text *r)
{
	const char *err = NULL;

	if (!accept(r, '"'))
		return "a string is missing";
	while (!err) {
		int c = look(r);

		if (c < 0)
			return "a string without an end";
		if (c < ' ')
			return "a control character in a string";
		if (c >= 0x80) {
			err = read_utf8(r);
			continue;
		}
		r->i++;
		if (c == '"')
			return NULL;
		if (c == '\\')
			err = read_escape(r);
	}
	return err;
}

struct json_name {
	size_t at, len;
};

static bool known(const struct json_text *r, const struct json_name *names, unsigned n, struct json_name x)
{
	for (unsigned i = 0; i < n && i < MAX_NAMES; i++)
		if (names[i].len == x.len && !memcmp(r->s + names[i].at, r->s + x.at, x.len))
			return true;
	return false;
}

static const char *read_member(struct json_text *r, struct json_name *names, unsigned n)
{
	struct json_name x = { .at = r->i };
	const char *err = read_string(r);

	if (err)
		return err;
	x.len = r->i - x.at;
	if (known(r, names, n, x))
		return "a name twice in an object";
	if (n < MAX_NAMES)
		names[n] = x;
	skip_blanks(r);
	if (!accept(r, ':'))
		return "a colon is missing";
	return read_value(r);
}

static const char *read_list(struct json_text *r, char end)
{
	struct json_name names[MAX_NAMES];
	const char *err = NULL;
	unsigned n = 0;

	if (++r->depth > MAX_DEPTH)
		return "nested too deeply";
	skip_blanks(r);
	if (!accept(r, end)) {
		do {
			skip_blanks(r);
			err = end == '}' ? read_member(r, names, n) : read_value(r);
			n++;
		} while (!err && accept(r, ','));
		if (!err && !accept(r, end))
			err = "a comma or a bracket is missing";
	}
	r->depth--;
	return err;
}

static const char *read_value(struct json_text *r)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *err = "a value is missing";

	skip_blanks(r);
	for (size_t i = 0; i < 3; i++) {
		size_t len = strlen(words[i]);

		if (r->n - r->i >= len && !memcmp(r->s + r->i, words[i], len)) {
			r->i += len;
			err = NULL;
		}
	}
	if (!err)
		;
	else if (look(r) == '"')
		err = read_string(r);
	else if (accept(r, '{'))
		err = read_list(r, '}');
	else if (accept(r, '['))
		err = read_list(r, ']');
	else if (look(r) == '-' || is_digit(look(r)))
		err = read_number(r);
	if (!err)
		skip_blanks(r);
	return err;
}

const char *json_check(const char *text, size_t n, size_t *at)
{
	struct json_text r = { .s = (const unsigned char *)text, .n = n };
	const char *err = read_value(&r);

	if (!err && r.i < n)
		err = "something behind the value";
	*at = r.i;
	return err;
}

const char *json_check_lines(const char *text, size_t n, unsigned *line)
{
	static const char begin[] = "{\"type\":\"";

	*line = 0;
	for (size_t at; n; n -= at, text += at) {
		const char *end = memchr(text, '\n', n), *err;

		++*line;
		if (!end)
			return "a line without an end";
		err = json_check(text, (size_t)(end - text), &at);
		if (err)
			return err;
		if ((size_t)(end - text) < sizeof begin || memcmp(text, begin, sizeof begin - 1))
			return "no object with a type";
		at = (size_t)(end - text) + 1;
	}
	return NULL;
}
