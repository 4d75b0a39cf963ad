/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/stack.h"

bool stack_ensure(struct rlimit *before)
{
	struct rlimit more;

	if (getrlimit(RLIMIT_STACK, before)) {
		*before = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
		return true;	/* unknown */
	}
	more = *before;
	more.rlim_cur = STACK_LEAST;
	return before->rlim_cur >= STACK_LEAST || !setrlimit(RLIMIT_STACK, &more);
}

void stack_restore(const struct rlimit *before)
{
	if (before->rlim_cur < STACK_LEAST)
		setrlimit(RLIMIT_STACK, before);
}
