/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table of code that a process has generated: ranges of addresses with names. Of overlapping ranges the newest wins.
 * Ranges may have times (CLOCK_MONOTONIC, ns; 0 = none): they are then found as of a time.
 *
 * The contents are untrusted. The number of ranges, the length of names and the work of a search are bounded.
 *
 * Ownership: jit_codes_free frees everything (idempotent). Errors: what does not fit or finds no memory is not stored
 * and sets `full` or `nomem`.
 */
#ifndef ENGINE_SYMBOLS_JIT_CODES_H
#define ENGINE_SYMBOLS_JIT_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	JIT_CODES_MAX = 1 << 20,	/* ranges in a table */
	JIT_NAME_MAX = 1000,		/* bytes of a name; the rest is not stored */
};

struct jit_code {
	uint64_t start, end;
	uint64_t since, until;		/* loaded, moved away; 0 = unknown, not yet */
	uint64_t off;			/* bytes of all ranges that were added before, or moved */
	uint32_t name;			/* offset in `names` */
};

/* Code that a process describes. Ranges that are empty or wrap around are ignored. */
struct jit_range {
	uint64_t start, size;		/* bytes */
	uint64_t since;			/* when it was loaded; 0 = unknown */
};

struct jit_codes {
	struct jit_code *v;		/* in the order in which they were added */
	uint32_t n, room;
	uint64_t bytes;			/* of all ranges */
	char *names;
	size_t names_len, names_room;
	uint32_t *starts;		/* hash table: start -> its newest range + 1 */
	uint32_t nstarts;
	uint64_t factor;		/* of its hash function */
	uint32_t *order;		/* the ranges by start; valid up to `ordered` */
	uint64_t *reach;		/* for each block of `order`: its highest end */
	uint32_t ordered;
	bool full, nomem;
};

void jit_codes_free(struct jit_codes *c);
/* Adds a range; name[len] need not be terminated. */
void jit_codes_add(struct jit_codes *c, const struct jit_range *r, const char *name, size_t len);
/* Moves the newest range that starts at `from`, if there is one. */
void jit_codes_move(struct jit_codes *c, uint64_t from, uint64_t to, uint64_t size, uint64_t time);
/* The range that contained an address at a time (0: now); if there was none, the next later one. NULL: neither. Valid
 * until the table changes. */
const struct jit_code *jit_codes_find(struct jit_codes *c, uint64_t addr, uint64_t at);
const char *jit_codes_name(const struct jit_codes *c, const struct jit_code *x);
/* The time of the last change that is not after `at` (0: now); 0 = none. */
uint64_t jit_codes_changed(const struct jit_codes *c, uint64_t at);

#endif
