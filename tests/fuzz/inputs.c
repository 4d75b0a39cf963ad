/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/fuzz/inputs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* The character for an escape after a backslash; moves *s after it. -1 if it is malformed. */
static int escape(const char **s)
{
	char c = *(*s)++;
	int hi, lo;

	if (c == 'n')
		return '\n';
	if (c == 't')
		return '\t';
	if (c == '\\' || c == '#')
		return c;
	if (c != 'x' || (hi = hex((*s)[0])) < 0 || (lo = hex((*s)[1])) < 0)
		return -1;
	*s += 2;
	return hi << 4 | lo;
}

static int line_read(struct inputs *in, struct arena *a, const char *s, size_t n, unsigned line)
{
	uint8_t *data = arena_alloc(a, n + 1);
	const char *end = s + n;
	size_t size = 0;

	while (s < end) {
		int c = *s == '\\' ? (s++, escape(&s)) : (uint8_t)*s++;

		if (c < 0)
			return -EINVAL;
		data[size++] = (uint8_t)c;
	}
	*VEC_ADD(a, &in->list) = (struct input){ arena_printf(a, "line %u", line), data, size };
	return 0;
}

static int bundle_read(struct inputs *in, struct arena *a, const char *text)
{
	unsigned line = 0;
	int r = 0;

	while (!r && *text) {
		size_t n = strcspn(text, "\n");

		line++;
		if (*text != '#')
			r = line_read(in, a, text, n, line);
		text += n + (text[n] == '\n');
	}
	return r;
}

static int file_read(struct inputs *in, struct arena *a, const char *path, const char *name)
{
	struct buf b = { 0 };
	int r = buf_read_file(&b, path);

	if (!r)
		*VEC_ADD(a, &in->list) = (struct input){ arena_strdup(a, name), arena_memdup(a, buf_str(&b), b.len),
			b.len };
	buf_free(&b);
	return r;
}

static int is_file(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int folder_read(struct inputs *in, struct arena *a, const char *path)
{
	struct dirent **e;
	int n = scandir(path, &e, is_file, alphasort), r = 0;

	for (int i = 0; i < n; i++) {
		if (!r)
			r = file_read(in, a, arena_printf(a, "%s/%s", path, e[i]->d_name), e[i]->d_name);
		free(e[i]);
	}
	if (n >= 0)
		free(e);
	return n < 0 ? -errno : r;
}

int inputs_read(struct inputs *in, struct arena *a, const char *path)
{
	struct buf b = { 0 };
	struct stat st;
	int r;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return folder_read(in, a, path);
	r = buf_read_file(&b, path);
	if (!r)
		r = bundle_read(in, a, buf_str(&b));
	buf_free(&b);
	return r;
}

void input_print(struct buf *out, const struct input *in)
{
	for (size_t i = 0; i < in->size; i++) {
		uint8_t c = in->data[i];

		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '\t')
			buf_puts(out, "\\t");
		else if (c == '\\' || (c == '#' && !i))
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_putc(out, c);
	}
	buf_putc(out, '\n');
}
