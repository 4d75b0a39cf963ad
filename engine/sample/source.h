/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sources of samples: the user's own tasks by perf events, /proc, or a file. engine/interp/user.c runs a script's
 * probes on the samples; `dtr record` writes them.
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

#include "engine/run/about.h"
#include "engine/unwind/unwind.h"

struct arena;
struct buf;
struct options;
struct symbol_ops;

enum { SAMPLE_MAXARGS = 10, SAMPLE_MAXFRAMES = 1024 };

/* The PC of a firing in kernel code that the user may not sample: PERF_CONTEXT_KERNEL, which begins the kernel's
 * part of perf's call chains. */
#define SAMPLE_HIDDEN_PC ((uint64_t)-128)

enum sample_mode { SAMPLE_MODE_UNKNOWN, SAMPLE_USER, SAMPLE_KERNEL };

/* Addresses, the innermost first. */
struct frames {
	uint32_t n;
	const uint64_t *pc;
	bool cut;			/* truncated, or the last frame's caller was not found */
};

/* Data of a thread beyond its name, with the meaning of struct task_struct's members. */
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

/* Firings of one rate at one moment. The meaning of arguments depends on the probe: profile's arg[0] is the kernel
 * PC (0: not in the kernel), arg[1] the user PC. */
struct sample {
	uint64_t time;
	uint64_t weight;		/* number of firings; 0 counts as 1 */
	uint64_t cpu, pid, tid, uid, gid;
	uint64_t arg[SAMPLE_MAXARGS];
	char comm[16];
	uint32_t rate;			/* index of its interval in start() */
	uint8_t mode;			/* enum sample_mode */
	struct frames stack, ustack;	/* of the kernel, of the process */
	struct unwind_start start;	/* data to unwind ustack; bits 0: ustack is complete */
	struct frames uregs;		/* of the process, in the order of struct pt_regs; n = 0: unknown */
	const struct sample_task *task;	/* NULL: unknown */
	uint64_t addr;			/* address of the thread's struct task_struct; 0 = unknown */
	uint64_t depth, udepth;		/* depths of the stacks */
	uint64_t ran;			/* CPU time of the thread, ns; 0 = unknown */
};

/* A file that a process has mapped executable. */
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
	SOURCE_COMM,		/* sample.comm is the thread's new name; exec: it executed a program */
	SOURCE_FORK,		/* parent, ptid created sample.pid, tid */
	SOURCE_EXIT,		/* sample.tid has ended */
	SOURCE_LOST,		/* `lost` samples of sample.rate were lost on sample.cpu */
	SOURCE_CHANGE,		/* from sample.time on, addresses of process sample.pid can mean something else */
};

struct source_item {
	enum source_kind kind;
	struct sample sample;		/* time, cpu, pid and tid are set for every kind if known */
	struct sample_mapping mapping;
	bool exec;
	uint32_t parent;		/* process */
	uint32_t ptid;			/* thread */
	uint64_t lost;
};

/* What samples must contain. */
struct source_want {
	struct arena *arena;
	const struct options *opts;
	int64_t target;			/* process and its descendants, or -1: all that may be sampled */
	bool kstacks, ustacks;		/* call chains */
	bool memory;			/* kernel structures are read: registers, struct sample_task */
	bool maps;			/* mappings */
	bool uregs;			/* the process's registers */
	bool ran;			/* CPU time of threads */
	uint32_t unwind;		/* bytes of stack instead of the process's call chain; 0: no */
	void *arg;			/* for the source: a file's name */
};

/* Properties of a source whose samples are not of this machine, now. */
struct source_past {
	unsigned ncpus;
	uint64_t wall;			/* ns to add to its clock for the time since 1970 */
	uint64_t hz;			/* jiffies per second; 0 = unknown */
	bool uids;			/* samples have user IDs */
	bool tasks;			/* samples have a struct sample_task */
	bool blind;			/* no program counters */
	const char *nocpu;		/* how to record the CPU; NULL: samples have it */
	const char *nowall;		/* how to record the time of day; NULL: known */
	struct run_about about;		/* began, host, subject, program */
	uint64_t interval;		/* between two samples of a CPU, ns */
	bool stacks;
};

/* The account of a rate from start to stop, in firings. */
struct source_account {
	double due;			/* sampled time / interval */
	uint64_t full;			/* samples that did not fit in a buffer */
	double throttled;		/* while the kernel throttled events */
	double idle;			/* while the CPU was idle: may not have fired */
	uint64_t parts;			/* at most so many fewer: intervals that threads began and did not complete */
	uint64_t more;			/* at most so many more: the same, and time that events do not count */
	bool parted;			/* `parts` and `more` apply: threads are sampled, not CPUs */
};

struct sample_source;

struct source_ops {
	const char *name;		/* "perf", "proc", "file" */
	bool blind;			/* no program counters, no stacks */
	int (*open)(struct sample_source **out, const struct source_want *w, char *reason, size_t n);
	/* Starts sampling; intervals in ns. Returns 0, with a text in reason if something is not sampled, or -errno. */
	int (*start)(struct sample_source *s, const uint64_t *interval, unsigned n, char *reason, size_t size);
	/* Returns 1: *out is the next item; 0: none now; -ENODATA: the end. */
	int (*next)(struct sample_source *s, struct source_item *out);
	/* Waits for items, until `wake` (-1: none) is readable or timeout_ns have passed. NULL: all items are always
	 * available. */
	int (*wait)(struct sample_source *s, int wake, uint64_t timeout_ns);
	/* Stops sampling; next() returns the remaining items and derived firings. Optional. */
	void (*stop)(struct sample_source *s);
	/* The source's clock, ns. NULL: this machine's CLOCK_MONOTONIC. */
	uint64_t (*now)(struct sample_source *s);
	/* After open: the samples are from another time, perhaps another machine; do not inspect processes. NULL:
	 * they are not. */
	void (*past)(struct sample_source *s, struct source_past *out);
	/* The source's symbols. NULL: this machine's. */
	const struct symbol_ops *(*symbols)(struct sample_source *s, void **arg);
	/* One line: what is sampled, and what cannot be. */
	void (*describe)(struct sample_source *s, char *out, size_t n);
	/* After stop and the last item: the account of one CPU, or (-1) of all. False: unknown. NULL: the firings
	 * due are the delivered ones and those that items report as lost. */
	bool (*account)(struct sample_source *s, unsigned rate, int cpu, struct source_account *out);
	/* After stop: appends a sentence about what should have been sampled and was not, or nothing. Optional. */
	void (*lacks)(struct sample_source *s, struct buf *out);
	void (*close)(struct sample_source *s);
};

extern const struct source_ops source_perf, source_proc;

#endif
