/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/cases.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NOTHING "(nothing)"
#define SEPARATOR " ! "		/* between output and messages */

struct case_reader {
	struct case_table *table;
	unsigned line;
	char *lines[3];		/* of the present block, as far as it is a case */
	unsigned n;		/* lines of the block */
	bool section;
	const char *name;	/* of the section */
	struct buf setup, events;	/* of the present section */
};

static int table_error(const struct case_reader *r, const char *what)
{
	printf("# %s:%u: %s\n", r->table->path, r->line, what);
	return -1;
}

/* ---- the expected text ---- */

static int byte_of(const char **at)
{
	const char *s = *at;
	int value = 0, n = 0;

	if (*s != '\\')
		return (unsigned char)*(*at)++;
	s++;
	*at = s + 1;
	if (*s == 'n' || *s == 't' || *s == '\\')
		return *s == 'n' ? '\n' : *s == 't' ? '\t' : '\\';
	for (; n < 3 && s[n] >= '0' && s[n] <= '7'; n++)
		value = value * 8 + (s[n] - '0');
	*at = s + 3;
	return n == 3 && value < 256 ? value : -1;
}

/* The text from `from` to `to` without escapes, NULL if one is wrong. */
static char *text_plain(struct arena *a, const char *from, const char *to)
{
	struct buf b = { 0 };
	char *text = NULL;
	int c = 0;

	while (from < to && c >= 0) {
		c = byte_of(&from);
		if (c >= 0)
			buf_putc(&b, c);
	}
	if (c >= 0)
		text = arena_strndup(a, buf_str(&b), b.len);
	buf_free(&b);
	return text;
}

static int case_expect(struct case_reader *r, struct table_case *c, const char *line)
{
	struct arena *a = &r->table->arena;
	const char *end = line + strlen(line), *mark = strstr(line, SEPARATOR), *messages = NULL;

	c->output = c->messages = "";
	if (!strcmp(line, NOTHING))
		return 0;
	if (!strncmp(line, &SEPARATOR[1], strlen(&SEPARATOR[1]))) {
		mark = line;
		messages = line + strlen(&SEPARATOR[1]);
	} else if (mark) {
		messages = mark + strlen(SEPARATOR);
	}
	c->output = text_plain(a, line, mark ? mark : end);
	if (messages)
		c->messages = text_plain(a, messages, end);
	if (!c->output || !c->messages)
		return table_error(r, "an escape is none of \\n \\t \\\\ \\ooo");
	if (messages)
		c->messages = arena_printf(a, "%s\n", c->messages);
	return 0;
}

static void text_escaped(struct buf *b, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		bool last_space = c == ' ' && i + 1 == n, separator = !strncmp(text + i, SEPARATOR, 3);

		if (c == '\n')
			buf_puts(b, "\\n");
		else if (c == '\t')
			buf_puts(b, "\\t");
		else if (c == '\\')
			buf_puts(b, "\\\\");
		else if (c < 0x20 || c >= 0x7f || last_space || separator || (!i && c == '!'))
			buf_printf(b, "\\%03o", c);
		else
			buf_putc(b, c);
	}
}

void case_expected(struct buf *b, const char *output, const char *messages)
{
	size_t n = strlen(messages);

	if (!*output && !n)
		buf_puts(b, NOTHING);
	text_escaped(b, output, strlen(output));
	if (n) {
		buf_puts(b, *output ? SEPARATOR : &SEPARATOR[1]);
		text_escaped(b, messages, n - 1);
	}
}

/* ---- blocks ---- */

/* The events without firings of probes that the script does not name, which would be refused. */
static char *case_events(struct case_reader *r, const char *script)
{
	struct buf b = { 0 };
	char *text;

	for (const char *line = buf_str(&r->events); *line; line = strchr(line, '\n') + 1) {
		char word[256];

		sscanf(line, "%255s", word);
		if (!strpbrk(word, "-:") || strstr(script, word))
			buf_put(&b, line, (size_t)(strchr(line, '\n') + 1 - line));
	}
	text = arena_strdup(&r->table->arena, buf_str(&b));
	buf_free(&b);
	return text;
}

static int block_end(struct case_reader *r)
{
	struct case_table *t = r->table;
	struct table_case *c;
	unsigned n = r->n;

	r->n = 0;
	if (!n || r->section) {
		r->section = false;
		return 0;
	}
	if (n != 3)
		return table_error(r, "a case has three lines: the program, what it writes, the reason");
	c = VEC_ADD(&t->arena, &t->list);
	*c = (struct table_case){ .line = r->line - 3, .program = r->lines[0], .reason = r->lines[2] };
	c->section = r->name;
	c->script = arena_printf(&t->arena,
				 "#pragma D option quiet\n%s#line 1 \"program\"\n%s\n", buf_str(&r->setup), c->program);
	c->events = case_events(r, c->script);
	return case_expect(r, c, r->lines[1]);
}

static int section_line(struct case_reader *r, const char *line)
{
	if (!strncmp(line, "setup ", 6))
		buf_printf(&r->setup, "%s\n", line + 6);
	else if (!strncmp(line, "event ", 6))
		buf_printf(&r->events, "%s\n", line + 6);
	else if (*line != '#')
		return table_error(r, "a line of a section begins with \"#\", \"setup\" or \"event\"");
	return 0;
}

static int table_line(struct case_reader *r, char *line)
{
	r->line++;
	if (!*line)
		return block_end(r);
	if (!r->n++ && *line == '#') {
		r->section = true;
		r->name = line + strspn(line, "# ");
		buf_reset(&r->setup);
		buf_reset(&r->events);
	}
	if (r->section)
		return section_line(r, line);
	if (isspace((unsigned char)line[strlen(line) - 1]))
		return table_error(r, "a line ends with a space");
	if (r->n <= 3)
		r->lines[r->n - 1] = line;
	return 0;
}

int cases_read(struct case_table *t, const char *path)
{
	struct case_reader r = { .table = t, .name = "" };
	struct buf file = { 0 };
	char *text, *end;
	int err;

	*t = (struct case_table){ 0 };
	arena_init(&t->arena, NULL, NULL);
	t->path = arena_strdup(&t->arena, path);
	err = buf_read_file(&file, path) ? table_error(&r, "cannot be read") : 0;
	text = arena_strndup(&t->arena, buf_str(&file), file.len);
	buf_free(&file);
	for (; !err && *text; text = end) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = '\0';
		err = table_line(&r, text);
	}
	if (!err)
		err = table_line(&r, (char[]){ "" });
	buf_free(&r.setup);
	buf_free(&r.events);
	return err;
}

void cases_free(struct case_table *t)
{
	arena_free(&t->arena);
}
