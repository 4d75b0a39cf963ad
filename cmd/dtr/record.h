/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line of `dtr record`.
 * Ownership: the arena. Errors: a command line that is not understood (a message on standard error).
 */
#ifndef CMD_DTR_RECORD_H
#define CMD_DTR_RECORD_H

#include "cmd/dtr/args.h"

/* Is it `dtr record`? */
bool record_is(int argc, char **argv);
/* 0, 1: help was asked for and printed, -1. */
int record_parse(struct args *a, struct arena *arena, int argc, char **argv);

#endif
