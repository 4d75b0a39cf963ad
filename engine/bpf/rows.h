/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of rows of a keyed aggregation: one for each CPU and generation, among the cells of the data map. The
 * program addresses it directly, so a row that is in it costs neither a helper call nor a lock that CPUs share.
 *
 * A row is [tag][key][value]. The tag is 0: free; ROW_BUSY: being filled; else the hash of the key, which is odd. A key
 * is looked for in ROW_PROBES rows. A free one is claimed by compare-and-exchange, because a firing may interrupt
 * another one on the same CPU. A key that finds no row goes to the hash map of the aggregation. So can one whose row
 * was being filled: a key may have several rows, which the snapshot adds.
 *
 * The hash is sum(key[i] * factor[i]) over words, mod 2^64, whose high bits select the row: with random odd factors it
 * is universal (Dietzfelbinger et al., 1997). The factors are random numbers of the session, so nobody who
 * chooses keys can choose collisions.
 *
 * Ownership: none. Errors: none.
 */
#ifndef ENGINE_BPF_ROWS_H
#define ENGINE_BPF_ROWS_H

#include <stdint.h>

#include <stdbool.h>
#include "engine/bpf/bpf.h"
#include "ir/ir.h"

enum { ROW_PROBES = 4, ROW_TAG = 8, ROW_BUSY = 2, ROW_KEY_MAX = 96 };

/* Bytes of a row. */
uint32_t rows_size(const struct ir_obj *o);
/* Number of rows of a table if the aggregation may have `most` on a CPU; 0 = it gets no table. */
uint32_t rows_count(const struct bpf_image *im, const struct ir_obj *o, uint64_t most);
/* True if a row holds a key. */
static inline bool row_used(const uint64_t *row)
{
	return __atomic_load_n(row, __ATOMIC_ACQUIRE) & 1;
}
/* Factor of word i of a key; odd. */
uint64_t rows_factor(uint64_t seed, unsigned i);

#endif
