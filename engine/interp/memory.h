/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that programs in the interpreter can read: the current memory of the user's own processes, and the image
 * of kernel memory (engine/interp/image.h). Everything else is a fault.
 *
 * Ownership: the arena owns everything. Errors: reads return -EFAULT.
 */
#ifndef ENGINE_INTERP_MEMORY_H
#define ENGINE_INTERP_MEMORY_H

#include "engine/interp/image.h"
#include "engine/interp/world.h"

struct memory {
	const struct world *world;
	struct image *image;		/* NULL: not used */
	struct image_past past;
};

/* Sets the world's memory functions. kernel: the program reads kernel memory. */
void memory_init(struct memory *m, struct arena *a, const struct d_prog *p, struct world *w, bool kernel);
/* Discards cached data; call it before each firing. */
void memory_forget(struct memory *m);

#endif
