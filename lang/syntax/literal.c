/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer, character and string constants. */
#include "lang/syntax/literal.h"

#include <ctype.h>
#include <string.h>

#include "lang/syntax/node.h"

/* ---- integers ---- */

/* The first of C's types that can hold the value (C11 6.4.4.1); in D, also an unsigned one for a large decimal
 * constant. */
struct type *literal_type(struct types *t, uint64_t v, bool decimal, bool uns, unsigned longs)
{
	if (longs == 2)
		return uns || v > INT64_MAX ? t->t_ullong : t->t_llong;
	if (!longs) {
		if (!uns && v <= INT32_MAX)
			return t->t_int;
		if ((uns || !decimal) && v <= UINT32_MAX)
			return t->t_uint;
	}
	return uns || v > INT64_MAX ? t->t_ulong : t->t_long;
}

static unsigned digit_value(int c)
{
	if (isdigit(c))
		return c - '0';
	return isalpha(c) ? (unsigned)(tolower(c) - 'a') + 10 : 99;
}

/* "u", "l", "ll", "ul", "llu" ... in either case. */
static bool suffix_parse(const char *s, size_t n, bool *uns, unsigned *longs)
{
	size_t i = 0;

	*uns = false;
	*longs = 0;
	if (i < n && (s[i] == 'u' || s[i] == 'U'))
		*uns = true, i++;
	for (; i < n && *longs < 2 && (s[i] == 'l' || s[i] == 'L'); i++)
		++*longs;
	if (i < n && !*uns && (s[i] == 'u' || s[i] == 'U'))
		*uns = true, i++;
	return i == n;
}

static struct node *int_bad(struct parser *p, enum diag_tag tag, const char *text, size_t n, const char *reason)
{
	parse_error(p, p->loc, tag, "integer constant %.*s %s", n > 40 ? 40 : (int)n, text, reason);
	return node_int(p, p->loc, 0, p->c->types.t_int);
}

struct node *literal_int(struct parser *p, const char *text, size_t n)
{
	unsigned base = 10, longs;
	uint64_t v = 0;
	size_t i = 0;
	bool uns, over = false;

	if (n > 1 && text[0] == '0')
		base = text[1] == 'x' || text[1] == 'X' ? 16 : 8;
	if (base == 16 && n > 2)
		i = 2;
	for (; i < n && digit_value((unsigned char)text[i]) < base; i++) {
		over |= __builtin_mul_overflow(v, (uint64_t)base, &v);
		over |= __builtin_add_overflow(v, (uint64_t)digit_value((unsigned char)text[i]), &v);
	}
	if (!suffix_parse(text + i, n - i, &uns, &longs))
		return int_bad(p, D_INT_DIGIT, text, n, base == 8 ? "has an invalid octal digit" :
			       "has an invalid digit");
	if (over)
		return int_bad(p, D_INT_OFLOW, text, n, "does not fit in 64 bits");
	return node_int(p, p->loc, v, literal_type(&p->c->types, v, base == 10, uns, longs));
}

/* ---- escapes ---- */

static size_t escape_octal(const char *s, size_t n, unsigned char *out)
{
	unsigned v = 0;
	size_t i;

	for (i = 0; i < n && i < 3 && s[i] >= '0' && s[i] <= '7'; i++)
		v = v * 8 + (s[i] - '0');
	*out = v;
	return i;
}

static size_t escape_hex(const char *s, size_t n, unsigned char *out)
{
	unsigned v = 0;
	size_t i;

	for (i = 1; i < n && isxdigit((unsigned char)s[i]); i++)
		v = (v * 16 + digit_value((unsigned char)s[i])) & 0xff;
	*out = i > 1 ? v : 'x';
	return i;
}

/* Reads one character from s, which has at least one byte. Returns the number of bytes used. */
static size_t unescape_char(const char *s, size_t n, unsigned char *out)
{
	static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *at;

	*out = *s;
	if (*s != '\\' || n < 2)
		return 1;
	s++, n--;
	if (*s >= '0' && *s <= '7')
		return 1 + escape_octal(s, n, out);
	if (*s == 'x')
		return 1 + escape_hex(s, n, out);
	at = *s ? strchr(names, *s) : NULL;
	*out = at ? values[at - names] : *s;
	return 2;
}

/* As in C, one character has the value of a char and up to four make an int. In D, more make a long. */
static struct node *char_value(struct parser *p, uint64_t v, unsigned count)
{
	struct types *t = &p->c->types;
	struct type *type = count > 4 ? t->t_long : t->t_int;

	return node_int(p, p->loc, type_extend(count == 1 ? t->t_char : type, v), type);
}

struct node *literal_char(struct parser *p, const char *text, size_t n)
{
	uint64_t v = 0;
	unsigned count = 0;

	for (size_t i = 0; i < n; count++) {
		unsigned char c;

		i += unescape_char(text + i, n - i, &c);
		v = v << 8 | c;
	}
	if (!count)
		parse_error(p, p->loc, D_CHR_NULL, "empty character constant");
	if (count > 8)
		parse_error(p, p->loc, D_CHR_OFLOW, "a character constant holds at most 8 characters");
	return char_value(p, v, count);
}

/* As in C, a string ends at its first NUL. */
struct node *literal_str(struct parser *p, const char *text, size_t n)
{
	struct node *s = node_str(p, p->loc, text, n);
	char *out = (char *)s->str;
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		unsigned char c;

		i += unescape_char(text + i, n - i, &c);
		if (!c)
			break;
		out[len++] = c;
	}
	out[len] = '\0';
	s->len = len;
	return s;
}
