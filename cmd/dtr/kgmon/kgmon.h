/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command `dtr kgmon`: profiling that continues after the command has ended.
 * Ownership: nothing is kept in this process. Errors: exit status 2 for a usage error, 1 for others.
 */
#ifndef CMD_DTR_KGMON_KGMON_H
#define CMD_DTR_KGMON_KGMON_H

#include <stdbool.h>

#include "engine/dtr.h"

/* True if the word is "kgmon". */
bool kgmon_is(const char *name);
/* Runs the command and returns its exit status. argv[1] is the word; output goes to config->out or a file. */
int kgmon_main(const struct dtr_config *config, int argc, char **argv);

#endif
