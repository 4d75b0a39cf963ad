/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Suggestions for misspelt words.
 *
 *	struct word_near near = { .word = "execnmae" };
 *	word_offer(&near, "pid"), word_offer(&near, "execname");
 *	error("no such variable%s", word_suggestion(arena, &near));		// " (did you mean 'execname'?)"
 *
 * Ownership: words are the caller's. Errors: none.
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include "base/arena.h"

/*
 * The edit distance of two words (Damerau-Levenshtein): insertions, deletions, replacements and exchanges of
 * neighbours. Case is ignored, but words that differ only in case have distance 1. Returns `limit` if it is at least
 * that, or if a word is longer than 64 bytes.
 */
unsigned word_distance(const char *a, const char *b, unsigned limit);
/* Words at this distance or more are not suggested. */
unsigned word_limit(const char *word);

struct word_near {
	const char *word;		/* the misspelt word */
	const char *best;		/* the nearest candidate; NULL: none is near */
	unsigned distance;
};

/* Offers a candidate. Names that begin with '_' are ignored, unless the word does too. */
void word_offer(struct word_near *n, const char *candidate);
/* " (did you mean 'BEST'?)", or "". */
const char *word_suggestion(struct arena *a, const struct word_near *n);

#endif
