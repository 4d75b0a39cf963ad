/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/tool/tool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/say.h"

static bool tool_is_name(const char *s)
{
	return islower((unsigned char)*s) && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

int tool_find(struct tool *t, struct arena *a, const char *share, const char *name)
{
	struct source *script = arena_calloc(a, 1, sizeof *script);
	struct buf b = { 0 };
	int r;

	*t = (struct tool){ .name = name };
	if (!tool_is_name(name))
		return -ENOENT;
	t->path = arena_printf(a, "%s/tools/%s.d", share, name);
	r = buf_read_file(&b, t->path);
	if (r >= 0) {
		*script = (struct source){ .name = t->path, .text = arena_strdup(a, buf_str(&b)), .len = b.len };
		t->malformed = tool_header_parse(&t->header, a, script, &t->fault) < 0;
	}
	buf_free(&b);
	return r < 0 ? r : 0;
}

int tool_check(const struct tool *t, const char *prog)
{
	struct buf b = { 0 };

	if (!t->malformed)
		return 0;
	diag_print(&b, &t->fault, prog, 0);
	fputs(buf_str(&b), stderr);
	buf_free(&b);
	return -1;
}

/* ---- all tools ---- */
static int tool_is_script(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 2 && islower((unsigned char)*d->d_name) && !strcmp(d->d_name + n - 2, ".d");
}

int tool_names(struct arena *a, const char *share, const char ***names)
{
	struct dirent **found;
	int n = scandir(arena_printf(a, "%s/tools", share), &found, tool_is_script, alphasort);

	if (n < 0)
		return -errno;
	*names = arena_calloc(a, n + 1, sizeof **names);
	for (int i = 0; i < n; i++) {
		(*names)[i] = arena_strndup(a, found[i]->d_name, strlen(found[i]->d_name) - 2);
		free(found[i]);
	}
	free(found);
	return n;
}

static void list_json(const char *name, const char *summary)
{
	struct buf b = { 0 };

	json_open(&b, '{');
	json_name(&b, "type");
	json_text(&b, "tool");
	json_name(&b, "name");
	json_text(&b, name);
	json_name(&b, "summary");
	json_text(&b, summary);
	json_close(&b, '}');
	puts(buf_str(&b));
	buf_free(&b);
}

int tool_list(struct arena *a, const char *share, const char *prog, bool json)
{
	const char **names = NULL;
	int n = tool_names(a, share, &names), status = n < 0 ? n : 0;

	for (int i = 0; i < n; i++) {
		const struct command *c = command_find(names[i]);
		const char *summary;
		struct tool t;

		if (command_is_left_out(names[i]) || (!c && tool_find(&t, a, share, names[i]) < 0))
			continue;
		if (!c && tool_check(&t, prog) < 0) {
			status = 1;
			continue;
		}
		summary = c ? c->summary : t.header.summary;
		if (json)
			list_json(names[i], summary);
		else
			printf("%-12s %s\n", names[i], summary);
	}
	return status;
}

void tool_offer(struct arena *a, const char *share, struct word_near *near)
{
	const char **names = NULL;
	int n = tool_names(a, share, &names);

	for (int i = 0; i < n; i++)
		word_offer(near, names[i]);
}

void tool_unknown(struct arena *a, const char *share, const char *prog, const char *name)
{
	static const char *const own[] = { "record", "report", "merge", "diff", "serve", "stat", "kgmon", "help" };
	struct word_near near = { .word = name };

	tool_offer(a, share, &near);
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		word_offer(&near, own[i]);
	say("%s: unknown tool '%s'", prog, name);
	if (access(name, R_OK) == 0 || (strlen(name) > 2 && !strcmp(name + strlen(name) - 2, ".d")))
		say("; to run a script: %s -s %s\n", prog, name);
	else if (near.best)
		say("%s\n", word_suggestion(a, &near));
	else
		say("; see %s -l --tools, or specify probes with -n, -s, -P, -m, -f or -i\n", prog);
}
