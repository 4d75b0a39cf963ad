/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kept inputs: a text file with one input per line (special characters as "\n", "\\" and "\xNN", comments begin with
 * '#'), so that a change is one line in a diff; or a folder with one input per file.
 *
 * Who owns what: the arena owns everything. What can fail: reading (-errno), a line that is malformed (-EINVAL).
 */
#ifndef TESTS_FUZZ_INPUTS_H
#define TESTS_FUZZ_INPUTS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

struct input {
	const char *name;	/* a file's name, or "line N" */
	const uint8_t *data;
	size_t size;
};

struct inputs {
	VEC(struct input) list;
};

/* Appends the inputs of a text file or a folder. */
int inputs_read(struct inputs *in, struct arena *a, const char *path);
/* One input as a line. */
void input_print(struct buf *out, const struct input *in);

#endif
