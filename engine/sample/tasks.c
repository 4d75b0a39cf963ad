/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/sample/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

void tasks_init(struct tasks *ts, unsigned nrates)
{
	*ts = (struct tasks){ .nrates = nrates };
}

void tasks_close(struct tasks *ts)
{
	while (ts->first)
		tasks_remove(ts, ts->first);
}

static struct task **task_slot(const struct tasks *ts, uint32_t tid)
{
	struct task **p = (struct task **)&ts->hash[tid % TASKS_HASH];

	while (*p && (*p)->tid != tid)
		p = &(*p)->next;
	return p;
}

struct task *tasks_find(const struct tasks *ts, uint32_t tid)
{
	return *task_slot(ts, tid);
}

/* ---- /proc ---- */

/* Reads a file of a thread. Returns its length, or -1. */
static ssize_t proc_read(uint32_t pid, uint32_t tid, const char *name, char *out, size_t n)
{
	char path[80];
	ssize_t got;
	int fd;

	snprintf(path, sizeof path, "/proc/%u/task/%u/%s", pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, out, n - 1);
	close(fd);
	if (got >= 0)
		out[got] = '\0';
	return got;
}

bool task_exists(uint32_t pid, uint32_t tid)
{
	char path[80];

	snprintf(path, sizeof path, "/proc/%u/task/%u", pid, tid);
	return !access(path, F_OK);
}

void task_name(struct task *t)
{
	char comm[64];
	ssize_t n = proc_read(t->pid, t->tid, "comm", comm, sizeof comm);

	if (n <= 0)
		return;
	comm[n - (comm[n - 1] == '\n')] = '\0';	/* names may contain newlines, too */
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, comm, strnlen(comm, sizeof t->comm - 1));
}

static void task_user(struct task *t)
{
	char text[4096];
	const char *uid, *gid;

	if (proc_read(t->pid, t->tid, "status", text, sizeof text) <= 0)
		return;
	uid = strstr(text, "\nUid:");
	gid = strstr(text, "\nGid:");
	if (uid && sscanf(uid + 5, "%" SCNu32 " %" SCNu32, &t->uid, &t->more.euid) < 1)
		t->uid = 0;
	if (gid && sscanf(gid + 5, "%" SCNu32 " %" SCNu32, &t->gid, &t->more.egid) < 1)
		t->gid = 0;
}

enum {	/* fields of stat after the name, from 0 */
	F_STATE, F_PPID, F_PGRP, F_SESSION, F_TTY, F_FLAGS = 6, F_UTIME = 11, F_STIME, F_PRIORITY = 15, F_NICE,
	F_THREADS,
	F_START = 19, F_VSIZE, F_STACK = 25, F_CPU = 36, F_RTPRIO, F_POLICY, F_ARG_START = 45, F_ARG_END, F_COUNT,
};

/* In struct task_struct, prio is larger by 100 than in stat, and a real-time priority p is 99 - p. */
static void stat_fields(struct task *t, const int64_t v[F_COUNT])
{
	struct sample_task *m = &t->more;
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

	m->ppid = (uint32_t)v[F_PPID];
	m->pgid = (uint32_t)v[F_PGRP];
	m->sid = (uint32_t)v[F_SESSION];
	m->flags = (uint32_t)v[F_FLAGS];
	m->prio = (int32_t)v[F_PRIORITY] + 100;
	m->static_prio = (int32_t)v[F_NICE] + 120;
	m->policy = (int32_t)v[F_POLICY];
	m->rt_priority = (uint32_t)v[F_RTPRIO];
	m->normal_prio = m->rt_priority ? 99 - (int32_t)m->rt_priority : m->static_prio;
	m->nthreads = (uint32_t)v[F_THREADS];
	m->start_time = (uint64_t)v[F_START] * tick - (uint64_t)clock_ahead(CLOCK_BOOTTIME);
	m->arg_start = (uint64_t)v[F_ARG_START];
	m->arg_end = (uint64_t)v[F_ARG_END];
	m->start_stack = (uint64_t)v[F_STACK];
	m->total_vm = (uint64_t)v[F_VSIZE] / (uint64_t)sysconf(_SC_PAGESIZE);
	m->tty = (uint32_t)v[F_TTY] + 1;
	t->ppid = m->ppid;
	t->cpu = (uint32_t)v[F_CPU];
	t->ticks = (uint64_t)v[F_UTIME] + (uint64_t)v[F_STIME];
}

bool task_stat(struct task *t)
{
	char text[1024], *p;
	int64_t v[F_COUNT] = { 0 };

	if (proc_read(t->pid, t->tid, "stat", text, sizeof text) <= 0 || !(p = strrchr(text, ')')) || !p[1])
		return false;
	p += 2;
	t->more.state = *p;
	for (int i = 0; i < F_COUNT && *p; i++) {
		v[i] = i == F_STATE ? 0 : strtoll(p, NULL, 10);
		p += strcspn(p, " ");
		p += *p == ' ';
	}
	stat_fields(t, v);
	return true;
}

bool task_more(struct task *t, bool named)
{
	struct task leader = { .pid = t->pid, .tid = t->pid };
	cpu_set_t cpus;

	if (!task_stat(t))
		return false;
	if (named)
		task_name(t);
	if (t->tid != t->pid)
		task_name(&leader);
	memcpy(t->more.leader_comm, t->tid == t->pid ? t->comm : leader.comm, sizeof leader.comm);
	if (!sched_getaffinity((pid_t)t->tid, sizeof cpus, &cpus))
		t->more.cpus_allowed = (uint64_t)CPU_COUNT(&cpus);
	return true;
}

void task_inherit(struct task *t, const struct task *parent, uint64_t time)
{
	struct sample_task *m = &t->more;

	if (!parent->more_at || t->more_at)
		return;
	*m = parent->more;
	m->start_time = time + (clock_read(CLOCK_BOOTTIME) - clock_now());
	if (t->pid != parent->pid) {
		m->ppid = parent->pid;
		m->nthreads = 1;
	} else if (parent->tid == parent->pid) {
		memcpy(m->leader_comm, parent->comm, sizeof m->leader_comm);
	}
	t->more_at = 1;		/* nonzero, but old enough for an immediate refresh */
}

/* Uses clock ticks if the kernel does not count the run times of threads in ns. */
bool task_ran(struct task *t, uint64_t *ns)
{
	char text[128];

	if (proc_read(t->pid, t->tid, "schedstat", text, sizeof text) > 0 && sscanf(text, "%" SCNu64, ns) == 1 && *ns)
		return true;
	if (!task_stat(t))
		return false;
	*ns = t->ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

/* Calls fn for each number in a directory. Returns 0, also if the directory does not exist, or -errno. */
static int directory_numbers(const char *path, void (*fn)(void *arg, uint32_t n), void *arg)
{
	DIR *d = opendir(path);
	int err = d || errno == ENOENT || errno == ESRCH ? 0 : -errno;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			fn(arg, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (d)
		closedir(d);
	return err;
}

struct tasks_walk {
	uint32_t pid, uid;
	bool all;
	known_fn known;
	thread_fn fn;
	void *arg;
	int err;		/* first error with a process */
};

static void walk_thread(void *arg, uint32_t tid)
{
	const struct tasks_walk *w = arg;

	w->fn(w->arg, w->pid, tid);
}

int tasks_of_process(uint32_t pid, thread_fn fn, void *arg)
{
	struct tasks_walk w = { .pid = pid, .fn = fn, .arg = arg };
	char path[64];

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	return directory_numbers(path, walk_thread, &w);
}

static void walk_process(void *arg, uint32_t pid)
{
	struct tasks_walk *w = arg;
	struct stat st;
	char path[64];
	int err;

	if (w->known && w->known(w->arg, pid))
		return;
	snprintf(path, sizeof path, "/proc/%u", pid);
	if (!w->all && (stat(path, &st) || st.st_uid != w->uid))
		return;
	err = tasks_of_process(pid, w->fn, w->arg);
	w->err = err ? err : w->err;
}

int tasks_of_user(uint32_t uid, bool all, known_fn known, thread_fn fn, void *arg)
{
	struct tasks_walk w = { .uid = uid, .all = all, .known = known, .fn = fn, .arg = arg };

	int err = directory_numbers("/proc", walk_process, &w);

	return err ? err : w.err;
}

static void walk_children(void *arg, uint32_t tid)
{
	struct tasks_walk *w = arg;
	char text[4096], *p = text, *end;
	unsigned long child;
	int err;

	w->fn(w->arg, w->pid, tid);
	if (proc_read(w->pid, tid, "children", text, sizeof text) <= 0)
		return;
	for (; (child = strtoul(p, &end, 10)) && end != p; p = end) {
		err = tasks_of_tree((uint32_t)child, w->fn, w->arg);
		w->err = err ? err : w->err;
	}
}

int tasks_of_tree(uint32_t pid, thread_fn fn, void *arg)
{
	struct tasks_walk w = { .pid = pid, .fn = fn, .arg = arg };
	char path[64];
	int err;

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	err = directory_numbers(path, walk_children, &w);
	return err ? err : w.err;
}

/* ---- the task table ---- */
struct task *tasks_add(struct tasks *ts, uint32_t pid, uint32_t tid)
{
	struct task **slot = task_slot(ts, tid), *t = *slot;

	if (t)
		return t;
	t = calloc(1, sizeof *t + ts->nrates * sizeof *t->share);
	if (!t)
		return NULL;
	t->tid = tid;
	t->pid = pid;
	t->counter = -1;
	t->share = (struct task_share *)(t + 1);
	*slot = t;
	t->older = ts->last;
	*(ts->last ? &ts->last->newer : &ts->first) = t;
	ts->last = t;
	ts->n++;
	task_name(t);
	task_user(t);
	return t;
}

void tasks_remove(struct tasks *ts, struct task *t)
{
	struct task **slot = task_slot(ts, t->tid);

	if (ts->drop)
		ts->drop(ts->arg, t);
	*slot = t->next;
	*(t->older ? &t->older->newer : &ts->first) = t->newer;
	*(t->newer ? &t->newer->older : &ts->last) = t->older;
	ts->n--;
	free(t);
}

/*
 * Estimates the CPU time at `time` of a thread that was already running: its CPU time now, less the time since then.
 * The thread may have slept since, so this is the minimum.
 */
void task_time(struct task *t, uint64_t time)
{
	uint64_t ran, late;

	if (t->timed)
		return;
	t->timed = true;
	if (!task_ran(t, &ran))
		return;
	late = clock_now() - time;
	t->spent = ran > late ? ran - late : 0;
}

void task_switch(struct task *t, bool comes, uint64_t time)
{
	task_time(t, time);
	if (t->since && time > t->since)
		t->spent += time - t->since;
	t->since = comes ? time : 0;
}

void task_sample(const struct task *t, struct sample *s)
{
	s->pid = t->pid;
	s->tid = t->tid;
	s->uid = t->uid;
	s->gid = t->gid;
	memcpy(s->comm, t->comm, sizeof s->comm);
	s->task = t->more_at ? &t->more : NULL;
	s->ran = !t->timed ? t->clock : t->spent + (t->since && s->time > t->since ? s->time - t->since : 0);
}
