/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The script of `dtr prog`: one of share/tools/prog.d, prog/lines.d, prog/times.d and prog/vars.d, with the probes that
 * the user has chosen instead of its own, and clauses for the start and the end of partial profiles and for blocks.
 *
 * Ownership: the arena. Errors: a message on standard error and NULL.
 */
#ifndef CMD_DTR_PROG_SCRIPT_H
#define CMD_DTR_PROG_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum prog_kind { PROG_PROCS, PROG_LINES, PROG_VARS, PROG_KINDS };

/* Of the probes of PROG_PROCS in ns, as in share/tools/prog.d. All 0: unknown. */
struct prog_cost {
	int64_t entry, returns, replaced, copied;
};

/* The cost of a call and its return, where the kernel emulates the first instruction. */
static inline int64_t prog_cost_call(const struct prog_cost *c)
{
	return c->entry + (c->returns ? c->returns + c->copied : c->replaced);
}

struct prog_want {
	enum prog_kind kind;
	VEC(const char *) objects;	/* what to measure; none: the whole program */
	VEC(const char *) blocks;	/* "file.c:10-20" */
	bool times;			/* of lines; blocks always have times */
	struct prog_cost cost;
	bool net;			/* it is subtracted */
	const char *from, *to;		/* where measuring starts and stops; NULL: from the beginning, to the end */
};

/* prog: our name, for messages; share: the directory of the scripts. Returns the text of the script. Its
 * arguments, if the cost is known: prog_cost_call(), and if it is subtracted, the members of struct prog_cost. */
const char *prog_script(struct arena *a, const char *prog, const char *share, const struct prog_want *w);

#endif
