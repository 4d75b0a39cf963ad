/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sampling from /proc: it shows how long each thread has run, so the number of its firings is known, but not their
 * addresses. Threads that start and end between two searches are not seen.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "engine/sample/derived.h"

/* Minimum time between two readings of the run times, and between two searches for new processes. */
#define PASS_NS 10000000ull
#define SEARCH_NS 50000000ull

struct proc_source {
	struct source_want want;
	struct tasks tasks;
	struct derived derived;
	uint64_t searched, took;
	bool started, stopped, more;
};

static struct proc_source *proc_source(struct sample_source *handle)
{
	return (struct proc_source *)handle;
}

static int proc_open(struct sample_source **out, const struct source_want *w, char *reason, size_t n)
{
	struct proc_source *s = arena_alloc(w->arena, sizeof *s);
	struct task self = { .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid() };
	uint64_t ns;

	*out = (struct sample_source *)s;
	s->want = *w;
	if (task_ran(&self, &ns))
		return 0;
	snprintf(reason, n, "/proc does not show how long threads have run");
	return -ENOENT;
}

static void proc_found(void *arg, uint32_t pid, uint32_t tid)
{
	struct proc_source *s = arg;
	struct task *t = tasks_find(&s->tasks, tid);

	if (t && t->pid != pid) {	/* the ID belongs to another process now */
		tasks_remove(&s->tasks, t);
		t = NULL;
	}
	if (t)
		return;
	t = tasks_add(&s->tasks, pid, tid);
	if (t && s->started)
		derived_found(&s->derived, t);
}

static void proc_search(struct proc_source *s)
{
	uint64_t now = clock_now();

	if (s->want.target < 0)
		tasks_of_user(geteuid(), !geteuid(), NULL, proc_found, s);
	else
		tasks_of_tree((uint32_t)s->want.target, proc_found, s);
	s->searched = clock_now();
	s->took = s->searched - now;
}

static int proc_start(struct sample_source *handle, const uint64_t *interval, unsigned n, char *reason, size_t size)
{
	struct proc_source *s = proc_source(handle);

	(void)reason, (void)size;
	tasks_init(&s->tasks, n);
	derived_init(&s->derived, s->want.arena, &s->tasks, arena_memdup(s->want.arena, interval, n * sizeof *interval),
		     n);
	s->derived.on = true;
	proc_search(s);
	derived_begin(&s->derived, clock_now(), interval[0] > PASS_NS ? interval[0] : PASS_NS);
	s->started = true;
	return 0;
}

/* Searches take at most about a fiftieth of the time. */
static int proc_next(struct sample_source *handle, struct source_item *out)
{
	struct proc_source *s = proc_source(handle);
	const uint64_t share = 50;

	if (!s->started)
		return 0;
	if (!s->more) {
		if (!s->stopped && clock_now() - s->searched > SEARCH_NS + share * s->took)
			proc_search(s);
		derived_read(&s->derived, s->stopped);
	}
	s->more = derived_next(&s->derived, out);
	return s->more;
}

static int proc_wait(struct sample_source *handle, int wake, uint64_t timeout_ns)
{
	struct proc_source *s = proc_source(handle);
	uint64_t now = clock_now(), due = s->derived.counted + s->derived.every, left = due > now ? due - now : 0;
	struct pollfd p = { .fd = wake, .events = POLLIN };
	struct timespec ts;

	if (!s->started || left > timeout_ns)
		left = timeout_ns;
	ts = (struct timespec){ .tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000) };
	return ppoll(&p, 1, &ts, NULL) < 0 ? -errno : 0;
}

static void proc_stop(struct sample_source *handle)
{
	struct proc_source *s = proc_source(handle);

	s->stopped = true;
}

static void proc_describe(struct sample_source *handle, char *out, size_t n)
{
	struct proc_source *s = proc_source(handle);

	snprintf(out, n, "the /proc data of %s",
		 s->want.target >= 0 ? "the target's tasks" : geteuid() ? "this user's tasks" : "all tasks");
}

static void proc_close(struct sample_source *handle)
{
	struct proc_source *s = proc_source(handle);

	if (s)
		tasks_close(&s->tasks);
}

const struct source_ops source_proc = {
	.name = "proc",
	.blind = true,
	.open = proc_open,
	.start = proc_start,
	.next = proc_next,
	.wait = proc_wait,
	.stop = proc_stop,
	.describe = proc_describe,
	.close = proc_close,
};
