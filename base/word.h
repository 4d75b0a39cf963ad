/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words that are misspelt: which of those that exist was probably meant.
 *
 *	struct word_near near = { .word = "execnmae" };
 *	word_offer(&near, "pid"), word_offer(&near, "execname");
 *	error("no such variable%s", word_meant(arena, &near));		// " (did you mean 'execname'?)"
 *
 * Ownership: words are the caller's. Errors: none.
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include "base/arena.h"

/*
 * Steps from one word to the other: a letter inserted, dropped, replaced, two exchanged. The case of letters does not count,
 * but words that differ in nothing else are one step apart. `limit`: at least so many, or a word is longer than 64 bytes.
 */
unsigned word_distance(const char *a, const char *b, unsigned limit);
/* Words that are so many steps from this one, or more, were not meant. */
unsigned word_limit(const char *word);

struct word_near {
	const char *word;		/* what was written */
	const char *best;		/* the nearest of those that were offered; NULL: none is near */
	unsigned distance;
};

/* One that exists. Names that begin with '_' are offered in vain, unless the word does. */
void word_offer(struct word_near *n, const char *candidate);
/* " (did you mean 'BEST'?)", or "". */
const char *word_meant(struct arena *a, const struct word_near *n);

#endif
