/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line of `dtr top`: chooses the script (share/tools/top.d, top/exact.d, or the user's) and translates the
 * options to a plain dtr command line.
 *
 * Ownership: the arena. Errors: a message on standard error.
 */
#ifndef CMD_DTR_TOP_ARGS_H
#define CMD_DTR_TOP_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum top_subject { TOP_SCRIPT, TOP_CPU, TOP_EXACT };

struct top_line {
	VEC(char *) v;			/* the command line */
	enum top_subject subject;
	uint64_t period;		/* ns between two snapshots */
	uint64_t sampling;		/* TOP_CPU: ns between two samples of a CPU */
};

/* True if the word is "top". */
bool top_is(const char *name);
/* Translates argv, whose word 1 is "top". Returns 0; 1 after printing help; -1 after a message. */
int top_expand(struct top_line *out, struct arena *a, const char *share, int argc, char **argv);

#endif
