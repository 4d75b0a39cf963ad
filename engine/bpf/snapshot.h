/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads aggregations. Who owns what: buffers are freed before returning. What can fail: -errno; what was read so far
 * is in the tables.
 */
#ifndef ENGINE_BPF_SNAPSHOT_H
#define ENGINE_BPF_SNAPSHOT_H

#include "aggregation/agg.h"
#include "engine/bpf/bpf.h"

/* Flips the aggregation's generation; returns the one that is not written any more (after a barrier), or 0 if there
 * is only one. */
unsigned snapshot_flip(const struct bpf_loaded *l, const struct agg_desc *desc);
/* Reads generation `gen`: adds to t and empties it, or replaces the rows where there is only one. 0 or -errno. */
int snapshot_read(const struct bpf_loaded *l, struct agg_table *t, unsigned gen);

#endif
