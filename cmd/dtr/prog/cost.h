/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the probes of `dtr prog` cost. dtr traces a command with the same script: itself, with a few procedures that do
 * nothing and are called many times. What the profile shows for them is the cost.
 *
 * Ownership: plain data. Errors: -1, after messages on standard error unless they are unwanted.
 */
#ifndef CMD_DTR_PROG_COST_H
#define CMD_DTR_PROG_COST_H

#include <stdbool.h>

#include "cmd/dtr/prog/script.h"

/* The option of `dtr prog` that runs the procedures. */
#define PROG_COST_OPTION "calibrate"

/* Measures the cost, which takes a fraction of a second. prog, share: as for prog_script. quiet: no messages of the
 * session. Returns 0 or -1. */
int prog_cost_measure(struct prog_cost *out, struct arena *a, const char *prog, const char *share, bool quiet);
/* Calls the procedures that do nothing. */
void prog_cost_run(void);

#endif
