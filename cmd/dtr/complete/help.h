/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of a command, read from its own help: the line "usage:" and the rows that begin with an option.
 *
 *	  -i PERIOD = $1	length of a period
 *
 * Ownership: the arena. Errors: none.
 */
#ifndef CMD_DTR_COMPLETE_HELP_H
#define CMD_DTR_COMPLETE_HELP_H

#include "base/arena.h"

struct help_option {
	const char *name;		/* "-i", "--json" */
	const char *value;		/* the name of its value, as "PERIOD"; NULL: none */
	const char *text;		/* "" if the help has no row for it */
};

struct help_options {
	VEC(struct help_option) v;
	VEC(struct help_option) settings;	/* for -x: the name, the default value, the description */
};

void help_options_read(struct help_options *o, struct arena *a, const char *help);
/* NULL: there is none of this name. */
struct help_option *help_options_find(const struct help_options *o, const char *name);

#endif
