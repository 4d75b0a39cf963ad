/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hardware breakpoints in all threads of a process. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/breakpoint.h"
#include "providers/perf.h"
#include "providers/watch/watch.h"

enum { TRIES = 1000 };

/* ---- threads ---- */
struct threads {
	pid_t *v;
	size_t n, room;
};

static bool threads_add(struct threads *t, pid_t tid)
{
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		pid_t *v = realloc(t->v, room * sizeof *v);

		if (!v)
			return false;
		t->v = v;
		t->room = room;
	}
	t->v[t->n++] = tid;
	return true;
}

static int threads_read(struct threads *t, int64_t pid)
{
	const struct dirent *e;
	char path[64];
	int r = 0;
	DIR *dir;

	t->n = 0;
	snprintf(path, sizeof path, "/proc/%" PRId64 "/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!r && (e = readdir(dir)))
		if (atoi(e->d_name) > 0 && !threads_add(t, atoi(e->d_name)))
			r = -ENOMEM;
	closedir(dir);
	return r;
}

static bool is_subset(const struct threads *of, const struct threads *t)
{
	for (size_t i = 0, k; i < t->n; i++) {
		for (k = 0; k < of->n && of->v[k] != t->v[i];)
			k++;
		if (k == of->n)
			return false;
	}
	return true;
}

/* ---- breakpoints ---- */
/* A few: links_close() would have a process for them. */
static void events_close(struct links *e)
{
	for (size_t i = 0; i < e->n; i++)
		close(e->fd[i]);
	e->n = 0;
}

static int open_threads(struct links *e, const struct perf_event_attr *a, const struct threads *t, int prog)
{
	int r = 0;

	for (size_t i = 0; i < t->n && !r; i++) {
		int fd = (int)syscall(SYS_perf_event_open, a, t->v[i], -1, -1, PERF_FLAG_FD_CLOEXEC);

		r = fd < 0 ? -errno : links_keep(e, fd);
		if (!r && ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
			r = -errno;
		if (!r)
			r = perf_enable(fd);
		if (r == -ESRCH)
			r = 0;		/* it has ended */
	}
	return !r && !e->n ? -ESRCH : r;
}

/*
 * A thread that is created while its creator gets the breakpoint may inherit it, inherit it without the program, or not
 * at all. So all of them are opened again until no thread appears meanwhile. From then on, threads inherit them.
 */
static int open_all(struct watch_probe *d, int prog)
{
	struct perf_event_attr a = breakpoint_attr(d->write ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW, d->addr, d->size);
	struct threads before = { 0 }, after = { 0 };
	int r = threads_read(&before, d->pid);

	a.inherit = 1;
	a.inherit_thread = !d->forks;
	for (unsigned i = 0; !r; i++) {
		struct threads t = before;

		r = open_threads(&d->events, &a, &before, prog);
		if (!r)
			r = threads_read(&after, d->pid);
		if (r || is_subset(&before, &after))
			break;
		r = i == TRIES ? -EAGAIN : 0;
		events_close(&d->events);
		before = after;
		after = t;
	}
	free(before.v);
	free(after.v);
	return r;
}

static void describe_error(const struct watch_probe *d, int err, char *reason, size_t n)
{
	size_t mine = d->state->attached;

	switch (-err) {
	case ENOSPC:
		snprintf(reason, n, "all hardware breakpoints of the process's threads are in use: %zu by this "
			 "script%s", mine, mine < 4 ? ", others by another tracer or a debugger" : " (a CPU has 4)");
		break;
	case ENODEV: case ENOENT: case EOPNOTSUPP: case ENXIO:
		snprintf(reason, n, "this machine has no hardware breakpoints (as some virtual machines)");
		break;
	case ENODATA:
		snprintf(reason, n, "hardware breakpoints do not fire on this machine (as on some virtual machines)");
		break;
	case EAGAIN:
		snprintf(reason, n, "the process creates threads all the time");
		break;
	case EINVAL:
		snprintf(reason, n, "%s", d->write ? "not an address of the process" :
			 "not an address of the process, or this machine has no breakpoints for reads");
		break;
	default:
		snprintf(reason, n, "%s", perf_reason(err));
	}
}

void watch_remove(struct watch_probe *d)
{
	if (d->events.n)
		d->state->attached--;
	events_close(&d->events);
}

/* A probe that moves may have no address yet. */
int watch_attach(struct probe *p, struct attach_env *env)
{
	struct watch_probe *d = watch_probe_of(p);
	int r = breakpoint_fires(d->write ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW) == 0 ? -ENODATA : 0;

	if (!r && d->addr)
		r = open_all(d, env->prog_fd);
	d->env = env;
	if (r) {
		describe_error(d, r, env->reason, sizeof env->reason);
		events_close(&d->events);
		watch_detach(p);
		return r;
	}
	d->state->attached += d->events.n > 0;
	return 0;
}

void watch_detach(struct probe *p)
{
	struct watch_probe *d = watch_probe_of(p);

	watch_remove(d);
	free(d->events.fd);
	d->events = (struct links){ 0 };
	d->env = NULL;
}
