/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command `dtr gmon`: chooses the script (share/tools/gmon.d and gmon/) and translates the options to a plain dtr
 * command line with -O gmon.
 *
 * Ownership: as prog.h. Errors: a message on standard error.
 */
#ifndef CMD_DTR_GMON_H
#define CMD_DTR_GMON_H

#include "cmd/dtr/prog/prog.h"

/* True if the word is "gmon". */
bool gmon_is(const char *name);
/* Translates argv, whose word 1 is "gmon". Returns as prog_expand. */
int gmon_expand(struct prog_line *out, struct arena *a, const char *share, int argc, char **argv);

#endif
