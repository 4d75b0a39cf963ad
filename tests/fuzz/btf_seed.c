/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The small kernel's types on standard output: what the btf target starts from. */
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
