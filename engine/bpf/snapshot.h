/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads aggregations from the kernel.
 * Ownership: buffers are freed before returning. Errors: -errno; what was read until then is in the tables.
 */
#ifndef ENGINE_BPF_SNAPSHOT_H
#define ENGINE_BPF_SNAPSHOT_H

struct agg_desc;
struct agg_table;
struct bpf_loaded;

/* Flips the aggregation's generation. Returns the old one, which no program writes after a barrier; 0 if there is only
 * one generation. */
unsigned snapshot_flip(const struct bpf_loaded *l, const struct agg_desc *desc);
/* Called every few hundred rows while a table is read, which can take seconds. */
struct snapshot_pause {
	void (*meanwhile)(void *arg);
	void *arg;
};

/* Reads generation `gen`: adds it to t and empties it. With only one generation, replaces the rows of t instead. pause:
 * may be NULL. Returns 0 or -errno. */
int snapshot_read(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, const struct snapshot_pause *pause);

#endif
