/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/jsonread.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p) && *p)
		p++;
	return p;
}

/* The byte after a string that begins at p, or NULL. */
static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : NULL;
}

/* The byte after a value that begins at p, or NULL. Brackets in it are counted, not matched by kind. */
static const char *value_end(const char *p, const char *end)
{
	int depth = 0;

	while (p && p < end) {
		if (*p == '"') {
			p = string_end(p, end);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			if (!depth)
				return p;
			depth--;
			p++;
		} else if (!depth && *p == ',') {
			return p;
		} else {
			p++;
			continue;
		}
		if (!depth || depth > DEEPEST)
			return depth ? NULL : p;
	}
	return depth ? NULL : p;
}

struct json_part json_read(const char *text, size_t n)
{
	return (struct json_part){ skip_blanks(text, text + n), text + n };
}

bool json_read_member(struct json_part object, const char *name, struct json_part *out)
{
	const char *p = object.at, *end = object.end, *after;
	const size_t n = strlen(name);

	if (!p || p >= end || *p != '{')
		return false;
	for (p = skip_blanks(p + 1, end); p < end && *p == '"'; p = skip_blanks(p + 1, end)) {
		const char *key = p + 1;

		after = string_end(p, end);
		p = after ? skip_blanks(after, end) : end;
		if (p >= end || *p != ':')
			return false;
		p = skip_blanks(p + 1, end);
		if ((size_t)(after - 1 - key) == n && !memcmp(key, name, n)) {
			*out = (struct json_part){ p, end };
			return p < end;
		}
		p = value_end(p, end);
		p = p ? skip_blanks(p, end) : end;
		if (p >= end || *p != ',')
			return false;
	}
	return false;
}

bool json_read_element(struct json_part *at, struct json_part *out)
{
	const char *p = at->at, *end = at->end;

	if (!p || p >= end || (*p != '[' && *p != ','))
		return false;
	p = skip_blanks(p + 1, end);
	if (p >= end || *p == ']')
		return false;
	*out = (struct json_part){ p, end };
	p = value_end(p, end);
	at->at = p ? skip_blanks(p, end) : NULL;
	return true;
}

/* Appends a character as UTF-8. */
static size_t put_character(char *out, unsigned c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 0x3f));
	out[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

bool json_read_string(struct json_part v, char *out, size_t n)
{
	static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	const char *p = v.at, *end = p && p < v.end && *p == '"' ? string_end(p, v.end) : NULL;
	size_t len = 0;

	if (!end || !n)
		return false;
	for (p++; p < end - 1 && len + 4 < n; p++) {
		const char *e = NULL;

		if (*p != '\\') {
			out[len++] = *p;
			continue;
		}
		p++;
		for (size_t i = 0; i + 1 < sizeof escapes && !e; i += 2)
			e = escapes[i] == *p ? &escapes[i + 1] : NULL;
		if (e) {
			out[len++] = *e;
		} else if (*p == 'u' && end - 1 - p > 4) {
			char digits[5] = { p[1], p[2], p[3], p[4], 0 };

			len += put_character(out + len, (unsigned)strtoul(digits, NULL, 16));
			p += 4;
		}
	}
	out[len] = '\0';
	return true;
}
