/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How near words are to each other, for "did you mean".
 * Who owns what: nothing is kept. What can fail: nothing.
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

/* Steps from one word to the other (insert, drop, replace), or `limit` if there are at least so many or a word is long. */
unsigned word_distance(const char *a, const char *b, unsigned limit);

#endif
