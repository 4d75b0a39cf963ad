/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that programs of the rootless engine may ask for. Of processes: what they have now, if they are the user's own. Of
 * the kernel: engine/interp/image.h. All else is a fault.
 *
 * Who owns what: the arena owns everything. What can fail: reading (-EFAULT).
 */
#ifndef ENGINE_INTERP_MEMORY_H
#define ENGINE_INTERP_MEMORY_H

#include "engine/interp/image.h"
#include "engine/interp/world.h"

struct memory {
	const struct world *world;
	struct image *image;		/* NULL: no need */
	struct image_past past;
};

/* Sets the world's memory. kernel: the program reads that of the kernel. */
void memory_init(struct memory *m, struct arena *a, const struct d_prog *p, struct world *w, bool kernel);
/* The next question is about another sample. */
void memory_forget(struct memory *m);

#endif
