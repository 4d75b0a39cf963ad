/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Carries out the recording actions of records, and keeps the session's aggregations.
 * Ownership: actions_close frees the tables (idempotent). Errors: reported; the session fails.
 */
#ifndef ENGINE_SESSION_ACTIONS_H
#define ENGINE_SESSION_ACTIONS_H

#include "engine/session/session.h"

/* After compiling: creates the tables of the script's aggregations. */
void actions_open(struct dtr *t);
/* Prints or performs one recording action of a record. */
void action_run(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e, const struct rec_act *a);
/* Prints the aggregations that no printa() has printed. */
void action_print_rest(struct dtr *t);
void actions_close(struct dtr *t);

#endif
