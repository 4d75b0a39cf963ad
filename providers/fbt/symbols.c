/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions with one name in /proc/kallsyms. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "providers/fbt/fbt.h"

/* Whole lines of the file are searched for the name, not divided: most of the time is the kernel's. */
struct symbol_search {
	const char *name;		/* with the space before it */
	size_t len;
	void (*fn)(void *arg, const struct kallsyms_line *s);
	void *arg;
};

/* text: whole lines */
static void search_lines(const struct symbol_search *x, const char *text, size_t n)
{
	const char *end = text + n, *p = text, *before, *line;
	struct kallsyms_line symbol;
	char copy[1024];

	while ((p = memmem(p, (size_t)(end - p), x->name, x->len))) {
		before = memrchr(text, '\n', (size_t)(p - text));
		line = before ? before + 1 : text;
		p = memchr(p, '\n', (size_t)(end - p));
		if ((size_t)(p - line) >= sizeof copy)
			continue;
		memcpy(copy, line, (size_t)(p - line));
		copy[p - line] = '\0';
		if (kallsyms_line(copy, &symbol) && kallsyms_is_code(symbol.kind) &&
		    !strcmp(symbol.name, x->name + 1))
			x->fn(x->arg, &symbol);
	}
}

static void search_file(const struct symbol_search *x, int fd)
{
	char text[65536];
	size_t n = 0, whole;
	const char *last;
	ssize_t r;

	while ((r = read(fd, text + n, sizeof text - n)) > 0) {
		n += (size_t)r;
		last = memrchr(text, '\n', n);
		whole = last ? (size_t)(last + 1 - text) : n;
		if (last)
			search_lines(x, text, whole);
		n -= whole;
		memmove(text, text + whole, n);
	}
}

void fbt_named_symbols(const char *name, void (*fn)(void *arg, const struct kallsyms_line *s), void *arg)
{
	char pattern[512];
	int n = snprintf(pattern, sizeof pattern, " %s", name), fd;
	const struct symbol_search x = { pattern, (size_t)n, fn, arg };

	fd = (size_t)n < sizeof pattern ? open(KALLSYMS_PATH, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	search_file(&x, fd);
	close(fd);
}
