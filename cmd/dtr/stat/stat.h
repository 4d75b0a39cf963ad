/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command `dtr stat`: counts of events, of a command, a process or the machine (docs/stat.md).
 * Ownership: the arena has all strings. Errors: exit status 2 for a usage error, 1 for others; else the command's.
 */
#ifndef CMD_DTR_STAT_STAT_H
#define CMD_DTR_STAT_STAT_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "engine/dtr.h"

/* True if the word is "stat". */
bool stat_is(const char *name);
/* Runs the command and returns its exit status. argv[1] is the word; stack: the limits for a command. */
int stat_main(const struct dtr_config *config, struct arena *a, const struct rlimit *stack, int argc, char **argv);

#endif
