/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/escape.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"

enum { ESCAPE_MAX = 4 };	/* \377 */

static size_t plain_ascii(unsigned char c, enum escape_set set)
{
	if (c < ' ')
		return set == ESCAPE_TEXT && (c == '\n' || c == '\t');
	return c != 0x7f && (set != ESCAPE_C || (c != '"' && c != '\\'));
}

size_t escape_plain(const char *text, size_t n, enum escape_set set)
{
	const unsigned char *s = (const unsigned char *)text;

	if (set == ESCAPE_NOTHING)
		return 1;
	if (*s < 0x80)
		return plain_ascii(*s, set);
	if (set == ESCAPE_C || (*s == 0xc2 && n > 1 && s[1] < 0xa0))
		return 0;
	return json_utf8_length(s, n);
}

/* True if eight bytes are printable ASCII: none has the top bit set, is below a blank, or is DEL. */
static bool plain_word(const char *s)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t w;

	memcpy(&w, s, sizeof w);
	return !((w | (w - ' ' * ones) | (w + ones)) & 0x80 * ones);
}

/* Length of the printable ASCII prefix, which nearly always is the whole text. */
static size_t plain_run(const char *s, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && plain_word(s + i))
		i += 8;
	if (n >= 8 && n - i < 8 && plain_word(s + n - 8))
		return n;
	while (i < n && s[i] >= ' ' && s[i] < 0x7f)
		i++;
	return i;
}

/* Length of the prefix that needs no escape. */
static size_t plain_length(const char *s, size_t n, enum escape_set set)
{
	size_t i = 0, len = 1;

	if (set == ESCAPE_NOTHING)
		return n;
	while (i < n && len) {
		len = set == ESCAPE_C ? 0 : plain_run(s + i, n - i);
		if (!len)
			len = escape_plain(s + i, n - i, set);
		i += len;
	}
	return i;
}

/* The escape sequence of a byte. Returns its length. */
static size_t byte_escape(unsigned char c, char *to)
{
	static const char bytes[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"0";
	const char *at = memchr(bytes, c, sizeof bytes);	/* finds \0 too: the NUL at the end */

	to[0] = '\\';
	if (at) {
		to[1] = letters[at - bytes];
		return 2;
	}
	for (int i = 0; i < 3; i++)
		to[1 + i] = (char)('0' + (c >> (6 - 3 * i) & 7));
	return ESCAPE_MAX;
}

void escape_put(struct buf *b, const char *s, size_t n, enum escape_set set)
{
	char text[ESCAPE_MAX];

	for (;;) {
		size_t plain = plain_length(s, n, set);

		buf_put(b, s, plain);
		if (plain == n)
			return;
		buf_put(b, text, byte_escape((unsigned char)s[plain], text));
		s += plain + 1;
		n -= plain + 1;
	}
}

void escape_puts(struct buf *b, const char *s, enum escape_set set)
{
	escape_put(b, s, strlen(s), set);
}

size_t escape_width(const char *s, size_t *n, size_t most, enum escape_set set)
{
	size_t i = plain_length(s, *n, set), width = i;
	char text[ESCAPE_MAX];

	if (i == *n && i <= most)
		return width;
	for (i = width = 0; i < *n; ) {
		size_t plain = escape_plain(s + i, *n - i, set);
		size_t len = plain ? plain : byte_escape((unsigned char)s[i], text);

		if (width + len > most)
			break;
		width += len;
		i += plain ? plain : 1;
	}
	*n = i;
	return width;
}

void escape_column(struct buf *b, const char *s, size_t n, int width, enum escape_set set)
{
	escape_field(b, s, n, (struct escape_field){ width, SIZE_MAX, set });
}

void escape_field(struct buf *b, const char *s, size_t n, struct escape_field f)
{
	size_t len = escape_width(s, &n, f.most, f.set), want = (size_t)(f.width < 0 ? -f.width : f.width);
	size_t pad = want > len ? want - len : 0;

	if (f.width > 0)
		buf_pad(b, ' ', pad);
	if (len == n)	/* every escape sequence is longer than its character */
		buf_put(b, s, n);
	else
		escape_put(b, s, n, f.set);
	if (f.width < 0)
		buf_pad(b, ' ', pad);
}
