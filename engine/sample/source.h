/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sample sources: perf events, ptrace(2), /proc, or a file. engine/interp/user.c runs a script's probes on the samples;
 * `dtr record` writes them.
 *
 * A source returns items in order of time: samples, and process events. Times are CLOCK_MONOTONIC of the sampled
 * machine, in ns. Order of calls: open, start, next and wait, stop, next until it returns 0, close (idempotent, NULL is
 * allowed).
 *
 * Ownership: the source owns what an item points to until the next call of next() or wait().
 * Errors: open and start return -errno with the reason in `reason`; next and wait return -errno.
 */
#ifndef ENGINE_SAMPLE_SOURCE_H
#define ENGINE_SAMPLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/containers/containers.h"
#include "engine/run/about.h"
#include "engine/unwind/unwind.h"

struct arena;
struct buf;
struct options;
struct symbol_ops;

enum { SAMPLE_MAXARGS = 10, SAMPLE_MAXFRAMES = 1024 };

/* The PC of a firing in kernel code that the user may not sample: PERF_CONTEXT_KERNEL, which marks the kernel part of
 * perf's call chains. */
#define SAMPLE_HIDDEN_PC ((uint64_t)-128)

enum sample_mode { SAMPLE_MODE_UNKNOWN, SAMPLE_USER, SAMPLE_KERNEL };

/* Addresses, innermost first. */
struct frames {
	uint32_t n;
	const uint64_t *pc;
	bool cut;			/* truncated, or the last frame's caller is unknown */
};

/* Data of a thread besides its name, with the meaning of the members of struct task_struct. */
struct sample_task {
	int32_t prio, static_prio, normal_prio, policy;
	uint32_t rt_priority, flags;
	uint32_t ppid, pgid, sid, nthreads;
	uint32_t euid, egid;
	uint64_t start_time;		/* CLOCK_BOOTTIME, ns */
	uint64_t cpus_allowed;		/* number of CPUs; 0 = unknown */
	uint64_t arg_start, arg_end;	/* bounds of the process's arguments; 0 = unknown */
	uint64_t start_stack;		/* start of its stack; 0 = unknown */
	uint64_t total_vm;		/* mapped pages; 0 = unknown */
	uint32_t tty;			/* device number of its terminal + 1; 0 = unknown */
	char state;			/* letter as in ps; 0 = unknown */
	char leader_comm[16];		/* name of the process's first thread */
};

/* Firings of one rate at one time. The meaning of the arguments depends on the probe: for profile, arg[0] is the kernel
 * PC (0: not in the kernel), arg[1] the user PC. */
struct sample {
	uint64_t time;
	uint64_t weight;		/* number of firings; 0 counts as 1 */
	uint64_t cpu, pid, tid, uid, gid;
	uint64_t arg[SAMPLE_MAXARGS];
	char comm[16];
	uint32_t rate;			/* index of its interval in the arguments of start() */
	uint8_t mode;			/* enum sample_mode */
	struct frames stack, ustack;	/* in the kernel, in the process */
	struct frames jstack;		/* recorded: `ustack` with interpreted frames; n = 0: it has none */
	struct unwind_start start;	/* data to unwind ustack; bits 0: ustack is complete */
	struct frames uregs;		/* registers of the process, in the order of struct pt_regs; n = 0: unknown */
	const struct sample_task *task;	/* NULL: unknown */
	uint64_t addr;			/* address of the thread's struct task_struct; 0 = unknown */
	uint64_t depth, udepth;		/* depths of the stacks */
	uint64_t ran;			/* CPU time of the thread, ns; 0 = unknown */
	struct { uint32_t n; const uint64_t *id; } groups;	/* recorded: its control groups, from the root on */
};

/* A file mapped executable by a process. */
struct sample_mapping {
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_size;		/* 0 = unknown */
};

enum source_kind {
	SOURCE_SAMPLE,
	SOURCE_MAP,		/* mapping */
	SOURCE_COMM,		/* sample.comm is the thread's new name; exec: the process executed a program */
	SOURCE_FORK,		/* parent, ptid created sample.pid, tid */
	SOURCE_EXIT,		/* sample.tid has ended */
	SOURCE_LOST,		/* `lost` samples of sample.rate were lost on sample.cpu */
	SOURCE_CHANGE,		/* from sample.time on, addresses of process sample.pid may have other symbols */
};

struct source_item {
	enum source_kind kind;
	struct sample sample;		/* time, cpu, pid and tid are set for all kinds if known */
	struct sample_mapping mapping;
	bool exec;
	uint32_t parent;		/* process ID */
	uint32_t ptid;			/* thread ID */
	uint64_t lost;
};

/* What the samples must contain. */
struct source_want {
	struct arena *arena;
	const struct options *opts;
	int64_t target;			/* sample this process and its descendants; -1: everything that is allowed */
	bool untraced;			/* the target must not be traced (ptrace(2)): it would lose privileges */
	bool kstacks, ustacks;		/* call chains */
	bool interpreted;		/* user stacks have interpreted frames, so samples are needed at once */
	bool memory;			/* the script reads kernel structures: registers, struct sample_task */
	bool maps;			/* mappings */
	bool uregs;			/* registers of the process */
	bool ran;			/* CPU time of threads */
	bool groups;			/* recorded control groups */
	uint32_t unwind;		/* size of the stack copy that replaces the process's call chain; 0: none */
	void *arg;			/* for the source: a file */
};

/* Properties of a source whose samples are not from this machine, now. */
struct source_past {
	unsigned ncpus;
	uint64_t wall;			/* ns to add to its clock to get the time since 1970 */
	uint64_t hz;			/* jiffies per second; 0 = unknown */
	bool uids;			/* samples have user IDs */
	bool tasks;			/* samples have a struct sample_task */
	bool blind;			/* no program counters */
	bool groups;			/* samples have control groups, */
	char hierarchy[64];		/* of this controller of version 1; "": version 2 */
	const char *nocpu;		/* how to record the CPU number; NULL: it is known */
	const char *nowall;		/* how to record the time of day; NULL: it is known */
	struct run_about about;		/* began, host, subject, program */
	char release[72], machine[72];	/* of the kernel, as uname -r and -m show them; "": unknown */
	uint64_t interval;		/* between two samples of a CPU, ns */
	bool stacks;
};

/* The account of a rate from start to stop, in firings. */
struct source_account {
	double due;			/* sampled time / interval */
	uint64_t full;			/* samples that did not fit in a buffer */
	double throttled;		/* while the kernel throttled events */
	double idle;			/* while the CPU was idle: such firings may be missing */
	uint64_t parts;			/* firings missing at most: intervals that threads did not complete */
	uint64_t more;			/* firings surplus at most: as above, and time that events do not count */
	bool parted;			/* `parts` and `more` apply, because threads are sampled, not CPUs */
};

struct sample_source;

struct source_ops {
	const char *name;		/* "perf", "proc", "file" */
	bool blind;			/* no program counters, no stacks */
	uint32_t copies;		/* bytes of a stack that it copies unless unwindsize is given; 0: the default */
	bool stops;			/* stops the threads, and does not report the mappings that they add */
	int (*open)(struct sample_source **out, const struct source_want *w, char *reason, size_t n);
	/* Starts sampling; intervals in ns. Returns 0, and mentions in `reason` what is not sampled; or -errno. */
	int (*start)(struct sample_source *s, const uint64_t *interval, unsigned n, char *reason, size_t size);
	/* Returns 1: *out is the next item; 0: none at the moment; -ENODATA: the end. */
	int (*next)(struct sample_source *s, struct source_item *out);
	/* Waits for items, until `wake` (-1: none) is readable or timeout_ns have passed. NULL: all items are always
	 * available. */
	int (*wait)(struct sample_source *s, int wake, uint64_t timeout_ns);
	/* Stops sampling. After this, next() returns the remaining items and derived firings. Optional. */
	void (*stop)(struct sample_source *s);
	/* The source's clock, ns. NULL: this machine's CLOCK_MONOTONIC. */
	uint64_t (*now)(struct sample_source *s);
	/* After open: the samples are from another time, perhaps from another machine, so do not inspect processes.
	 * NULL: they are from this machine, now. */
	void (*past)(struct sample_source *s, struct source_past *out);
	/* The source's symbols. NULL: this machine's symbols. */
	const struct symbol_ops *(*symbols)(struct sample_source *s, void **arg);
	/* After open: calls fn for each recorded control group, after the one above it. NULL: there are none. */
	void (*groups)(struct sample_source *s, void (*fn)(void *arg, const struct containers_group *g), void *arg);
	/* After start: from now on takes a sample of a thread when `factor` firings of this rate (an index) are due.
	 * NULL: not possible. */
	void (*slow)(struct sample_source *s, unsigned rate, unsigned factor);
	/* For how long all threads together have stood still for this process so far, ns. NULL: they do not. */
	uint64_t (*stood)(struct sample_source *s);
	/* Writes one line: what is sampled, and what cannot be sampled. */
	void (*describe)(struct sample_source *s, char *out, size_t n);
	/* After stop and the last item: the account of one CPU, or (-1) of all. Returns false if it is unknown. NULL:
	 * the firings due are those delivered plus those that items report as lost. */
	bool (*account)(struct sample_source *s, unsigned rate, int cpu, struct source_account *out);
	/* After stop: appends a sentence about what was not sampled although it should have been, if any. Optional. */
	void (*lacks)(struct sample_source *s, struct buf *out);
	void (*close)(struct sample_source *s);
};

extern const struct source_ops source_perf, source_ptrace, source_proc;

#endif
