/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* needed PROGRAM: prints the paths of the libraries that the dynamic loader will load with a program. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/symbols/needed.h"

static void print(void *arg, const char *path)
{
	fprintf(arg, "%s\n", path);
}

int main(int argc, char **argv)
{
	char directory[PATH_MAX];
	const struct needed_place place = { "", directory, getenv("LD_LIBRARY_PATH") };

	if (argc < 2 || !getcwd(directory, sizeof directory))
		return 2;
	needed_each(&place, argv[1], print, stdout);
	return 0;
}
