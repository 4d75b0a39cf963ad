/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that programs of the rootless engine may ask for. Of processes: what they have now, if they are the user's own. Of
 * the kernel: what /proc and the sample tell of the current thread, at the addresses where struct task_struct and what it
 * points to have it, so that builtins and translators find it. All else is a fault.
 *
 * Who owns what: the arena owns everything. What can fail: reading (-EFAULT).
 */
#ifndef ENGINE_USER_MEMORY_H
#define ENGINE_USER_MEMORY_H

#include "engine/user/world.h"

struct memory {
	struct arena *arena;
	const struct d_prog *prog;
	const struct world *world;
	uint8_t *bytes, *known;		/* an image of the structures, and which bytes of it mean something; NULL: no need */
	int64_t *place;			/* where members are in it, -1 = this kernel has no such member */
	uint8_t *size;			/* of each */
	bool filled;			/* for the current sample */
	bool past;			/* samples of another time: this machine's processes are others */
};

/* Sets the world's memory. kernel: the program reads that of the kernel. */
void memory_init(struct memory *m, struct arena *a, const struct d_prog *p, struct world *w, bool kernel);
/* Where the current thread's struct task_struct is, or 0. */
uint64_t memory_task(const struct memory *m);
/* The next question is about another sample. */
void memory_forget(struct memory *m);

#endif
