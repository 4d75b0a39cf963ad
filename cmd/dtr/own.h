/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of dtr itself, as a table for its help and for the completion of words. args.c parses them.
 *
 * Ownership: the arena. Errors: none.
 */
#ifndef CMD_DTR_OWN_H
#define CMD_DTR_OWN_H

#include "base/arena.h"
#include "cmd/dtr/option.h"

/* What follows "Usage: PROG ". */
extern const char own_usage[];
/* In the order of the help; the rows without letter and name are other words. */
const struct command_option *own_options(struct arena *a);
/* Prints --help on standard output. Returns 0, or -1 without memory (nothing is printed). */
int own_help(struct arena *a, const char *prog);

#endif
