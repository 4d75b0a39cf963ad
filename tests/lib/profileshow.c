/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows a pprof profile from standard input as text (tests/lib/profile.h). Status 1: something is wrong with it. */
#include <stdio.h>

#include "tests/lib/profile.h"

int main(void)
{
	struct buf in = { 0 }, out = { 0 };
	const char *why;
	char piece[4096];
	size_t n;

	while ((n = fread(piece, 1, sizeof piece, stdin)) > 0)
		buf_put(&in, piece, n);
	why = profile_show(&out, buf_str(&in), in.len);
	if (why)
		fprintf(stderr, "%s\n", why);
	fputs(buf_str(&out), stdout);
	buf_free(&in);
	buf_free(&out);
	return why ? 1 : 0;
}
