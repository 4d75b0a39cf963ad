/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The threads that a source samples, and their data from /proc.
 *
 * Ownership: tasks_close frees all tasks; `drop` releases what the source attached to a task (events).
 * Errors: tasks_add returns NULL if memory runs out; functions that read /proc return false if the thread has ended or
 * may not be inspected.
 */
#ifndef ENGINE_SAMPLE_TASKS_H
#define ENGINE_SAMPLE_TASKS_H

#include "engine/sample/source.h"

struct perf_family;

/* Firings of a thread at one rate. */
struct task_share {
	uint64_t seen, hidden;		/* number of samples; of delivered derived firings */
};

struct task {
	struct task *next;		/* in its hash chain */
	struct task *older, *newer;	/* list of all tasks */
	uint32_t tid, pid, ppid;
	uint32_t uid, gid;
	char comm[16];
	uint32_t cpu;			/* last known CPU */
	uint64_t cpus;			/* bit set of the CPUs that it ran on (CPU number modulo 64) */
	bool ended;
	uint64_t born, gone;		/* when it was created and ended, as observed, ns */
	/* perf source */
	struct perf_family *family;	/* the family of its events */
	bool own;			/* its events were opened for it, not inherited */
	uint64_t executed;		/* when it last executed a program, ns */
	uint64_t attached;		/* children created after this time inherit them */
	int counter;			/* descriptor of its time counter (ptrace source: its schedstat), or -1 */
	uint64_t ran, base;		/* CPU time since the start, before the start, ns */
	uint64_t read;			/* when `ran` was read */
	uint64_t clock;			/* base + ran, limited to the speed of real time */
	struct task_share *share;	/* by rate */
	/* proc source */
	uint64_t ticks;
	struct sample_task more;
	uint64_t more_at;		/* when `more` was read; 0 = never */
	/* ptrace source */
	bool traced, asked;		/* it is traced; it will stop for a sample, */
	uint64_t asked_at, waited;	/* since when; how long it has waited for CPUs until then, ns */
	bool lost;			/* it was traced, but its process has executed a program since */
	bool unbased;			/* its time before the start could not be read yet */
	double phase;			/* part of an interval that it has at its start */
	/* sources that report thread switches */
	bool timed;			/* it has a clock */
	uint64_t spent, since;		/* CPU time before it was last switched in; time of that, 0 = not running */
};

enum { TASKS_HASH = 4096 };

struct tasks {
	struct task *hash[TASKS_HASH];
	struct task *first, *last;
	unsigned n, nrates;
	void (*drop)(void *arg, struct task *t);	/* called before a task is freed; may be NULL */
	void *arg;
};

void tasks_init(struct tasks *ts, unsigned nrates);
void tasks_close(struct tasks *ts);
struct task *tasks_find(const struct tasks *ts, uint32_t tid);
/* Finds or adds a task (with name and user from /proc). Returns NULL if memory runs out. */
struct task *tasks_add(struct tasks *ts, uint32_t pid, uint32_t tid);
void tasks_remove(struct tasks *ts, struct task *t);

/* Call fn for each thread: of a process; of each process of a user (all: of every user) for which `known` (NULL: always
 * false) returns false; of a process and its descendants. Return 0, or -errno if some threads were not found because
 * /proc could not be read; a process that has ended is not an error. */
typedef void (*thread_fn)(void *arg, uint32_t pid, uint32_t tid);
typedef bool (*known_fn)(void *arg, uint32_t pid);
int tasks_of_process(uint32_t pid, thread_fn fn, void *arg);
int tasks_of_user(uint32_t uid, bool all, known_fn known, thread_fn fn, void *arg);
int tasks_of_tree(uint32_t pid, thread_fn fn, void *arg);

/* True if the process has this thread. */
bool task_exists(uint32_t pid, uint32_t tid);
/* Reads the CPU time of the thread, ns. */
bool task_ran(struct task *t, uint64_t *ns);
/* Reads /proc/PID/task/TID/stat: fills in `more`, cpu and ticks (user and system time, in clock ticks). */
bool task_stat(struct task *t);
/* Reads the thread's name, if it exists. */
void task_name(struct task *t);
/* Fills in `more`, and if `named` also the thread's name (unless the source reports name changes). */
bool task_more(struct task *t, bool named);
/* Starts measuring the thread's CPU time at `time` (ns). */
void task_time(struct task *t, uint64_t time);
/* The thread is switched in (comes) or out. */
void task_switch(struct task *t, bool comes, uint64_t time);
/* Copies the data of a new thread from its parent, until /proc is read. */
void task_inherit(struct task *t, const struct task *parent, uint64_t time);
/* Fills in the data of the thread in a sample, as of the time of the sample. */
void task_sample(const struct task *t, struct sample *s);

#endif
