/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The row table of a keyed aggregation: one for each CPU and generation, among the cells of the data map. The program
 * addresses it directly, so a key that has a row in it needs no helper call, and no cache line that CPUs share.
 *
 * A table is a head and `rows` rows, a power of two. A row is [tag][key][value]. Its tag is 0 if it is free, ROW_BUSY
 * while its key is being stored, and otherwise the key's hash, made odd. The program looks at ROW_PROBES consecutive
 * rows. It claims a free one by compare-and-exchange, because a firing may interrupt another one on the same CPU,
 * stores the key and then the tag. Rows become free only when the generation is emptied, after every program that
 * could use it has ended.
 *
 * A key without a row uses the hash map of the aggregation instead. A key can have several rows, or a row and an
 * element of the hash map, if a firing interrupted the one that stored the key. The snapshot adds them up.
 *
 * The hash is the sum of x[i] * factor[i] mod 2^64 over the 32-bit halves x[i] of the key's words. With random factors,
 * any two different keys have the same L <= 32 high bits with probability 2^-L (Dietzfelbinger, 1996). The factors come
 * from a secret seed of the session, so nobody can choose keys that collide. (With one factor for each 64-bit word,
 * keys that differ in the top bit of two words would always have the same hash.) The number of the first row is the
 * high bits of a permutation of h = hash >> 32: h ^= h >> 16; h *= ROW_MIX mod 2^32. Without it, one session in a
 * hundred would put most of a sequence of numbers into a few rows, because the hash of a sequence is a sequence.
 *
 * Stacks of a few dozen frames have tables, too, in which each has a number (the value). All CPUs share them, and rows
 * change only when they are filled. A stack can have several numbers, if two CPUs store it at once.
 *
 * Ownership: none. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_ROWS_H
#define ENGINE_BPF_CODE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct asm_buf;
struct bpf_image;
struct ir_obj;

enum { ROW_PROBES = 4, ROW_TAG = 8, ROW_BUSY = 2, ROW_KEY_MAX = 96 };

#define ROW_MIX 0x9e3779b1u	/* 2^32 divided by the golden ratio */

/* The head is the cache line before the first row. */
enum { ROW_HEAD = 64 };
struct row_head {
	uint64_t used;		/* rows that were claimed; increased before the row's tag is stored */
	uint64_t missed;	/* uses of the hash map; increased before each use */
};

/* Bytes of a row, a multiple of the cache line. */
uint32_t rows_size(const struct ir_obj *o);
/* Computes the most bytes that the rows of a table may have, so that those of all tables have at most par.tables. 0 if
 * the program looks up rows in so many places that loading it would take long. */
uint32_t rows_share(const struct bpf_image *im);
/* Number of rows of a table if the aggregation may have `most` on a CPU: a power of two, or 0 for no table. */
uint32_t rows_count(const struct bpf_image *im, const struct ir_obj *o, uint64_t most);
/* Number of rows of the table for stacks that all CPUs share; 0 = none. most: elements of the object's map. */
uint32_t rows_stacks(const struct bpf_image *im, const struct ir_obj *o, uint64_t most);
/* Bytes of a table and its head; 0 if it has no rows. */
uint32_t rows_table(const struct ir_obj *o, uint32_t rows);
/* True if a row holds a key. The caller may then read the key and the value. */
static inline bool row_used(const uint64_t *row)
{
	return __atomic_load_n(row, __ATOMIC_ACQUIRE) & 1;
}
/* Factor of the i-th half word of a key. */
uint64_t rows_factor(uint64_t seed, unsigned i);

/* ---- the generated code of both kinds of tables (vars.h): R5 = first row ---- */
/* R1 = hash -> R1 = number of the first row to look at. R0 is lost. */
void rows_first(struct asm_buf *a, uint32_t rows);
/* R2 = the row to look at in this probe; probes count from 0, in order. size: bytes of a row. The number in R1 is
 * masked at each step, so the verifier sees the same bounds and need not follow the rest of the program for each. */
void rows_at(struct asm_buf *a, int probe, uint32_t rows, uint32_t size);

#endif
