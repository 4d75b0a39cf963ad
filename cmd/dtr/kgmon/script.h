/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The script of a session of `dtr kgmon`, and a description of what it measures.
 * Ownership: plain data. Errors: a message on standard error and -1.
 */
#ifndef CMD_DTR_KGMON_SCRIPT_H
#define CMD_DTR_KGMON_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/dtr.h"

struct kgmon_want {
	const char *rate;		/* what follows "profile-" */
	const char *pid, *object;	/* NULL: not given; both NULL: the kernel */
	const char *aggsize;		/* NULL: the default */
	bool arcs;			/* from stacks, or callers */
	const char *calls;		/* count calls of these functions of the kernel; NULL: none */
};

/* prog: our name, for messages. */
int kgmon_script(struct dtr_kept_about *out, const char *prog, const struct kgmon_want *w);

#endif
