/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes the types of the small kernel to standard output, as initial input of the btf target. */
#include <stdio.h>

#include "tests/fuzz/fuzz.h"

int main(void)
{
	FILE *f = fopen(fuzz_btf(), "r");
	int c;

	while (f && (c = getc(f)) != EOF)
		putchar(c);
	if (f)
		fclose(f);
	return !f || fflush(stdout);
}
