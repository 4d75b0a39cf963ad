/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/uprobe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "base/shield.h"
#include "providers/perf.h"

enum {
	FLAG_RETURN = 1,	/* BPF_F_UPROBE_MULTI_RETURN */
	COUNTER_SHIFT = 32,	/* of ref_ctr_offset in perf_event_attr.config */
	NOT_SUPPORTED = 524,	/* ENOTSUPP of the kernel: the instruction cannot be probed */
};

/* The part of union bpf_attr for such a link, which older headers lack. */
struct link_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, pad;
};

static int link_create(const struct link_attr *a)
{
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, a, sizeof *a);

	return fd < 0 ? -errno : fd;
}

/* What the kernel says to a link on a directory. A kernel without such links says EINVAL before it looks at the file.
 * EBADF: it is not a file. */
static int try_link(int prog_fd, int pid)
{
	static const uint64_t off;

	return link_create(&(struct link_attr){
		.prog_fd = (uint32_t)prog_fd, .attach_type = UPROBE_MANY, .path = (uintptr_t)"/",
		.offsets = (uintptr_t)&off, .cnt = 1, .pid = (uint32_t)pid,
	});
}

bool uprobe_many(void)
{
	int fd = links_try(BPF_PROG_TYPE_KPROBE, UPROBE_MANY, 0);
	bool many = fd >= 0 && try_link(fd, 0) == -EBADF;

	if (fd >= 0)
		close(fd);
	return many;
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
	uint32_t pid;		/* 0: all processes; the program selects */
};

/* The kernel refuses a link as a whole if one instruction cannot be probed: finds it by halving. */
static int link_part(struct links *u, const struct uprobe_want *w, const struct link_sites *s, size_t from, size_t n)
{
	struct link_attr a = {
		.prog_fd = (uint32_t)w->prog_fd, .attach_type = UPROBE_MANY,
		.offsets = (uintptr_t)(s->off + from), .cookies = (uintptr_t)(s->cookie + from), .cnt = (uint32_t)n,
		.ref_ctr_offsets = s->counters ? (uintptr_t)(s->counter + from) : 0,
		.multi_flags = w->returns ? FLAG_RETURN : 0,
		.pid = s->pid,
	};
	char path[32];
	int r;

	file_path(path, w->file);
	a.path = (uintptr_t)path;
	r = links_keep(u, link_create(&a));
	if (r != -NOT_SUPPORTED || !w->refused)
		return r;
	if (n == 1) {
		w->refused(w->arg, from, r);
		return 0;
	}
	r = link_part(u, w, s, from, n / 2);
	return r ? r : link_part(u, w, s, from + n / 2, n - n / 2);
}

static int open_many(struct links *u, const struct uprobe_want *w)
{
	/* kernels before 6.10 compare the ID with threads instead of processes, and do not refuse an invalid one */
	bool filters = w->pid && try_link(w->prog_fd, -1) == -EINVAL;
	struct link_sites s = {
		.off = calloc(w->n, sizeof *s.off), .cookie = calloc(w->n, sizeof *s.cookie),
		.counter = calloc(w->n, sizeof *s.counter), .pid = filters ? (uint32_t)w->pid : 0,
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

static int open_event(struct links *u, const struct uprobe_want *w, const struct perf_event_attr *attr, size_t i)
{
	struct perf_event_attr a = *attr;
	int r, event;

	a.probe_offset = w->site[i].off;
	a.config |= w->site[i].counter << COUNTER_SHIFT;
	event = (int)syscall(SYS_perf_event_open, &a, w->pid ? w->pid : -1, w->pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	r = links_keep(u, links_event(event, w->prog_fd, w->site[i].cookie));
	close(event);	/* the link holds it */
	return r;
}

static int open_each(struct links *u, const struct uprobe_want *w)
{
	int type = perf_pmu_number("uprobe", "type", "%d"), r = 0;
	int bit = perf_pmu_number("uprobe", "format/retprobe", "config:%d");
	struct perf_event_attr a = { .size = sizeof a, .type = (uint32_t)type };
	char path[32];

	if (type < 0 || bit < 0)
		return type < 0 ? type : bit;
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
		return errno_text(err);
	}
}

/* What the helper does (base/shield.h). */
struct opening {
	struct links *u;
	const struct uprobe_want *want;
};

static int open_sites(void *arg)
{
	const struct opening *o = arg;

	return uprobe_many() ? open_many(o->u, o->want) : open_each(o->u, o->want);
}

int uprobes_open(struct links *u, const struct uprobe_want *w, char *reason, size_t n)
{
	struct opening o = { u, w };
	int r = w->n ? shield_run(open_sites, &o) : 0;

	if (r)
		snprintf(reason, n, "%s", error_text(-r));
	return r;
}
