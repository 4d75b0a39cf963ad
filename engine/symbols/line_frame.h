/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of a function at an address (lines.h, golines.h).
 *
 * Ownership: texts belong to those who have found them. Errors: none.
 */
#ifndef ENGINE_SYMBOLS_LINE_FRAME_H
#define ENGINE_SYMBOLS_LINE_FRAME_H

#include <stdint.h>

enum { LINES_MAX = 64 };		/* frames at an address */

struct line_frame {
	const char *name;		/* of an inlined function, mangled if it has such a name; NULL: the function
					 * whose code this is */
	const char *file;		/* path of the source; NULL: unknown */
	uint32_t line;			/* 0: unknown */
};

#endif
