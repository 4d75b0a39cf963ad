/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool colour_wanted(FILE *f)
{
	const char *refused = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && !(refused && *refused) && term && *term && strcmp(term, "dumb") != 0;
}
