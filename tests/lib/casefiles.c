/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * casefiles TABLE FOLDER [SECTION]: the cases of a table as golden tests of their own: FOLDER/TABLE-LINE.d, .out, and
 * .err and .ev if they are not empty. Only those of sections that begin with these words; status 1 if there is none.
 */
#include <stdio.h>
#include <string.h>

#include "tests/lib/cases.h"

static int file_write(const char *folder, const char *name, unsigned line, const char *ending, const char *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%.*s-%u.%s", folder, (int)strcspn(name, "."), name, line, ending);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		return -1;
	}
	fputs(text, f);
	return fclose(f);
}

static int case_write(const struct table_case *c, const char *folder, const char *name)
{
	int err = file_write(folder, name, c->line, "d", c->script);

	err |= file_write(folder, name, c->line, "out", c->output);
	if (*c->messages)
		err |= file_write(folder, name, c->line, "err", c->messages);
	if (*c->events)
		err |= file_write(folder, name, c->line, "ev", c->events);
	return err;
}

int main(int argc, char **argv)
{
	const char *slash, *section = argc == 4 ? argv[3] : "";
	struct case_table t;
	unsigned n = 0;
	int err;

	if (argc != 3 && argc != 4) {
		fputs("usage: casefiles TABLE FOLDER [SECTION]\n", stderr);
		return 2;
	}
	slash = strrchr(argv[1], '/');
	err = cases_read(&t, argv[1]);
	for (size_t i = 0; !err && i < t.list.n; i++) {
		if (strncmp(t.list.v[i].section, section, strlen(section)))
			continue;
		err = case_write(&t.list.v[i], argv[2], slash ? slash + 1 : argv[1]);
		n++;
	}
	cases_free(&t);
	return err || !n;
}
