/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames behind the numbers that aggregations have for stacks: what the kernel's tables of stacks hold, read when a
 * number is met that is not known yet.
 * Who owns what: stacks_close frees everything (idempotent). What can fail: a stack that cannot be read has no frames, and `err` says why.
 */
#ifndef ENGINE_BPF_STACKS_H
#define ENGINE_BPF_STACKS_H

#include "engine/bpf/bpf.h"

struct stacks {
	const struct bpf_loaded *loaded;
	uint64_t **v;		/* by number: how many frames, then these; NULL = not known */
	uint64_t n;
	int err;		/* why some have no frames, -errno */
};

/* agg_table.frames; arg: struct stacks *. */
void stacks_frames(void *arg, uint64_t number, uint64_t *pc, uint32_t n);
void stacks_close(struct stacks *s);

#endif
