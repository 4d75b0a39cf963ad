/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/word.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { MAXWORD = 64 };

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned min_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Computes row by row the distance of the first i letters of a from the first j letters of b. */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][MAXWORD + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *row = rows[i % 3], *up = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min_of(min_of(up[j], row[j - 1]) + 1, up[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
				row[j] = min_of(row[j], before[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

unsigned word_distance(const char *a, const char *b, unsigned limit)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned d;

	if (na > MAXWORD || nb > MAXWORD || na >= nb + limit || nb >= na + limit)
		return limit;
	d = edit_distance(a, na, b, nb);
	if (!d && strcmp(a, b))
		d = 1;
	return min_of(d, limit);
}

/* Allows about one edit for every three letters, at most three: with more, it looks like a different word. */
unsigned word_limit(const char *word)
{
	size_t n = strlen(word), steps = n < 2 ? 0 : n < 6 ? 1 : n < 9 ? 2 : 3;

	return (unsigned)steps + 1;
}

void word_offer(struct word_near *n, const char *candidate)
{
	bool nearest = !strcasecmp(n->word, candidate);
	unsigned limit = n->best ? n->distance : word_limit(n->word);
	unsigned d = nearest ? 0 : word_distance(n->word, candidate, limit);

	if (!strcmp(n->word, candidate) || (*candidate == '_' && *n->word != '_') || d >= limit)
		return;
	n->best = candidate;
	n->distance = d;
}

const char *word_suggestion(struct arena *a, const struct word_near *n)
{
	return n->best ? arena_printf(a, " (did you mean '%s'?)", n->best) : "";
}
