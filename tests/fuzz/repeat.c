/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * repeat TIMES BEFORE TEXT AFTER: prints a text many times between two others. In all of them \n \t \\ and \ooo (octal)
 * are escapes; in the repeated one '#' is the number of the repetition and "##" a '#'.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The character at *s; moves *s after it. */
static int character(const char **s)
{
	const char *names = "n\nt\t\\\\", *found;
	int c = (unsigned char)*(*s)++, v = 0;

	if (c != '\\' || !**s)
		return c;
	found = strchr(names, **s);
	if (found) {
		++*s;
		return found[1];
	}
	for (int i = 0; i < 3 && **s >= '0' && **s <= '7'; i++)
		v = v * 8 + *(*s)++ - '0';
	return v & 0xff;
}

static void put(const char *s, long number)
{
	while (*s) {
		if (number && s[0] == '#' && s[1] != '#') {
			printf("%ld", number);
			s++;
			continue;
		}
		s += number && s[0] == '#';
		putchar(character(&s));
	}
}

int main(int argc, char **argv)
{
	long n = argc == 5 ? atol(argv[1]) : 0;

	if (argc != 5) {
		fputs("usage: repeat TIMES BEFORE TEXT AFTER\n", stderr);
		return 2;
	}
	put(argv[2], 0);
	for (long i = 1; i <= n; i++)
		put(argv[3], i);
	put(argv[4], 0);
	return fflush(stdout) != 0;
}
