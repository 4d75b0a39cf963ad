/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where samples come from: the user's own tasks by perf events, /proc, a file. engine/interp/user.c runs a script's probes
 * on them; `dtr record` writes them down.
 *
 * A source gives items in order of time: samples, and what happened to tasks and their memory in between. Times are
 * CLOCK_MONOTONIC of the machine that was sampled, in ns.
 *
 * Ownership: the source owns what an item points to, until the next call of next() or wait(). open, then start, then
 * next and wait, then stop, then next until it gives 0, then close (idempotent, NULL is fine).
 * Errors: open and start, with the reason in `why`; next and wait: -errno.
 */
#ifndef ENGINE_SAMPLE_SOURCE_H
#define ENGINE_SAMPLE_SOURCE_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/run/about.h"
#include "engine/run/options.h"
#include "engine/symbols/symbols.h"
#include "engine/unwind/unwind.h"

enum { SAMPLE_MAXARGS = 10, SAMPLE_MAXFRAMES = 1024 };

/* The PC of a firing that fell into the kernel where it must not be seen: what perf's call chains begin the kernel's part
 * with (PERF_CONTEXT_KERNEL). */
#define SAMPLE_HIDDEN_PC ((uint64_t)-128)

enum sample_mode { SAMPLE_MODE_UNKNOWN, SAMPLE_USER, SAMPLE_KERNEL };

/* Addresses, the innermost first. */
struct frames {
	uint32_t n;
	const uint64_t *pc;
	bool cut;			/* there were more, or the last one's caller could not be found */
};

/* What is known of a thread beyond its name; as struct task_struct has it. */
struct sample_task {
	int32_t prio, static_prio, normal_prio, policy;
	uint32_t rt_priority, flags;
	uint32_t ppid, pgid, sid, nthreads;
	uint32_t euid, egid;
	uint64_t start_time;		/* CLOCK_BOOTTIME, ns */
	uint64_t cpus_allowed;		/* how many; 0 = not known */
	uint64_t arg_start, arg_end;	/* where the process has its arguments; 0 = not known */
	uint64_t start_stack;		/* where its stack begins; 0 = not known */
	uint64_t total_vm;		/* pages that it has mapped; 0 = not known */
	uint32_t tty;			/* its terminal's device number and 1; 0 = not known */
	char state;			/* as ps shows it; 0 = not known */
	char leader_comm[16];		/* name of the process's first thread */
};

/* Firings of one rate at one moment. What an argument is depends on the probe: profile's arg[0] is the kernel's PC (0: it
 * was not in the kernel), arg[1] the user's. */
struct sample {
	uint64_t time;
	uint64_t weight;		/* so many firings; 0 counts as 1 */
	uint64_t cpu, pid, tid, uid, gid;
	uint64_t arg[SAMPLE_MAXARGS];
	char comm[16];
	uint32_t rate;			/* which of those that start() was given */
	uint8_t mode;			/* enum sample_mode */
	struct frames stack, ustack;	/* the kernel's, the process's */
	struct unwind_start start;	/* what ustack is to be unwound from; bits 0: it is there already */
	struct frames uregs;		/* of the process, in the order of struct pt_regs; n = 0: not known */
	const struct sample_task *task;	/* NULL: nothing is known */
	uint64_t addr;			/* of the kernel's struct task_struct; 0 = not known */
	uint64_t depth, udepth;		/* of the stacks */
	uint64_t ran;			/* time that the thread has run, ns; 0 = not known */
};

/* A file that a process has mapped to be executed. */
struct sample_mapping {
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_size;		/* 0 = not known */
};

enum source_kind {
	SOURCE_SAMPLE,
	SOURCE_MAP,		/* mapping */
	SOURCE_COMM,		/* sample.comm is the thread's name from now on; exec: by executing a program */
	SOURCE_FORK,		/* sample.pid, tid were made by parent */
	SOURCE_EXIT,		/* sample.tid has ended */
	SOURCE_LOST,		/* lost samples of sample.rate on sample.cpu */
	SOURCE_CHANGE,		/* from sample.time on addresses of process sample.pid mean something else */
};

struct source_item {
	enum source_kind kind;
	struct sample sample;		/* time, cpu, pid and tid are filled in for every kind where they are known */
	struct sample_mapping mapping;
	bool exec;
	uint32_t parent;		/* process */
	uint32_t ptid;			/* thread */
	uint64_t lost;
};

/* What samples are wanted. */
struct source_want {
	struct arena *arena;
	const struct options *opts;
	int64_t target;			/* process (its children included), or -1: all that may be seen */
	bool kstacks, ustacks;		/* call chains */
	bool memory;			/* what is in user memory may be asked for: registers, struct sample_task */
	bool maps;			/* mappings */
	bool uregs;			/* the process's registers */
	bool ran;			/* time that threads have run */
	uint32_t unwind;		/* instead of the process's call chain, so many bytes of its stack; 0: no */
	void *arg;			/* for the source: a file's name */
};

/* What a source that is not this machine, now, knows instead. */
struct source_past {
	unsigned ncpus;
	uint64_t wall;			/* time since 1970 is its clock and this */
	uint64_t hz;			/* ticks of jiffies a second; 0 = not known */
	bool uids;			/* the samples tell the user */
	bool tasks;			/* and more of the thread than its name and IDs (struct sample_task) */
	bool blind;			/* no program counters */
	const char *nocpu;		/* how they would tell the CPU; NULL: they do */
	const char *nowall;		/* how it would tell the time of day; NULL: it does */
	struct run_about about;		/* began, host, subject, program */
	uint64_t interval;		/* between two samples of a CPU, ns */
	bool stacks;
};

/* What a rate owed from the start to the stop, in firings. */
struct source_account {
	double due;			/* time that was sampled / interval */
	uint64_t full;			/* samples that found no room in a buffer */
	double throttled;		/* while the kernel held events back */
	double idle;			/* while the CPU idled: may have been left out */
	uint64_t parts;			/* so many at most are less: intervals that threads began and did not end */
	uint64_t more;			/* so many at most are more: the same, and time that events do not see */
	bool parted;			/* they are: what is sampled is threads, not CPUs */
};

struct sample_source;

struct source_ops {
	const char *name;		/* "perf", "proc", "file" */
	bool blind;			/* no program counters, no stacks */
	int (*open)(struct sample_source **out, const struct source_want *w, char *why, size_t n);
	/* Intervals in ns. From now on samples are taken. 0 and text in *why: what is not seen. */
	int (*start)(struct sample_source *s, const uint64_t *interval, unsigned n, char *why, size_t size);
	/* 1: *out is the next item; 0: there is none now; -ENODATA: there will be none any more. */
	int (*next)(struct sample_source *s, struct source_item *out);
	/* Until there are items, `wake` is readable (-1: no such descriptor), or so many ns have passed. NULL: never needed,
	 * all is there already. */
	int (*wait)(struct sample_source *s, int wake, uint64_t timeout_ns);
	/* No more samples; next() hands out what is left and what is owed. Optional. */
	void (*stop)(struct sample_source *s);
	/* The source's clock. NULL: it is that of this machine, now. */
	uint64_t (*now)(struct sample_source *s);
	/* After open: it is of another time, perhaps of another machine. Processes must not be looked at then. NULL: it is not. */
	void (*past)(struct sample_source *s, struct source_past *out);
	/* Names of addresses. NULL: the machine's. */
	const struct symbol_ops *(*symbols)(struct sample_source *s, void **arg);
	/* One line: what is sampled and what cannot be seen. */
	void (*describe)(struct sample_source *s, char *out, size_t n);
	/* Once it was stopped and next() gives no more: on one CPU or (-1) on all. False: not known. NULL: it is due what
	 * came, and what items said was lost. */
	bool (*account)(struct sample_source *s, unsigned rate, int cpu, struct source_account *out);
	/* After the stop: what was not sampled that should have been, for people; or nothing. Optional. */
	void (*lacks)(struct sample_source *s, struct buf *out);
	void (*close)(struct sample_source *s);
};

extern const struct source_ops source_perf, source_proc;

#endif
