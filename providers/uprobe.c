/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/uprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/shield.h"

enum {
	MANY_SINCE = KERNEL_VERSION(6, 6, 0),
	FILTER_SINCE = KERNEL_VERSION(6, 10, 0),	/* before, a link filters threads instead of processes */
	FLAG_RETURN = 1,	/* BPF_F_UPROBE_MULTI_RETURN */
	COUNTER_SHIFT = 32,	/* of ref_ctr_offset in perf_event_attr.config */
	NOT_SUPPORTED = 524,	/* ENOTSUPP of the kernel: the instruction cannot be probed */
	MANY = 8,		/* closing as many takes 0.2 s */
};

/* The part of union bpf_attr for such a link, which older headers lack. */
struct link_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, pad;
};

bool uprobe_many(void)
{
	return kernel_version() >= MANY_SINCE;
}

static bool add(struct uprobes *u, int fd)
{
	if (u->n == u->room) {
		size_t room = u->room ? 2 * u->room : 16;
		int *v = realloc(u->fd, room * sizeof *v);

		if (!v)
			return false;
		u->fd = v;
		u->room = room;
	}
	u->fd[u->n++] = fd;
	return true;
}

/* Takes the descriptor, or fails with its -errno. */
static int keep(struct uprobes *u, int fd)
{
	if (fd < 0)
		return fd;
	if (add(u, fd))
		return 0;
	close(fd);
	return -ENOMEM;
}

/* A name of the file that the kernel resolves to the same file, even if it was removed. */
static void file_path(char path[32], int fd)
{
	snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* ---- one link for many instructions ---- */

/* The sites in the form that the kernel wants. */
struct link_sites {
	uint64_t *off, *cookie, *counter;
	bool counters;		/* any */
};

static int link_open(const struct uprobe_want *w, const struct link_sites *s, size_t from, size_t n)
{
	struct link_attr a = {
		.prog_fd = (uint32_t)w->prog_fd, .attach_type = UPROBE_MANY,
		.offsets = (uintptr_t)(s->off + from), .cookies = (uintptr_t)(s->cookie + from), .cnt = (uint32_t)n,
		.ref_ctr_offsets = s->counters ? (uintptr_t)(s->counter + from) : 0,
		.multi_flags = w->returns ? FLAG_RETURN : 0,
		.pid = kernel_version() >= FILTER_SINCE ? (uint32_t)w->pid : 0,
	};
	char path[32];
	int fd;

	file_path(path, w->file);
	a.path = (uintptr_t)path;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof a);
	return fd < 0 ? -errno : fd;
}

/* The kernel refuses a link as a whole if one instruction cannot be probed: finds it by halving. */
static int link_part(struct uprobes *u, const struct uprobe_want *w, const struct link_sites *s, size_t from, size_t n)
{
	int r = keep(u, link_open(w, s, from, n));

	if (r != -NOT_SUPPORTED || !w->refused)
		return r;
	if (n == 1) {
		w->refused(w->arg, from, r);
		return 0;
	}
	r = link_part(u, w, s, from, n / 2);
	return r ? r : link_part(u, w, s, from + n / 2, n - n / 2);
}

static int open_many(struct uprobes *u, const struct uprobe_want *w)
{
	struct link_sites s = {
		calloc(w->n, sizeof *s.off), calloc(w->n, sizeof *s.cookie), calloc(w->n, sizeof *s.counter), false,
	};
	int r = s.off && s.cookie && s.counter ? 0 : -ENOMEM;

	for (size_t i = 0; i < w->n && !r; i++) {
		s.off[i] = w->site[i].off;
		s.cookie[i] = w->site[i].cookie;
		s.counter[i] = w->site[i].counter;
		s.counters |= s.counter[i] != 0;
	}
	if (!r)
		r = link_part(u, w, &s, 0, w->n);
	free(s.off);
	free(s.cookie);
	free(s.counter);
	return r;
}

/* ---- a perf event for each instruction ---- */

/* A number in a file of the uprobe PMU's folder, or -1. */
static int pmu_number(const char *name, const char *format)
{
	char path[64];
	int number = -1;
	FILE *f;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/uprobe/%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, format, &number) != 1)
		number = -1;
	if (f)
		fclose(f);
	return number;
}

static int event_link(int event, int prog, uint64_t cookie)
{
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof a);
	a.link_create.prog_fd = (uint32_t)prog;
	a.link_create.target_fd = (uint32_t)event;
	a.link_create.attach_type = BPF_PERF_EVENT;
	a.link_create.perf_event.bpf_cookie = cookie;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof a);
	return fd < 0 ? -errno : fd;
}

static int open_event(struct uprobes *u, const struct uprobe_want *w, const struct perf_event_attr *attr, size_t i)
{
	struct perf_event_attr a = *attr;
	int r, event;

	a.probe_offset = w->site[i].off;
	a.config |= w->site[i].counter << COUNTER_SHIFT;
	event = (int)syscall(SYS_perf_event_open, &a, w->pid ? w->pid : -1, w->pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	r = keep(u, event_link(event, w->prog_fd, w->site[i].cookie));
	close(event);	/* the link holds it */
	return r;
}

static int open_each(struct uprobes *u, const struct uprobe_want *w)
{
	int type = pmu_number("type", "%d"), bit = pmu_number("format/retprobe", "config:%d"), r = 0;
	struct perf_event_attr a = { .size = sizeof a, .type = (uint32_t)type };
	char path[32];

	if (type < 0 || bit < 0)
		return -ENODEV;
	file_path(path, w->file);
	a.uprobe_path = (uintptr_t)path;
	a.config = w->returns ? 1ull << bit : 0;
	for (size_t i = 0; i < w->n && !r; i++) {
		r = open_event(u, w, &a, i);
		if (w->refused && (r == -NOT_SUPPORTED || r == -EOPNOTSUPP)) {
			w->refused(w->arg, i, r);
			r = 0;
		}
	}
	return r;
}

/* ---- both ---- */
static const char *error_text(int err)
{
	switch (err) {
	case NOT_SUPPORTED:
		return "an instruction that cannot be probed";
	case ENODEV:
		return "this kernel has no uprobes";
	default:
		return strerror(err);
	}
}

/* What the helper does (base/shield.h). */
struct opening {
	struct uprobes *u;
	const struct uprobe_want *want;
};

static int open_all(void *arg)
{
	const struct opening *o = arg;

	return uprobe_many() ? open_many(o->u, o->want) : open_each(o->u, o->want);
}

int uprobes_open(struct uprobes *u, const struct uprobe_want *w, char *reason, size_t n)
{
	struct opening o = { u, w };
	int r = w->n ? shield_run(open_all, &o) : 0;

	if (r)
		snprintf(reason, n, "%s", error_text(-r));
	return r;
}

/* ---- closing ---- */

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* In the child: keeps only these descriptors, and closes them when the parent has closed its own: who closes a
 * descriptor last waits. */
static _Noreturn void close_alone(const struct uprobes *u, int parent)
{
	int next = 0;
	char c;

	setsid();
	for (size_t i = 0; i < u->n; i++) {
		if (u->fd[i] > next)
			syscall(SYS_close_range, next, u->fd[i] - 1, 0);
		next = u->fd[i] + 1;
	}
	syscall(SYS_close_range, next, ~0u, 0);
	while (read(parent, &c, 1) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < u->n; i++)
		close(u->fd[i]);
	_exit(0);
}

/* A pipe that ends when the parent has closed its descriptors. Returns the other end, and adds this one; or -1. */
static int closing_pipe(struct uprobes *u, int *end)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	if (!add(u, fd[0])) {
		close(fd[0]);
		close(fd[1]);
		return -1;
	}
	*end = fd[1];
	return fd[0];
}

/*
 * Closing waits for RCU, for a perf event while it holds a lock, so threads do not help. A process of its own, whose
 * parent is init, holds many descriptors until they are closed. Their programs do nothing any more. Returns a
 * descriptor to close when the others are closed, or -1.
 */
static int close_elsewhere(struct uprobes *u)
{
	int end = -1, parent = closing_pipe(u, &end), status;
	pid_t pid;

	qsort(u->fd, u->n, sizeof *u->fd, compare_fds);
	pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			close_alone(u, parent);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return end;
}

static int close_all(void *arg)
{
	const struct uprobes *u = arg;

	for (size_t i = 0; i < u->n; i++)
		close(u->fd[i]);
	return 0;
}

void uprobes_move(struct uprobes *to, struct uprobes *from)
{
	for (size_t i = 0; i < from->n; i++)
		keep(to, from->fd[i]);
	free(from->fd);
	*from = (struct uprobes){ 0 };
}

void uprobes_close(struct uprobes *u)
{
	int end = u->n > MANY ? close_elsewhere(u) : -1;

	if (u->n)
		shield_run(close_all, u);
	if (end >= 0)
		close(end);
	free(u->fd);
	*u = (struct uprobes){ 0 };
}
