/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations that the image of kernel memory (image.h) and its members (image_rows.h) share.
 * Ownership: plain data. Errors: none.
 */
#ifndef ENGINE_INTERP_IMAGE_PAST_H
#define ENGINE_INTERP_IMAGE_PAST_H

#include <stdbool.h>

/* Limits of samples from another time. */
struct image_past {
	bool past;		/* samples are from another time, so /proc does not apply */
	bool nouids, nocpu;	/* samples have no user IDs, no CPU */
	bool groups;		/* samples have control groups */
	const char *hierarchy;	/* of the control groups: options.hierarchy */
};

/* A structure that is reachable by pointers from the current thread's task_struct. IMAGE_TASK: this task_struct. */
enum image_start { IMAGE_NOWHERE = -1, IMAGE_TASK };

#endif
