/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions in /proc/kallsyms. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "providers/fbt/fbt.h"

/* "ffffffff81000000 T name\t[module]". Returns false if it is not a function. */
static bool symbol_of(char *line, struct fbt_symbol *out)
{
	char *end, *name, *module;

	out->addr = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
		return false;
	name = end + 3;
	module = strchr(name, '[');
	name[strcspn(name, "\t\n")] = '\0';
	if (module)
		module[strcspn(module, "]")] = '\0';
	out->name = name;
	out->module = module ? module + 1 : "vmlinux";
	return true;
}

int fbt_each_symbol(bool (*fn)(void *arg, const struct fbt_symbol *s), void *arg)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct fbt_symbol s;
	char *line = NULL;
	bool done = false;
	size_t n = 0;

	if (!f)
		return errno;
	while (!done && getline(&line, &n, f) > 0)
		done = symbol_of(line, &s) && fn(arg, &s);
	free(line);
	fclose(f);
	return 0;
}

/* ---- one name ---- */

/* Whole lines of the file are searched for the name, not divided: most of the time is the kernel's. */
struct symbol_search {
	const char *name;		/* with the space before it */
	size_t len;
	void (*fn)(void *arg, const struct fbt_symbol *s);
	void *arg;
};

/* text: whole lines */
static void search_lines(const struct symbol_search *x, const char *text, size_t n)
{
	const char *end = text + n, *p = text, *before, *line;
	struct fbt_symbol symbol;
	char copy[1024];

	while ((p = memmem(p, (size_t)(end - p), x->name, x->len))) {
		before = memrchr(text, '\n', (size_t)(p - text));
		line = before ? before + 1 : text;
		p = memchr(p, '\n', (size_t)(end - p));
		if ((size_t)(p - line) >= sizeof copy)
			continue;
		memcpy(copy, line, (size_t)(p - line));
		copy[p - line] = '\0';
		if (symbol_of(copy, &symbol) && !strcmp(symbol.name, x->name + 1))
			x->fn(x->arg, &symbol);
	}
}

static int search_file(const struct symbol_search *x, int fd)
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
	return r < 0 ? errno : 0;
}

int fbt_named_symbols(const char *name, void (*fn)(void *arg, const struct fbt_symbol *s), void *arg)
{
	char pattern[512];
	int n = snprintf(pattern, sizeof pattern, " %s", name);
	const struct symbol_search x = { pattern, (size_t)n, fn, arg };
	int fd, err;

	if ((size_t)n >= sizeof pattern)
		return 0;
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	err = search_file(&x, fd);
	close(fd);
	return err;
}
