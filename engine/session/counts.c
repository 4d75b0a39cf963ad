/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of events (struct dtr_counts): a perf event for each event and each thread or CPU. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/dtr.h"
#include "engine/host/cpus.h"
#include "providers/event.h"
#include "providers/perf.h"

/* An event. */
struct counts_event {
	char *name;
	const char *event;
	struct perf_event_attr attr;
	enum event_kind kind;
	bool user_only;
	char *reason;
	int *fd;			/* by place; -1: the thread or the CPU has gone */
};

struct dtr_counts {
	struct counts_event *v;
	unsigned n;
	int *place;			/* threads, or CPUs */
	unsigned nplaces;
	bool process;			/* the places are threads */
};

/* ---- where ---- */

static int add_place(struct dtr_counts *c, int place)
{
	int *more = reallocarray(c->place, c->nplaces + 1, sizeof *more);

	if (!more)
		return -ENOMEM;
	c->place = more;
	c->place[c->nplaces++] = place;
	return 0;
}

static int find_threads(struct dtr_counts *c, pid_t pid)
{
	char path[64];
	int err = 0;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	d = opendir(path);
	if (!d)
		return errno == ENOENT ? -ESRCH : -errno;
	for (struct dirent *e; !err && (e = readdir(d));)
		if (*e->d_name != '.')
			err = add_place(c, atoi(e->d_name));
	closedir(d);
	return err ? err : c->nplaces ? 0 : -ESRCH;
}

static int find_cpus(struct dtr_counts *c)
{
	unsigned max = cpus_possible();

	c->place = calloc(max, sizeof *c->place);
	if (!c->place)
		return -ENOMEM;
	c->nplaces = cpus_online(c->place, max);
	return 0;
}

/* ---- what ---- */

/* Removes ":u", ":k" or ":uk" from the end of a name. */
static void split_mode(char *name, struct perf_event_attr *attr)
{
	char *colon = strrchr(name, ':');
	bool user, kernel;

	if (!colon || !colon[1] || strspn(colon + 1, "uk") != strlen(colon + 1))
		return;
	user = strchr(colon, 'u');
	kernel = strchr(colon, 'k');
	*colon = '\0';
	attr->exclude_user = !user;
	attr->exclude_kernel = attr->exclude_hv = !kernel;
}

static int name_event(struct counts_event *e, const char *name, const struct dtr_counts_args *a, char *reason, size_t n)
{
	struct perf_event_attr mode = { 0 };
	char *bare = strdup(name);
	int kind;

	e->name = strdup(name);
	if (!bare || !e->name) {
		free(bare);
		snprintf(reason, n, "out of memory");
		return -ENOMEM;
	}
	split_mode(bare, &mode);
	kind = event_attr(bare, "", &e->attr, reason, n);
	e->kind = kind < 0 ? EVENT_HARDWARE : (enum event_kind)kind;
	e->event = event_find(bare) ? event_find(bare)->name : NULL;
	free(bare);
	e->attr.exclude_user = mode.exclude_user;
	e->attr.exclude_kernel = mode.exclude_kernel;
	e->attr.exclude_hv = mode.exclude_hv;
	e->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	e->attr.disabled = 1;
	e->attr.inherit = a->pid > 0;
	e->attr.enable_on_exec = a->pid > 0 && a->on_exec;
	return kind < 0 ? kind : 0;
}

/* ---- opening ---- */

static int open_place(const struct dtr_counts *c, struct counts_event *e, unsigned i)
{
	pid_t pid = c->process ? c->place[i] : -1;
	int cpu = c->process ? -1 : c->place[i];
	int fd = (int)syscall(SYS_perf_event_open, &e->attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Without the privilege to count in the kernel, a process of one's own is counted in user mode. */
static bool user_mode_instead(const struct dtr_counts *c, struct counts_event *e, int err)
{
	if ((err != -EACCES && err != -EPERM) || !c->process || e->attr.exclude_kernel || e->attr.exclude_user)
		return false;
	e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	e->user_only = true;
	return true;
}

static bool is_lacking(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -EINVAL;
}

static int open_event(const struct dtr_counts *c, struct counts_event *e, char *reason, size_t n)
{
	e->fd = malloc(c->nplaces * sizeof *e->fd);
	if (!e->fd) {
		snprintf(reason, n, "out of memory");
		return -ENOMEM;
	}
	memset(e->fd, 0xff, c->nplaces * sizeof *e->fd);
	for (unsigned i = 0; i < c->nplaces; i++) {
		int fd = open_place(c, e, i);

		if (user_mode_instead(c, e, fd))
			fd = open_place(c, e, i);
		if (is_lacking(fd)) {
			e->reason = strdup(fd == -EINVAL ? "this machine cannot count it in this mode" :
					   perf_reason(fd));
			return e->reason ? 0 : -ENOMEM;
		}
		if (fd < 0 && fd != -ESRCH && fd != -ENODEV) {
			snprintf(reason, n, "%s: %s", e->name, perf_reason(fd));
			return fd;
		}
		e->fd[i] = fd < 0 ? -1 : fd;
	}
	return 0;
}

static int open_all(struct dtr_counts *c, const struct dtr_counts_args *a, char *reason, size_t n)
{
	int err;

	c->process = a->pid > 0;
	c->v = calloc(a->n + 1, sizeof *c->v);
	err = !c->v ? -ENOMEM : c->process ? find_threads(c, a->pid) : find_cpus(c);
	if (err)
		snprintf(reason, n, "%s", err == -ESRCH ? "no such process" : strerror(-err));
	for (unsigned i = 0; i < a->n && !err; i++) {
		c->n++;
		err = name_event(&c->v[i], a->events[i], a, reason, n);
		if (!err)
			err = open_event(c, &c->v[i], reason, n);
	}
	return err;
}

int dtr_counts_open(struct dtr_counts **out, const struct dtr_counts_args *a, char *reason, size_t n)
{
	struct dtr_counts *c = calloc(1, sizeof *c);
	int err;

	*out = NULL;
	if (!c) {
		snprintf(reason, n, "out of memory");
		return -ENOMEM;
	}
	err = open_all(c, a, reason, n);
	if (err)
		dtr_counts_close(c);
	else
		*out = c;
	return err;
}

/* ---- counting ---- */

static void counters_control(const struct dtr_counts *c, unsigned long request)
{
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->nplaces && !c->v[i].reason; k++)
			if (c->v[i].fd[k] >= 0)
				ioctl(c->v[i].fd[k], request, 0);
}

void dtr_counts_start(struct dtr_counts *c)
{
	counters_control(c, PERF_EVENT_IOC_ENABLE);
}

void dtr_counts_stop(struct dtr_counts *c)
{
	counters_control(c, PERF_EVENT_IOC_DISABLE);
}

/* Only user mode is counted of an event that the scheduler makes. */
static bool event_never(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->exclude_kernel &&
		(a->config == PERF_COUNT_SW_CONTEXT_SWITCHES || a->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static void read_event(const struct dtr_counts *c, const struct counts_event *e, struct dtr_count *out)
{
	uint64_t now[3];	/* count, time enabled, time running */

	*out = (struct dtr_count){
		.name = e->name, .event = e->event, .reason = e->reason, .user_only = e->user_only,
		.time = e->kind == EVENT_CLOCK, .never = event_never(&e->attr),
	};
	for (unsigned i = 0; i < c->nplaces && !e->reason; i++) {
		if (e->fd[i] < 0 || read(e->fd[i], now, sizeof now) != sizeof now)
			continue;
		out->value += now[0];
		out->enabled += now[1];
		out->running += now[2];
	}
}

void dtr_counts_read(const struct dtr_counts *c, struct dtr_count *out)
{
	for (unsigned i = 0; i < c->n; i++)
		read_event(c, &c->v[i], &out[i]);
}

void dtr_counts_close(struct dtr_counts *c)
{
	for (unsigned i = 0; c && i < c->n; i++) {
		for (unsigned k = 0; c->v[i].fd && k < c->nplaces; k++)
			if (c->v[i].fd[k] >= 0)
				close(c->v[i].fd[k]);
		free(c->v[i].fd);
		free(c->v[i].name);
		free(c->v[i].reason);
	}
	if (c) {
		free(c->v);
		free(c->place);
	}
	free(c);
}

const char *dtr_count_name(unsigned i)
{
	const struct event_row *row = event_row(i);

	return row ? row->name : NULL;
}
