/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a text may have colours. Errors: none. */
#ifndef CMD_DTR_COLOUR_H
#define CMD_DTR_COLOUR_H

#include <stdbool.h>
#include <stdio.h>

/* True if the file is a terminal that shows colours, and the user has not refused them: NO_COLOR (no-color.org) is not
 * set or empty, TERM is set and not "dumb". */
bool colour_wanted(FILE *f);

#endif
