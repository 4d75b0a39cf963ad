/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/word.h"

#include <stddef.h>
#include <string.h>

unsigned word_distance(const char *a, const char *b, unsigned limit)
{
	enum { MAXWORD = 32 };
	unsigned row[MAXWORD + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > MAXWORD || nb > MAXWORD)
		return limit;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		unsigned diag = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (diag + 1 < best)
				best = diag + 1;
			row[j] = best;
		}
	}
	return row[nb] < limit ? row[nb] : limit;
}
