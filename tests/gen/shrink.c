/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shrinks a failing script: removes clauses and lines, replaces parenthesised expressions by a part of them or by a
 * constant, as long as the script fails at the same stage or in the same object.
 * A script that no longer compiles is another failure, so nothing here needs to know D.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/gen/case.h"

struct shrinker {
	struct buf text;
	uint64_t seed;
	const char *fail;
	unsigned tries;		/* left */
};

/* Replaces [from, to) if the text then still fails in this way. */
static bool replace(struct shrinker *s, size_t from, size_t to, const char *with, size_t n)
{
	struct buf b = { 0 };
	struct gen_case c;
	bool same;

	if (!s->tries || n >= to - from)
		return false;
	s->tries--;
	buf_put(&b, s->text.data, from);
	buf_put(&b, with, n);
	buf_put(&b, s->text.data + to, s->text.len - to);
	same = !case_run(&c, buf_str(&b), s->seed, true) && !strcmp(c.fail, s->fail);
	case_close(&c);
	if (same) {
		buf_free(&s->text);
		s->text = b;
	} else {
		buf_free(&b);
	}
	return same;
}

static size_t line_end(const struct shrinker *s, size_t at)
{
	while (at < s->text.len && s->text.data[at] != '\n')
		at++;
	return at < s->text.len ? at + 1 : at;
}

/* Removes lines, `span` of them at once. */
static bool drop_lines(struct shrinker *s, unsigned span)
{
	bool any = false;

	for (size_t at = 0; at < s->text.len;) {
		size_t end = at;

		for (unsigned i = 0; i < span; i++)
			end = line_end(s, end);
		if (replace(s, at, end, "", 0))
			any = true;
		else
			at = line_end(s, at);
	}
	return any;
}

static size_t closing(const struct shrinker *s, size_t at)
{
	int depth = 0;

	for (; at < s->text.len; at++) {
		depth += (s->text.data[at] == '(') - (s->text.data[at] == ')');
		if (!depth)
			return at + 1;
	}
	return 0;
}

/* The end of the word or parenthesis at `at`; `at` if there is none. */
static size_t part_end(const struct shrinker *s, size_t at)
{
	if (s->text.data[at] == '(')
		return closing(s, at);
	while (at < s->text.len && !strchr(" ,()", s->text.data[at]))
		at++;
	return at;
}

static bool simplify(struct shrinker *s, size_t at)
{
	size_t end = closing(s, at);

	if (!end)
		return false;
	if (replace(s, at, end, "1", 1) || replace(s, at, end, "0", 1) || replace(s, at, end, "", 0))
		return true;
	for (size_t in = at + 1; in + 1 < end; in++) {	/* words and parentheses within */
		size_t stop = part_end(s, in);
		char *part = stop > in && stop < end ? strndup((const char *)s->text.data + in, stop - in) : NULL;
		bool ok = part && replace(s, at, end, part, stop - in);

		free(part);
		if (ok)
			return true;
		if (stop > in)
			in = stop - 1;
	}
	return false;
}

static bool simplify_all(struct shrinker *s)
{
	bool any = false;

	for (size_t at = 0; at < s->text.len; at++)
		while (at < s->text.len && s->text.data[at] == '(' && simplify(s, at))
			any = true;
	return any;
}

char *shrink(const char *text, uint64_t seed, const char *fail)
{
	struct shrinker s = { .seed = seed, .fail = fail, .tries = 3000 };
	bool any = true;
	char *out;

	buf_puts(&s.text, text);
	while (any && s.tries) {
		any = false;
		for (unsigned span = 16; span; span /= 2)
			any |= drop_lines(&s, span);
		any |= simplify_all(&s);
	}
	out = strdup(buf_str(&s.text));
	buf_free(&s.text);
	return out;
}
