/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stddef.h>

#include "providers/provider.h"

/* Matches one character class: "[a-c_]", "[!a-c]". Returns its end, or NULL if it has no ']' (then '[' is a plain
 * character). */
static const char *class_match(const char *p, unsigned char c, bool *hit)
{
	bool negated = p[1] == '!' || p[1] == '^';
	const char *first = p + 1 + negated, *q = first;

	*hit = false;
	for (; *q && (*q != ']' || q == first); q++) {
		unsigned char lo, hi;

		if (*q == '\\' && q[1])
			q++;
		lo = hi = (unsigned char)*q;
		if (q[1] == '-' && q[2] && q[2] != ']') {
			q += 2;
			if (*q == '\\' && q[1])
				q++;
			hi = (unsigned char)*q;
		}
		*hit |= lo <= c && c <= hi;
	}
	*hit ^= negated;
	return *q ? q + 1 : NULL;
}

/* If the element at p (not '*') matches c, returns the position after it; else NULL. */
static const char *element_match(const char *p, char c)
{
	const char *next;
	bool hit;

	if (!c || !*p)
		return NULL;
	if (*p == '[') {
		next = class_match(p, (unsigned char)c, &hit);
		if (next)
			return hit ? next : NULL;
	}
	if (*p == '\\' && p[1])
		p++;
	else if (*p == '?')
		return p + 1;
	return *p == c ? p + 1 : NULL;
}

/* Only the last '*' is tried again, so the time is at most the product of the lengths. */
static bool glob_match(const char *p, const char *s)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		const char *next;

		while (*p == '*') {
			star = ++p;
			from = s;
		}
		if (!*s && !*p)
			return true;
		next = element_match(p, *s);
		if (next) {
			p = next;
			s++;
			continue;
		}
		if (!star || !*from)
			return false;
		p = star;
		s = ++from;
	}
}

bool probe_glob(const char *pattern, const char *s)
{
	return !*pattern || glob_match(pattern, s);
}
