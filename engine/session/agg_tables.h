/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the session's aggregations from the engine.
 *
 * Stacks that were handed over to user space each have a row of their own in the engine. Before they fill it, they are
 * read early: into tables of their own, because a firing may be between its printa() and its clear().
 *
 * When a process has ended, its addresses in keys are replaced by their texts, unless the output has addresses: rows of
 * several processes that show the same become one. At the end of the session this is done for all processes.
 *
 * Ownership: the session owns the tables. Errors: reported; the session fails.
 */
#ifndef ENGINE_SESSION_AGG_TABLES_H
#define ENGINE_SESSION_AGG_TABLES_H

#include "engine/session/session.h"

/* Updates the tables of the aggregations for which wanted[] is true, and of those that must be read with them, for
 * which it becomes true. Keys get texts where shown[] is true: finding them may read the symbols of many files. */
void agg_tables_read(struct dtr *t, bool *wanted, const bool *shown);
/* Stores all aggregations as they are now in view[], tables of the caller. What the actions of a firing see is
 * unchanged: new rows of aggregations with generations are set aside until agg_tables_read. Returns 0 or -1. */
int agg_tables_view(struct dtr *t, struct agg_table *view);
/* Reads aggregations early if the engine asks for that. Calls meanwhile(t), which may be NULL, from time to time:
 * with many rows it takes seconds, in which the engine's buffers fill. */
void agg_tables_relieve(struct dtr *t, void (*meanwhile)(struct dtr *t));

#endif
