/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples without any help of the kernel: /proc says who has run. Neither program counters nor stacks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/user/tasks.h"

struct sample_source {
	int dummy;
};

static int proc_open(struct sample_source **out, const struct source_want *w, char *why, size_t n)
{
	*out = arena_alloc(w->arena, sizeof **out);
	snprintf(why, n, "not yet");
	return -ENOSYS;
}

static int proc_start(struct sample_source *s, const uint64_t *interval, unsigned n, char *why, size_t size)
{
	(void)s, (void)interval, (void)n, (void)why, (void)size;
	return -ENOSYS;
}

static int proc_next(struct sample_source *s, struct source_item *out)
{
	(void)s, (void)out;
	return 0;
}

static void proc_close(struct sample_source *s)
{
	(void)s;
}

const struct source_ops source_proc = { .name = "proc", .open = proc_open, .start = proc_start, .next = proc_next, .close = proc_close };
