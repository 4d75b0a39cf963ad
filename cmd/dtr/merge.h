/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr merge` and `dtr diff`: the front of dtr_merge and dtr_diff.
 * Ownership: nothing is kept. Errors: a command line that is not understood (2), reading or writing (1).
 */
#ifndef CMD_DTR_MERGE_H
#define CMD_DTR_MERGE_H

#include <stdbool.h>

#include "engine/session/dtr.h"

/* Is this one of the two words? */
bool merge_is(const char *word);
/* The status of the command. argv[1] is the word; config->out is used unless a file is to be written. */
int merge_main(const struct dtr_config *config, int argc, char **argv);

#endif
