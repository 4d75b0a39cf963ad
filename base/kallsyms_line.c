/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/kallsyms_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kallsyms_line(char *line, struct kallsyms_line *out)
{
	char *end, *name, *module;

	out->addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	out->kind = end[1];
	name = end + 3;
	end = name + strcspn(name, " \t\n");
	module = *end == '\t' && end[1] == '[' ? end + 2 : NULL;
	if (module)
		module[strcspn(module, "]\n")] = '\0';
	*end = '\0';
	out->name = name;
	out->module = module ? module : KALLSYMS_KERNEL;
	return true;
}

bool kallsyms_is_code(char kind)
{
	return strchr("tTwW", kind);
}

int kallsyms_each(const char *path, bool (*fn)(void *arg, const struct kallsyms_line *s), void *arg)
{
	FILE *f = fopen(path ? path : KALLSYMS_PATH, "re");
	struct kallsyms_line s;
	char *line = NULL;
	bool done = false;
	size_t n = 0;

	if (!f)
		return -errno;
	while (!done && getline(&line, &n, f) > 0)
		done = kallsyms_line(line, &s) && fn(arg, &s);
	free(line);
	fclose(f);
	return 0;
}
