/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The threads that a source of samples follows, and what /proc tells of them.
 *
 * Ownership: tasks_close frees all tasks; what else a task holds (events) is its source's, which `drop` gives back.
 * Errors: memory (NULL); reading /proc: false, for a thread that has ended or is not ours to see.
 */
#ifndef ENGINE_SAMPLE_TASKS_H
#define ENGINE_SAMPLE_TASKS_H

#include "engine/sample/source.h"

struct perf_family;

/* What a thread owes to one rate. */
struct task_share {
	uint64_t seen, hidden;		/* firings: samples, and those that the kernel has kept back */
};

struct task {
	struct task *next;		/* of the same hash */
	struct task *older, *newer;	/* all */
	uint32_t tid, pid, ppid;
	uint32_t uid, gid;
	char comm[16];
	uint32_t cpu;			/* where it was last seen */
	uint64_t cpus;			/* which it was seen on (number modulo 64) */
	bool ended;
	uint64_t born, gone;		/* when, as far as it was seen */
	/* of perf */
	struct perf_family *family;	/* whose events it has */
	bool own;			/* they were opened for it, not inherited */
	uint64_t attached;		/* since when what it forks inherits them */
	int counter;			/* its time, or -1 */
	uint64_t ran, base;		/* ns: it has run since the start; before it */
	uint64_t read;			/* when that was read */
	uint64_t clock;			/* base + ran, but it never goes faster than time does */
	struct task_share *share;	/* by rate */
	/* of /proc */
	uint64_t ticks;
	struct sample_task more;
	uint64_t more_at;		/* when it was read; 0 = never */
	/* where switches are told */
	bool timed;			/* it has a clock: */
	uint64_t spent, since;		/* ns run before it came onto its CPU; when that was, 0 = it is on none */
};

enum { TASKS_HASH = 4096 };

struct tasks {
	struct task *hash[TASKS_HASH];
	struct task *first, *last;
	unsigned n, nrates;
	void (*drop)(void *arg, struct task *t);	/* before it is freed; NULL: nothing to do */
	void *arg;
};

void tasks_init(struct tasks *ts, unsigned nrates);
void tasks_close(struct tasks *ts);
struct task *tasks_find(const struct tasks *ts, uint32_t tid);
/* Finds it, or makes it (its name and user as /proc has them). NULL: no memory. */
struct task *tasks_add(struct tasks *ts, uint32_t pid, uint32_t tid);
void tasks_remove(struct tasks *ts, struct task *t);

/* Calls for each thread of a process; for each process of this user (all: of every user) that is not known already (NULL:
 * none is). */
typedef void (*thread_fn)(void *arg, uint32_t pid, uint32_t tid);
typedef bool (*known_fn)(void *arg, uint32_t pid);
void tasks_of_process(uint32_t pid, thread_fn fn, void *arg);
void tasks_of_user(uint32_t uid, bool all, known_fn known, thread_fn fn, void *arg);
/* The process and those that descend from it. */
void tasks_of_tree(uint32_t pid, thread_fn fn, void *arg);

/* Is the thread one of that process? */
bool task_there(uint32_t pid, uint32_t tid);
/* Time that the thread has run, ns. */
bool task_ran(struct task *t, uint64_t *ns);
/* /proc/PID/task/TID/stat: fills in `more`, cpu and ticks (user and system time, in clock ticks). */
bool task_stat(struct task *t);
/* All that `more` has, and (named) the thread's name: who is told of new names has them at their time. */
bool task_more(struct task *t, bool named);
/* From now on the thread has a clock. */
void task_time(struct task *t, uint64_t time);
/* It comes onto a CPU, or leaves it. */
void task_switch(struct task *t, bool comes, uint64_t time);
/* A new thread: what it has from the one that made it, until /proc is asked. */
void task_inherit(struct task *t, const struct task *parent, uint64_t time);
/* Fills in what a sample says of its thread, at the sample's time. */
void task_sample(const struct task *t, struct sample *s);

#endif
