/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is standard input JSON lines, as dtr -O json writes them? Says what is wrong, if anything is; status 1 then. */
#include <stdio.h>

#include "base/buf.h"
#include "tests/lib/jsoncheck.h"

int main(void)
{
	struct buf b = { 0 };
	unsigned line;
	const char *err;
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof part, stdin)) > 0)
		buf_put(&b, part, n);
	err = json_check_lines(buf_str(&b), b.len, &line);
	if (err)
		printf("line %u: %s\n", line, err);
	buf_free(&b);
	return err != NULL;
}
