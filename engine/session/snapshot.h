/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations for the user of the library: dtr_snapshot, dtr_agg, dtr_agg_rows of dtr.h.
 *
 * The session prints aggregations from tables of its own (actions.h), which records change as they are printed. A
 * snapshot has other tables. Keys become texts when their rows are asked for.
 *
 * Ownership: the session owns the tables and rows. Errors: see dtr.h.
 */
#ifndef ENGINE_SESSION_SNAPSHOT_H
#define ENGINE_SESSION_SNAPSHOT_H

#include "engine/session/session.h"

/* Idempotent. */
void snapshot_close(struct dtr *t);

#endif
