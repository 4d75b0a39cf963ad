/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses the command line of `dtr record`.
 * Ownership: the arena. Errors: usage errors (a message on standard error).
 */
#ifndef CMD_DTR_RECORD_H
#define CMD_DTR_RECORD_H

#include "cmd/dtr/args.h"

/* True if the command is `dtr record`. */
bool record_is(int argc, char **argv);
/* Returns 0; 1 after printing help; -1 on error. */
int record_parse(struct cmd_args *a, struct arena *arena, int argc, char **argv);

#endif
