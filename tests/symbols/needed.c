/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* needed PROGRAM: prints the paths of the libraries that the dynamic loader will load with a program. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/symbols/needed.h"

static void print(void *arg, const char *path)
{
	fprintf(arg, "%s\n", path);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	needed_each(argv[1], getenv("LD_LIBRARY_PATH"), print, stdout);
	return 0;
}
