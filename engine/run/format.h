/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings: their entries as structures, and the constants of the file format (docs/record.md).
 *
 * Ownership: plain data; strings and stacks belong to the function that returns them. Errors: none.
 */
#ifndef ENGINE_RUN_FORMAT_H
#define ENGINE_RUN_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_VERSION = 1, RECORD_MAGIC_BYTES = 8, RECORD_FILE_HEAD = 16, RECORD_BLOCK_HEAD = 20,
	RECORD_END_BYTES = 32 };
#define RECORD_MAGIC "\x89""dtrrec\n"
#define RECORD_BLOCK_MAGIC 0x6b6c4264u			/* "dBlk" */

enum {
	RECORD_BLOCK_MAX = 1 << 22,			/* bytes of a block's contents */
	RECORD_BLOCK_FULL = 1 << 17,			/* the writer ends a block here */
	RECORD_CPUS = 8192,
	RECORD_FRAMES = 1024,				/* frames of a stack */
	RECORD_TASKS = 1 << 20, RECORD_OBJECTS = 1 << 18, RECORD_STACKS = 1 << 20,
	RECORD_ALL_FRAMES = 1 << 23,			/* frames of all stacks between two resets */
	RECORD_FUNCTIONS = 1 << 20,			/* interpreted functions */
	RECORD_GROUPS = 1 << 20,			/* control groups */
	RECORD_NAME = 4096,				/* bytes of a path or a symbol's name */
	RECORD_BUILD_ID = 64,
	RECORD_COMM = 16,
};

enum record_block { RECORD_B_INFO = 1, RECORD_B_DATA, RECORD_B_SYMBOLS, RECORD_B_END, RECORD_B_GROUPS };
/* Flags of a block: compressed; the numbering of stacks and tasks restarts. */
enum { RECORD_Z = 1, RECORD_RESET = 2 };

/* Kinds of entries in a data block: the low three bits of an entry's first byte. */
enum record_tag {
	RECORD_T_SAMPLE, RECORD_T_TASK, RECORD_T_STACK, RECORD_T_OBJECT, RECORD_T_MAP, RECORD_T_LOSS, RECORD_T_NOFILE,
	RECORD_T_INTERPRETED,		/* with one of enum record_interpreted */
};
/* Entries about interpreted functions: bits 3 and 4 of their first byte. A function; a stack; the stack of the next
 * sample; not about functions: a control group. */
enum record_interpreted { RECORD_IF_FUNCTION = 0, RECORD_IF_STACK = 8, RECORD_IF_OF_NEXT = 16, RECORD_IF_GROUP = 24,
	RECORD_IF_MASK = 24 };
/* Flag of such a stack: truncated. */
enum { RECORD_IF_CUT = 32 };
/* Flag of a stack, besides RECORD_S_USER: truncated. */
enum { RECORD_ST_CUT = 16 };
/* Flags of a sample, in its first byte. */
enum { RECORD_S_USER = 8, RECORD_S_KSTACK = 16, RECORD_S_USTACK = 32, RECORD_S_NOPC = 64, RECORD_S_SAME = 128 };

/* Fields of the info block. */
enum record_field {
	RECORD_I_INTERVAL = 1, RECORD_I_BEGIN, RECORD_I_WALL, RECORD_I_KNOWN, RECORD_I_CPUS, RECORD_I_BOOT,
	RECORD_I_RELEASE,
	RECORD_I_MACHINE, RECORD_I_TARGET, RECORD_I_ENGINE, RECORD_I_HZ, RECORD_I_HOST,
	RECORD_I_PROGRAM, RECORD_I_HIERARCHY,
};

/* What was recorded (RECORD_I_KNOWN). */
enum { RECORD_K_STACKS = 1, RECORD_K_UID = 2, RECORD_K_PRIO = 4, RECORD_K_TASK = 8, RECORD_K_PC = 16,
	RECORD_K_GROUPS = 32 };

struct record_info {
	uint64_t interval;		/* ns between two firings on a CPU */
	uint64_t begin;			/* start of sampling: CLOCK_MONOTONIC, ns */
	int64_t wall;			/* ns to add to that clock for the time since 1970 */
	uint64_t known;			/* RECORD_K_* */
	uint64_t cpus;			/* number of CPUs of the machine */
	uint64_t hz;			/* clock ticks per second (CONFIG_HZ); 0 = unknown */
	uint8_t boot[16];		/* boot ID: kernel addresses are valid only for this boot */
	char release[72], machine[72];	/* uname -r, -m */
	char target[256];		/* what was recorded, to be displayed */
	char engine[16];
	char host[72], program[72];	/* uname -n; the file name of what `target` executes */
	char hierarchy[64];		/* of the control groups: the controller of version 1; "": version 2 */
};

/* A thread at the time of a sample. A thread with any change is written as a new task. In names, bytes after the NUL
 * are zeros. */
struct record_task {
	uint32_t pid, tid, uid, gid;
	int32_t prio;			/* as in the kernel: 0..99 real time, 100..139 others */
	uint32_t more;			/* 0: the members after `comm` are unknown */
	uint64_t addr;			/* address of its struct task_struct; 0 = unknown */
	char comm[RECORD_COMM];
	uint32_t ppid, pgid, sid, euid, egid, nthreads;
	int32_t static_prio, normal_prio, policy;
	uint32_t rt_priority;
	uint64_t start;			/* CLOCK_MONOTONIC, ns */
	char leader[RECORD_COMM];	/* name of the process's first thread */
	uint64_t group;			/* number of its control group; 0: unknown */
};

/* Frames, innermost first. */
struct record_stack {
	uint32_t n;
	const uint64_t *pc;
	bool cut;			/* truncated */
};

struct record_sample {
	uint64_t ts, pc;		/* ts: CLOCK_MONOTONIC, ns; pc 0 = unknown */
	uint32_t cpu;
	bool user;			/* the CPU was in user mode */
	const struct record_task *task;
	struct record_stack stack, ustack;
	struct record_stack jstack;	/* ustack with interpreted functions (codes_word); n = 0: it has none */
};

/* An interpreted function, numbered from 1 in order of appearance. */
struct record_function {
	const char *name, *file;
};

/* A mapped file. */
struct record_object {
	const char *path;
	uint64_t dev, ino;
	uint8_t id[RECORD_BUILD_ID];
	uint32_t idlen;			/* bytes of the build ID; 0 = none */
};

/* A mapping of a process from `since` (ns) on. */
struct record_map {
	uint32_t pid;
	uint64_t start, end, off, since;
	uint32_t object;		/* RECORD_NO_OBJECT: anonymous memory */
};
#define RECORD_NO_OBJECT UINT32_MAX

/* Drops on a CPU; `kind` is the name of the drop. */
struct record_loss {
	uint64_t ts, n;
	uint32_t cpu;
	char kind[32];
};

/* A symbol of the kernel (object 0; in `module`) or of object number object - 1, where addresses are offsets in the
 * file. */
struct record_symbol {
	uint32_t object;
	uint64_t start, last;		/* last: the highest sampled address in the symbol */
	uint64_t base;			/* kernel: lowest address of its module */
	const char *module, *name;
};

#endif
