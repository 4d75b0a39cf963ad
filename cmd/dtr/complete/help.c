/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/complete/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct help_option *help_options_find(const struct help_options *o, const char *name)
{
	for (size_t i = 0; i < o->v.n; i++)
		if (!strcmp(o->v.v[i].name, name))
			return &o->v.v[i];
	return NULL;
}

static struct help_option *add(struct help_options *o, struct arena *a, const char *name)
{
	struct help_option *x = help_options_find(o, name);

	if (x)
		return x;
	x = VEC_ADD(a, &o->v);
	*x = (struct help_option){ .name = name, .text = "" };
	return x;
}

/* Bytes of an option's name at s; 0: there is none. */
static size_t option_length(const char *s)
{
	size_t n = strspn(s, "-");

	if (!n || n > 2 || !isalnum((unsigned char)s[n]))
		return 0;
	while (isalnum((unsigned char)s[n]) || (n > 2 && s[n] == '-'))
		n++;
	return n;
}

/* "[-CeF]", "[-i PERIOD]", "-p PID | -c COMMAND", "[--json]" */
static void read_usage(struct help_options *o, struct arena *a, const char *s, const char *end)
{
	for (; s < end; s++) {
		size_t n = strchr(" [|", s[-1]) ? option_length(s) : 0, value;
		struct help_option *x = NULL;

		if (!n)
			continue;
		for (size_t i = 1; s[1] != '-' && i < n; i++)
			x = add(o, a, arena_printf(a, "-%c", s[i]));
		if (s[1] == '-')
			x = add(o, a, arena_strndup(a, s, n));
		value = s[n] == ' ' ? strcspn(s + n + 1, " ][=\n") : 0;
		if (x && value && s[n + 1] != '-' && s[n + 1] != '|' && s[n + 1] != '[')
			x->value = arena_strndup(a, s + n + 1, value);
		s += n - 1;
	}
}

/* The end of the head of a row: two blanks, or the end of the line. */
static const char *head_end(const char *s, const char *end)
{
	const char *gap = memmem(s, (size_t)(end - s), "  ", 2);

	return gap ? gap : end;
}

/* "-P -m -f", "-i PERIOD = $1", "-k cpu, ..." */
static void read_row(struct help_options *o, struct arena *a, const char *s, const char *end, const char *text)
{
	struct help_option *last = NULL;

	while (s < end && *s != '=') {
		size_t n = strcspn(s, " ,=\n"), name = option_length(s);

		if (name) {
			last = add(o, a, arena_strndup(a, s, name));
			if (!*last->text)
				last->text = text;
		} else if (last && n && !last->value) {
			last->value = arena_strndup(a, s, n);
		}
		s += n + (n ? 0 : 1);
		s += strspn(s, " ,");
	}
}

/* The description of a row: what follows the head, or the next line if the head is long. */
static const char *row_text(struct arena *a, const char *head, const char *end)
{
	const char *s = head + strspn(head, " ");

	if (s >= end && !strncmp(end, "\n      ", 7))
		s = end + 1 + strspn(end + 1, " ");
	return arena_strndup(a, s, strcspn(s, "\n"));
}

/* "  aggsize  4m  bytes ..." */
static void read_setting(struct help_options *o, struct arena *a, const char *s, const char *end)
{
	size_t name = strcspn(s, " "), value;
	const char *v = s + name + strspn(s + name, " ");

	value = strcspn(v, " \n");
	if (v < end)
		*VEC_ADD(a, &o->settings) = (struct help_option){
			arena_strndup(a, s, name), arena_strndup(a, v, value), row_text(a, v + value, end),
		};
}

void help_options_read(struct help_options *o, struct arena *a, const char *help)
{
	bool usage = false, settings = false;

	for (const char *s = help, *end; *s; s = end + (*end == '\n')) {
		end = s + strcspn(s, "\n");
		usage = !strncasecmp(s, "usage:", 6) || (usage && *s == ' ');
		settings |= !strncmp(s, "Options for -x", 14);
		if (usage)
			read_usage(o, a, s + 1, end);
		else if (settings && !strncmp(s, "  ", 2) && islower((unsigned char)s[2]))
			read_setting(o, a, s + 2, end);
		else if (!strncmp(s, "  -", 3))
			read_row(o, a, s + 2, head_end(s + 2, end), row_text(a, head_end(s + 2, end), end));
	}
}
