/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a compilation depends on besides its texts: the options that the compiler reads, and its environment.
 * engine/run/options.h embeds the options; engine/run/options.def has their defaults and limits.
 *
 * Ownership: strings are the caller's and outlive the compiler. Plain data.
 */
#ifndef LANG_OPTIONS_H
#define LANG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { D_STRSIZE_LEAST = 16, D_STRSIZE_MOST = 4096 };
/* The nearest possible size of strings. */
static inline uint64_t d_strsize(uint64_t n)
{
	return n < D_STRSIZE_LEAST ? D_STRSIZE_LEAST : (n + 7) & ~7ull;
}

struct d_options {
	uint64_t strsize;		/* bytes of a string: as d_strsize, at most D_STRSIZE_MOST */
	uint64_t scratchsize;		/* bytes of a clause's scratch memory */
	uint64_t aggsize;		/* bytes per CPU for each keyed aggregation; 0: no numbered cells */
	uint64_t specsize;		/* bytes per CPU for each speculation */
	uint64_t printsize;		/* maximum bytes that print() records */
	unsigned nspec;			/* number of concurrent speculations */
	unsigned stackframes, ustackframes, jstackframes;	/* default numbers of frames */
	unsigned maxframes;		/* maximum number of frames of any stack */
	int cpu;			/* the only CPU whose firings count; -1: all */
	const char *amin;		/* minimum stability, name/data/class; NULL: any */
	const char *argdefaults;	/* values of missing or empty $1, $2..., separated by commas; NULL: none */
	bool runtimeframes;		/* jstack() also has the native frames that script frames replace */
	bool defaultargs;		/* a missing $1 is 0, a missing $$1 is "" */
	bool zdefs;			/* a description that matches no probe is not an error */
	bool empty;			/* a text may be empty */
	bool argref;			/* unused arguments are allowed */
	bool destructive;		/* destructive actions are allowed */
	bool lineblocks;		/* `line` probes of one basic block fire together */
	bool linepaths;			/* their source files are named by whole paths */
	bool uretprobe;			/* return probes of pid replace the return address */
	uint64_t maxfirings;		/* a second, of probes of all processes (pid*); 0: no limit */
	bool tailreturn;		/* the same, only for functions that end with a tail call */
	const char *cgroup;		/* the only control group that is traced; NULL: all */
	const char *container;		/* the only container; NULL: all */
	bool onlytarget;		/* only firings in $target and its descendants count */
	bool thin;			/* firings can be thinned (-x maxcost) */
	bool followfork;		/* probes in processes also fire in processes that these create */
	bool share_self;		/* providers with separate self-> variables share those of all others */
};

struct arena;

enum { ENV_TARGETS = 64 };		/* most processes of -p */

/* Properties of the session and the machine, as opposed to options. */
struct compile_env {
	const char *const *fixed;	/* names of options that a pragma does not change, up to NULL; or NULL */
	const char *argv0;		/* $0 and $$0: the script's name; NULL: "" */
	const char **args;		/* $1... */
	unsigned nargs;
	int64_t target;			/* $target: PID of -p or -c; -1: none */
	const int64_t *targets;		/* the same, and the other processes of -p */
	size_t ntargets;
	uint32_t lines;			/* $lines: height of the output's terminal; 0: not a terminal */
	uint32_t pidns;			/* inode of dtr's PID name space; 0: the initial one */
	/* How many name spaces are around it, which only the kernel knows. thread_pid, level: offsets in struct
	 * task_struct and struct pid. -1: unknown; or the function is NULL. Not called if pidns is 0. */
	int (*pidns_level)(struct arena *a, uint32_t thread_pid, uint32_t level);
	bool tables;			/* user stacks by unwinding tables in the kernel */
	bool mark_truncated;		/* mark truncated stacks (VAL_CUT) */
	bool keep_native;		/* jstack() also has the native frames that it replaces, marked */
	const char *prelude;		/* path of prelude.d, read when one of its names is used; NULL: none */
	const char *refused;		/* why none of it can run, as the engine will report; NULL: it can */
	const char *kallsyms;		/* file with the kernel's symbols; NULL: the running kernel's */
	/* The controller whose hierarchy of version 1 has the control groups; NULL or the function NULL: version 2. */
	const char *(*cgroups)(void *arg);
	void *cgroups_arg;
	const char *btf;		/* file with the kernel's types; NULL: the running kernel's */
	/* The engine lays out the kernel's structures itself: if this kernel offers no types, those of rt/types.h are
	 * used. While it is not known which engine it is: one of those that may be chosen. */
	bool own_types;
};

#endif
