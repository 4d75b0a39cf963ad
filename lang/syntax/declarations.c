/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/declarations.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool begins_with(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - s) > n && !memcmp(s, word, n) && !is_word(s[n]);
}

/* The end of the comment, string or character at s; else s + 1. */
static const char *lexeme_end(const char *s, const char *end)
{
	char quote = *s;

	if (*s == '/' && end - s > 1 && s[1] == '*') {
		s = memmem(s + 2, (size_t)(end - s) - 2, "*/", 2);
		return s ? s + 2 : end;
	}
	if (*s == '/' && end - s > 1 && s[1] == '/') {
		s = memchr(s, '\n', (size_t)(end - s));
		return s ? s : end;
	}
	if (quote != '"' && quote != '\'')
		return s + 1;
	for (s++; s < end && *s != quote; s++)
		s += *s == '\\';
	return s < end ? s + 1 : end;
}

/* The first character that is neither blank nor in a comment. */
static const char *blanks_end(const char *s, const char *end)
{
	while (s < end) {
		if (isspace((unsigned char)*s))
			s++;
		else if (*s == '/' && lexeme_end(s, end) > s + 1)
			s = lexeme_end(s, end);
		else
			break;
	}
	return s;
}

/* After the ';' that is not inside of braces. */
static const char *declaration_end(const char *s, const char *end)
{
	static const bool matters[UCHAR_MAX + 1] = {
		[';'] = true, ['{'] = true, ['}'] = true, ['/'] = true, ['"'] = true, ['\''] = true,
	};
	unsigned braces = 0;

	while (s < end) {
		const char *next;

		if (!matters[(unsigned char)*s]) {
			s++;
			continue;
		}
		next = lexeme_end(s, end);
		if (*s == ';' && !braces)
			return next;
		if (*s == '{')
			braces++;
		else if (*s == '}' && braces)
			braces--;
		s = next;
	}
	return end;
}

/* The last word before one of the characters. */
static void name_before(struct declaration *d, const char *s, const char *end, const char *chars)
{
	while (s < end && !strchr(chars, *s)) {
		if (!is_word(*s)) {
			s++;
			continue;
		}
		d->name = s;
		while (s < end && is_word(*s))
			s++;
		d->n = (size_t)(s - d->name);
	}
}

static uint32_t count_lines(const char *s, const char *end)
{
	uint32_t n = 0;

	while ((s = memchr(s, '\n', (size_t)(end - s)))) {
		s++;
		n++;
	}
	return n;
}

bool declaration_next(const struct source *src, struct text_part *from, struct declaration *out)
{
	const char *text = src->text, *at = text + from->pos, *end = text + src->len;
	const char *s = blanks_end(at, end), *after = declaration_end(s, end);
	uint32_t line = from->line + count_lines(at, s);

	*out = (struct declaration){ .at = { (size_t)(s - text), (size_t)(after - s), line } };
	if (begins_with(s, after, "inline")) {
		out->kind = KIND_INLINE;
		name_before(out, s, after, "=[");
	} else if (begins_with(s, after, "translator")) {
		out->kind = KIND_TRANSLATOR;
		name_before(out, s, after, "<");
	}
	*from = (struct text_part){ (size_t)(after - text), src->len - (size_t)(after - text),
				    line + count_lines(s, after) };
	return s < end;
}
