/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/prog/script.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/dtr/say.h"

static const struct kind {
	const char *file;		/* in share/tools */
	const char *probe;		/* in the script: replaced by the chosen ones; letters that follow are kept */
	const char *shown;		/* the aggregations that an end of a part shows */
} kinds[] = {
	[PROG_PROCS] = { "prog.d", "pid$target:a.out::",
		"printa(@self); printa(@mean, @minimum, @maximum, @total, @calls); printa(@arcs, @within); "
		"printa(@deepest);" },
	[PROG_LINES] = { "prog/lines.d", "line$target:*::", "printa(@count);" },
	[PROG_VARS] = { "prog/vars.d", "watch$target:::$1", "printa(@accesses, @changes, @smallest, @largest);" },
	[PROG_KINDS] = { "prog/times.d", "line$target:*::", "printa(@count, @time);" },
};

struct making {
	struct arena *arena;
	const char *prog;
	const struct prog_want *want;
	VEC(const char *) probes;	/* the chosen ones, without the letters that follow */
};

static const struct kind *kind_of(const struct prog_want *w)
{
	return &kinds[w->kind == PROG_LINES && (w->times || w->blocks.n) ? PROG_KINDS : w->kind];
}

static int script_error(const struct making *m, const char *what, const char *text, const char *expected)
{
	say("%s prog: invalid %s '%s': expected %s\n", m->prog, what, text, expected);
	return -1;
}

/* ---- objects ---- */

enum { PARTS = 4 };

/* Splits at colons, but not at those of C++ names (ns::f). Returns the number of parts, 0 for too many. */
static unsigned split_parts(struct arena *a, const char *text, const char **part)
{
	unsigned n = 0;

	for (const char *s = text, *from = text;; s++) {
		if (*s == ':' && s[1] == ':' && s > from) {
			s++;
			continue;
		}
		if (*s && *s != ':')
			continue;
		if (n == PARTS)
			return 0;
		part[n++] = arena_strndup(a, from, (size_t)(s - from));
		if (!*s)
			return n;
		from = s + 1;
	}
}

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

/* Can the text be a part of a description? */
static bool is_plain(const char *s)
{
	return *s && !s[strcspn(s, " \t\n,;{}\"'/")];
}

/* Or the path of a source file? */
static bool is_plain_path(const char *s)
{
	return *s && !s[strcspn(s, " \t\n,;{}\"'")];
}

static const char *object_procedure(struct arena *a, const char **part, unsigned n)
{
	if (n > 2)
		return NULL;
	return arena_printf(a, "pid$target:%s:%s:", n == 2 ? part[0] : "a.out", part[n - 1]);
}

/* A source file in a description, which cannot have a '/'. */
static const char *source_pattern(struct arena *a, const char *file)
{
	char *s = arena_strdup(a, file);

	for (char *p = s; *p; p++)
		if (*p == '/')
			*p = '?';
	return s;
}

/* FILE, FUNCTION, FILE:FUNCTION, FILE:LINE. A name with a dot is a file. */
static const char *object_line(struct arena *a, const char **part, unsigned n)
{
	const char *file = source_pattern(a, part[0]);

	if (n > 2)
		return NULL;
	if (n == 1)
		return arena_printf(a, strchr(part[0], '.') ? "line$target:%s::" : "line$target::%s:", file);
	return arena_printf(a, is_number(part[1]) ? "line$target:%s::%s" : "line$target:%s:%s:", file, part[1]);
}

static const char *object_variable(struct arena *a, const char **part, unsigned n)
{
	if (n > 3)
		return NULL;
	return arena_printf(a, "watch$target:%s:%s:%s", n == 3 ? part[0] : "", n > 1 ? part[n - 2] : "", part[n - 1]);
}

static const struct {
	const char *(*probe)(struct arena *a, const char **part, unsigned n);
	const char *expected;
} objects[] = {
	[PROG_PROCS] = { object_procedure, "FUNCTION or MODULE:FUNCTION" },
	[PROG_LINES] = { object_line, "FILE, FUNCTION, FILE:FUNCTION or FILE:LINE" },
	[PROG_VARS] = { object_variable, "VARIABLE, FUNCTION:VARIABLE or MODULE:FUNCTION:VARIABLE" },
};

static int add_objects(struct making *m)
{
	const struct prog_want *w = m->want;

	for (size_t i = 0; i < w->objects.n; i++) {
		const char *part[PARTS], *text = w->objects.v[i], *probe = NULL;
		bool plain = w->kind == PROG_LINES ? is_plain_path(text) : is_plain(text);
		unsigned n = plain ? split_parts(m->arena, text, part) : 0;

		if (n)
			probe = objects[w->kind].probe(m->arena, part, n);
		if (!probe)
			return script_error(m, "object", text, objects[w->kind].expected);
		*VEC_ADD(m->arena, &m->probes) = probe;
	}
	return 0;
}

/* ---- text ---- */

/* A chosen probe with the n letters that follow the script's: the entry of the functions of a file, not of a line. */
static void put_probe(struct buf *out, const char *before, const char *probe, const char *letters, int n)
{
	size_t keep = strlen(probe);

	while (n && isdigit((unsigned char)probe[keep - 1]))
		keep--;
	buf_printf(out, "%s%.*s%.*s", before, (int)keep, probe, n, letters);
}

/* Replaces the script's probes. */
static void put_replaced(struct buf *out, const struct making *m, const char *text)
{
	const char *own = kind_of(m->want)->probe;

	for (const char *at; m->probes.n && (at = strstr(text, own));) {
		const char *letters = at + strlen(own);
		size_t n = 0;

		while (islower((unsigned char)letters[n]))
			n++;
		buf_put(out, text, (size_t)(at - text));
		for (size_t i = 0; i < m->probes.n; i++)
			put_probe(out, i ? ", " : "", m->probes.v[i], letters, (int)n);
		text = letters + n;
	}
	buf_puts(out, text);
}

/* A place: FUNCTION, MODULE:FUNCTION, FILE:LINE, or a description of four parts; then a condition between slashes. */
static int put_place(struct buf *out, const struct making *m, const char *what, const char *text, const char *when)
{
	const char *slash = strchr(text, '/'), *end = slash ? strrchr(text, '/') : text + strlen(text), *part[PARTS];
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	const char *place;
	unsigned parts;

	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	place = arena_strndup(m->arena, text, n);
	parts = is_plain(place) ? split_parts(m->arena, place, part) : 0;
	if (!parts || parts == 3 || (slash && (end == slash || end[1])))
		return script_error(m, what, text, "FUNCTION, MODULE:FUNCTION, FILE:LINE or a probe, then /CONDITION/");
	if (parts == 4)
		buf_puts(out, place);
	else if (parts == 2 && is_number(part[1]))
		buf_printf(out, "line$target:%s::%s", part[0], part[1]);
	else
		buf_printf(out, "%sentry", object_procedure(m->arena, part, parts));
	buf_printf(out, "\n/%s", when);
	if (slash)
		buf_printf(out, " && (%.*s)", (int)(end - slash - 1), slash + 1);
	buf_puts(out, "/\n");
	return 0;
}

/* The costs are arguments of the script, so that saved profiles of several runs are from the same script. */
static void put_cost(struct buf *out, const struct making *m)
{
	if (!m->want->net && !prog_cost_call(&m->want->cost))
		return;
	if (!m->want->net)
		buf_puts(out, "BEGIN\n{\n\t@cost = max($1);\n}\n\n");
	else
		buf_puts(out, "BEGIN\n{\n\tentry_cost = $2;\n\treturn_cost = $3;\n\treplaced_cost = $4;\n"
			 "\tcopied_cost = $5;\n\t@subtracted = max($1);\n}\n\n");
}

/* Without --from, measuring starts at the beginning, and again when --to ... --from have been reached. */
static int put_from(struct buf *out, const struct making *m)
{
	if (!m->want->from)
		return 0;
	buf_puts(out, "int parts;\n\nBEGIN\n{\n\ton = 0;\n}\n\n");
	if (put_place(out, m, "--from", m->want->from, "on <= 0") < 0)
		return -1;
	buf_puts(out, "{\n\ton = ++parts;\n}\n\n");
	return 0;
}

static int put_to(struct buf *out, const struct making *m)
{
	if (!m->want->to)
		return 0;
	buf_putc(out, '\n');
	if (put_place(out, m, "--to", m->want->to, "on > 0") < 0)
		return -1;
	buf_printf(out, "{\n\ton = 0;\n\t%s%s\n}\n", kind_of(m->want)->shown,
		   m->want->net ? " printa(@subtracted);" : prog_cost_call(&m->want->cost) ? " printa(@cost);" : "");
	return 0;
}

/* Blocks: lines first to last of a file. A thread is in a block from such a line to the first one outside. */
static int put_block(struct buf *out, const struct making *m, unsigned i)
{
	const char *text = m->want->blocks.v[i];
	unsigned first, last;
	char file[256];
	int end = 0;

	if (!is_plain_path(text) || sscanf(text, "%255[^:]:%u-%u%n", file, &first, &last, &end) != 3 || text[end] ||
	    first > last)
		return script_error(m, "block", text, "FILE:FIRST-LAST");
	buf_printf(out, "line$target:*::\n/on > 0 && self->part == on && self->in%u/\n{\n"
		   "\t@spent[\"%s\"] = sum(vtimestamp - self->since);\n}\n\n", i, text);
	buf_printf(out, "line$target:%s::\n/on > 0 && !self->in%u && strtoll(probename) >= %u && "
		   "strtoll(probename) <= %u/\n{\n\t@entered[\"%s\"] = count();\n}\n\n",
		   source_pattern(m->arena, file), i, first, last, text);
	buf_printf(out, "line$target:*::\n{\n\tself->in%u = 0;\n}\n\n", i);
	buf_printf(out, "line$target:%s::\n/strtoll(probename) >= %u && strtoll(probename) <= %u/\n{\n"
		   "\tself->in%u = 1;\n}\n\n", source_pattern(m->arena, file), first, last, i);
	return 0;
}

/* Between two places, each line must be probed: the lines of a basic block would be counted before or after a place in
 * it is reached. */
static void put_head(struct buf *out, const struct making *m, const char *text, size_t n)
{
	static const char blocks[] = "#pragma D option lineblocks\n";
	const char *at = m->want->from || m->want->to ? strstr(text, blocks) : NULL;
	size_t before = at && at < text + n ? (size_t)(at - text) : n, after = before;

	if (before < n)
		after += strlen(blocks);
	buf_put(out, text, before);
	buf_put(out, text + after, n - after);
}

/* The clauses of the script begin after that of BEGIN. */
static int put_script(struct buf *out, const struct making *m, const char *text)
{
	const char *begin = strstr(text, "\nBEGIN\n"), *clauses = begin ? strstr(begin, "\n}\n") : NULL;
	struct buf own = { 0 };
	int r = 0;

	if (!clauses) {
		say("%s prog: %s has no clause BEGIN\n", m->prog, kind_of(m->want)->file);
		return -1;
	}
	clauses += strlen("\n}\n");
	for (unsigned i = 0; i < m->want->blocks.n; i++)
		buf_printf(out, "self int in%u;\n", i);
	put_head(&own, m, text, (size_t)(clauses - text));
	buf_putc(&own, '\n');
	put_cost(&own, m);
	r = put_from(&own, m);
	for (unsigned i = 0; i < m->want->blocks.n && !r; i++)
		r = put_block(&own, m, i);
	buf_puts(&own, clauses);
	if (!r)
		r = put_to(&own, m);
	put_replaced(out, m, buf_str(&own));
	out->failed |= own.failed;
	buf_free(&own);
	return r;
}

const char *prog_script(struct arena *a, const char *prog, const char *share, const struct prog_want *w)
{
	struct making m = { .arena = a, .prog = prog, .want = w };
	const char *path = arena_printf(a, "%s/tools/%s", share, kind_of(w)->file), *text = NULL;
	struct buf file = { 0 }, out = { 0 };
	int r = buf_read_file(&file, path);

	if (r < 0)
		say("%s prog: failed to read %s: %s\n", prog, path, strerror(-r));
	else if (add_objects(&m) == 0 && put_script(&out, &m, buf_str(&file)) == 0 && !out.failed)
		text = arena_strdup(a, buf_str(&out));
	buf_free(&file);
	buf_free(&out);
	return text;
}
