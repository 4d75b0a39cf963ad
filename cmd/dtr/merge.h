/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands `dtr merge`, `dtr diff` and `dtr report`: a command line for dtr_merge, dtr_diff and dtr_report.
 * Ownership: nothing is kept. Errors: exit status 2 for a usage error, 1 for an error of reading or writing.
 */
#ifndef CMD_DTR_MERGE_H
#define CMD_DTR_MERGE_H

#include <stdbool.h>

#include "engine/dtr.h"

/* True if the word is "merge", "diff" or "report". */
bool merge_is(const char *name);
/* Runs the command and returns its exit status. argv[1] is the word; output goes to config->out or a file. */
int merge_main(const struct dtr_config *config, int argc, char **argv);

#endif
