/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sampling by ptrace(2), where perf events are not permitted: in a container with default rights, for example. See
 * tracer.h. Samples have no kernel addresses: a thread stops when it returns from the kernel.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "engine/host/refusal.h"
#include "engine/sample/tracer.h"

struct ptrace_source {
	struct source_want want;
	struct tracer tracer;
	struct captures captures;
};

static struct ptrace_source *ptrace_source(struct sample_source *handle)
{
	return (struct ptrace_source *)handle;
}

static int ptrace_open(struct sample_source **out, const struct source_want *w, char *reason, size_t n)
{
	struct ptrace_source *s = arena_alloc(w->arena, sizeof *s);

	*out = (struct sample_source *)s;
	s->want = *w;
	return tracer_open(&s->tracer, &s->want, reason, n);
}

static int ptrace_start(struct sample_source *handle, const uint64_t *interval, unsigned n, char *reason, size_t size)
{
	struct ptrace_source *s = ptrace_source(handle);
	struct arena *a = s->want.arena;
	int err = captures_open(&s->captures, arena_calloc(a, n, sizeof(uint64_t)), n);

	if (!err)
		return tracer_start(&s->tracer, &s->captures, arena_memdup(a, interval, n * sizeof *interval), n,
				    reason, size);
	snprintf(reason, size, "no event descriptor: %s", refusal_errno(-err));
	return err;
}

static int ptrace_next(struct sample_source *handle, struct source_item *out)
{
	struct ptrace_source *s = ptrace_source(handle);

	return s->captures.last && captures_next(&s->captures, out);
}

static int ptrace_wait(struct sample_source *handle, int wake, uint64_t timeout_ns)
{
	struct ptrace_source *s = ptrace_source(handle);
	struct pollfd p[] = { { .fd = wake, .events = POLLIN },
			      { .fd = s->captures.last ? s->captures.fd : -1, .events = POLLIN } };
	struct timespec ts = { (time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000) };

	return ppoll(p, 2, &ts, NULL) < 0 && errno != EINTR ? -errno : 0;
}

static void ptrace_stop(struct sample_source *handle)
{
	tracer_stop(&ptrace_source(handle)->tracer);
}

static void ptrace_slow(struct sample_source *handle, unsigned rate, unsigned factor)
{
	tracer_slow(&ptrace_source(handle)->tracer, rate, factor);
}

static uint64_t ptrace_stood(struct sample_source *handle)
{
	return ptrace_source(handle)->tracer.stood;
}

static void ptrace_describe(struct sample_source *handle, char *out, size_t n)
{
	(void)handle;
	snprintf(out, n, "samples of the target's threads, which ptrace(2) stops; without the kernel's code");
}

/* Each thread may have a firing more or less than its time. */
static bool ptrace_account(struct sample_source *handle, unsigned rate, int cpu, struct source_account *out)
{
	struct ptrace_source *s = ptrace_source(handle);

	if (cpu >= 0)
		return false;
	*out = (struct source_account){ .due = tracer_due(&s->tracer, rate), .parts = s->tracer.ended,
					.more = s->tracer.ended, .parted = true };
	return true;
}

static void ptrace_lacks(struct sample_source *handle, struct buf *out)
{
	const struct tracer *n = &ptrace_source(handle)->tracer;
	const uint64_t lost = ptrace_source(handle)->captures.lost_events;

	if (lost)
		buf_printf(out, "%swarning: %" PRIu64 " process event%s lost, because dtr was too slow: names of "
			   "functions and processes may be missing", out->len ? "; " : "", lost,
			   lost == 1 ? " was" : "s were");
	if (n->unprivileged)
		buf_printf(out, "%swarning: %" PRIu64 " program%s ran without the privileges of %s, because ptrace(2) "
			   "traced %s", out->len ? "; " : "", n->unprivileged, n->unprivileged == 1 ? "" : "s",
			   n->unprivileged == 1 ? "its file" : "their files", n->unprivileged == 1 ? "it" : "them");
	if (n->refused)
		buf_printf(out, "%swarning: %" PRIu64 " thread%s not sampled: ptrace(2) is not permitted for %s",
			   out->len ? "; " : "", n->refused, n->refused == 1 ? " was" : "s were",
			   n->refused == 1 ? "it" : "them");
	if (n->counts.interrupted)
		buf_printf(out, "%swarning: the sampling ended %" PRIu64 " system call%s of the target with EINTR",
			   out->len ? "; " : "", n->counts.interrupted, n->counts.interrupted == 1 ? "" : "s");
}

static void ptrace_close(struct sample_source *handle)
{
	struct ptrace_source *s = ptrace_source(handle);

	if (!s)
		return;
	tracer_close(&s->tracer);
	captures_close(&s->captures);
}

const struct source_ops source_ptrace = {
	.name = "ptrace",
	.copies = UNWIND_LARGEST,	/* a few microseconds more */
	.stops = true,
	.open = ptrace_open,
	.start = ptrace_start,
	.next = ptrace_next,
	.wait = ptrace_wait,
	.stop = ptrace_stop,
	.slow = ptrace_slow,
	.stood = ptrace_stood,
	.describe = ptrace_describe,
	.account = ptrace_account,
	.lacks = ptrace_lacks,
	.close = ptrace_close,
};
