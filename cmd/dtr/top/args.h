/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line of `dtr top`: chooses the script (share/tools/top.d, one of top/, or the user's) and the words for
 * dtr.
 *
 * Ownership: the arena. Errors: a message on standard error.
 */
#ifndef CMD_DTR_TOP_ARGS_H
#define CMD_DTR_TOP_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/dtr/command.h"

enum top_subject { TOP_SCRIPT, TOP_CPU, TOP_EXACT };

struct top_line {
	enum top_subject subject;
	uint64_t period;		/* ns between two snapshots */
	const char *rate;		/* -F, or NULL */
	bool containers;		/* -C: TOP_CPU has a row for each container; otherwise for each process */
	uint64_t sampling;		/* TOP_CPU: ns between two samples of a CPU */
	const char *stacks;		/* TOP_CPU: the script of the stacks */
	bool joined;			/* it runs in the session of the tables; otherwise in one of its own (deep.h) */
};

/* Of struct top_line. What they do not name and top_passes does is dtr's. */
extern const struct command_option top_options[];
extern const char top_passes[];
/* Completes what was parsed into l->self. Returns 0, or -1 after a message. */
int top_expand(struct command_line *l);

#endif
