/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A compiled program: the result of lang, for the engines.
 *
 * Records. A record is a header and the fields of its clause's actions at fixed offsets:
 *	0  u64 timestamp of the firing (CLOCK_MONOTONIC, ns; one for all clauses of a firing)
 *	8  u32 epid
 *	12 u32 taken branches of the clause's ifs, one bit for each that has recording actions (rec_act.branch)
 *	16 fields
 * epid 0 is the error record (struct error_rec), which the engine writes when an operation faults.
 *
 * Ownership: the compile arena owns everything. Plain data. Errors: none.
 */
#ifndef LANG_PROG_H
#define LANG_PROG_H

#include "ir/ir.h"
#include "ir/value.h"
#include "lang/syntax/ast.h"
#include "lang/syntax/format.h"

struct rec_hdr {
	uint64_t ts;
	uint32_t epid;
	uint32_t branches;
};

struct error_rec {
	struct rec_hdr hdr;	/* epid = 0 */
	uint32_t epid;		/* the enabling whose clause faulted */
	uint32_t action;	/* 0 = predicate */
	uint32_t kind;		/* enum ir_fault */
	uint32_t pad;
	uint64_t value;		/* the bad address, ... */
};

/*
 * Speculations. A slot's state consists of its generation and one of the states below. `free` has a bit for each slot,
 * which is set if the slot can be taken. commit() and discard() of generation g write entry g % depth of the slot's
 * log; the consumer advances the slot's tail past the entries that it has read. If a log is full, its slot stays
 * SPEC_BUSY until then. A speculative record has a key after its header: the slot's number from 1, and the generation
 * (SPEC_KEY_SHIFT); 0: not speculative.
 */
enum { SPEC_INACTIVE, SPEC_ACTIVE, SPEC_BUSY, SPEC_ENDING = 3, SPEC_STATES = 3, SPEC_GEN_SHIFT = 2,
	SPEC_KEY_SHIFT = 16 };
enum { SPEC_COMMIT = 1, SPEC_DISCARD };		/* verdicts, in the log, in place of the state */
enum { SPEC_SLOT_STATE, SPEC_SLOT_TAIL, SPEC_SLOT_WORDS };
enum { SPEC_LOG_MARK, SPEC_LOG_TS, SPEC_LOG_WHERE /* CPU << 32 | epid */, SPEC_LOG_WORDS = 4 };
enum { SPEC_MINDEPTH = 16, SPEC_MAXDEPTH = 32768, SPEC_ENTRIES = 65536 };

struct spec_layout {
	bool used;
	unsigned n, words, depth;	/* slots; words of bits (then the number of busy slots); entries of a log */
	uint32_t free, slots, log;	/* objects */
};

/* Bytes of a record that do not count towards specsize: DTrace's header is shorter. */
enum { REC_OVERHEAD = 16 };

/* One recording action: what the consumer does with the record. */
struct rec_act {
	enum action act;		/* ACT_NONE: the default action of a clause without a body */
	uint32_t branch;		/* bit of the if's branch that contains it; 0: not in an if, always performed */
	struct type *shown;		/* print: type of the value or its target; trace: a floating-point type */
	const struct fmt *fmt;		/* printf, printa(fmt, ...) */
	struct val_field *fields;	/* the values, in order of the arguments */
	unsigned nfields;
	const struct agg_desc **aggs;	/* printa, clear, trunc, normalize, denormalize */
	unsigned naggs;
	struct loc loc;
	unsigned action;		/* number in the clause, for messages */
};

/* One clause at one probe: an enabling. */
struct epid_desc {
	uint32_t epid;			/* 1.. */
	struct probe *probe;
	const struct clause *clause;
	struct rec_act *acts;
	unsigned nacts;
	uint32_t recobj;		/* IR_O_REC object; 0xffffffff: the clause records nothing */
	uint32_t recsize, recmost;	/* bytes of its record, at least and at most */
	bool speculates;		/* the key of the speculation follows the header */
};

/* Why a clause must run at every firing. */
struct thin_obstacle {
	struct loc loc;
	const char *what;	/* what it does: "it assigns to a variable"; NULL: nothing prevents thinning */
	const char *name;	/* of the variable, function or action; or NULL */
};

/* Words of the object enabled_probe.thinned: firings that ran although others did not; how many firings these stand
 * for, and the sum of the squares of that. */
enum { THINNED_RUN, THINNED_FIRINGS, THINNED_SQUARES, THINNED_WORDS };

/* An enabled probe: its function, and its alternative form if the provider needs one. */
struct enabled_probe {
	struct probe *probe;
	struct ir_func *func;
	struct ir_func *alt;		/* or NULL */
	unsigned site;			/* index of the probe's site */
	/* With -x maxcost. thin: GLOBAL object of one word, set by the engine: N - 1; only one of N firings, a power of
	 * two, runs. thinned: GLOBAL object of THINNED_WORDS. -1: every firing runs; then obstacle.what is the reason,
	 * if it is one of the script. */
	int64_t thin, thinned;
	bool slows;			/* its clock can be slower instead (provider_clock.slowest) */
	struct thin_obstacle obstacle;
};

/* The package and NUMA node of a CPU. */
struct cpu_place {
	int32_t chip, node;
};
enum { PROG_PLACES = 1024 };	/* maximum number of CPUs; higher ones are unknown */
enum { PROG_OWNERS = 1 << 17 };	/* a power of two */

/* Offsets of members of struct task_struct, and of uid and gid in struct cred, for programs that load them directly. 0:
 * unknown, or the program uses too few of them to look them up. */
struct task_layout {
	uint32_t comm, pid, tgid, cred, uid, gid, start;	/* start_time */
	uint32_t mm, start_stack;	/* mm_struct.start_stack: the end of the first thread's stack */
	uint32_t fsbase;		/* address of the thread's own data */
	uint32_t signal_stack, signal_size;	/* its alternate signal stack */
	uint32_t uprobe, uprobe_addr, uprobe_slot;	/* task_struct.utask, and in that: vaddr, xol_vaddr */
	uint32_t thread_pid, pid_level, pid_numbers;	/* the IDs of a thread, in struct pid */
	uint32_t parent, group;		/* its real_parent; its tgid, if interpreted stacks are wanted */
};

/* What lets programs load from kernel addresses without a helper: IDs in the kernel's BTF of bpf_rdonly_cast()
 * (Linux 6.2), and of a structure that begins with a number of 8 bytes. 0: unknown, or the program reads none. */
struct kernel_loads {
	uint32_t cast, number;
};

/* Offsets in the kernel's structures for followfork (providers/family.h). 0: unknown. */
struct family_layout {
	uint32_t pid, tgid, thread_pid, signal;		/* struct task_struct */
	uint32_t live;					/* struct signal_struct: its threads */
	uint32_t level, numbers;			/* struct pid */
	uint32_t upid_ns;				/* struct upid */
	uint32_t ns_inum;				/* struct pid_namespace */
	uint32_t own_level;				/* no offset: the level of dtr's PID name space */
};

/* Bytes of the names of probes that are found while the program runs; the rest is cut. */
enum { FOLLOW_TEXT = 63 };

/* Objects of the program that describe the probes of a gate, which can have more of them while the program runs
 * (probe_gate.spare). */
struct follow_gate {
	struct probe **member;		/* by number, from 0 */
	size_t n;
	uint32_t text[BI_COUNT];	/* object + 1: member -> text of a built-in variable; 0 = none */
	uint32_t width[BI_COUNT];	/* bytes of each text */
	VEC(struct { const struct clause *clause; uint32_t obj; }) sets;	/* bits: the clause's members */
};

/* A comparison of a control group's name with a constant. Test number i is bit i of `marks` in the table
 * d_prog.cgroups.marks. */
struct cgroup_test {
	uint8_t kind;			/* VAL_CGROUP, VAL_CONTAINER ... */
	const char *text;
};
enum { CGROUP_TESTS = 64 };

/* An entry of that table: a control group for which some tests hold. Its place: CGROUP_WAYS entries from
 * (id % CGROUP_SETS) * CGROUP_WAYS on; unused ones are zeros. */
struct cgroup_mark {
	uint64_t id, marks;
};
enum { CGROUP_SETS = 256, CGROUP_WAYS = 4 };

/* The only control group that is traced, with those below it (-x cgroup). */
struct cgroup_only {
	uint64_t id;			/* 0: it does not exist */
	uint64_t level;			/* 0: the root */
};

/* What a program uses of control groups. */
struct cgroup_uses {
	bool any;
	VEC(struct cgroup_test) tests;
	int64_t marks, only;		/* GLOBAL objects, written by the session; -1: none */
	/* offsets in struct cgroup, cgroup_root and kernfs_node, for reports of new ones; 0: unknown */
	uint32_t kn, level, ancestors, root, hierarchy, kn_id, kn_name;
};

struct d_prog {
	struct arena *arena;
	struct script *script;
	struct types *types;		/* including the kernel's, until the compiler is closed */
	int64_t target;			/* $target, or -1 */
	size_t ntargets;
	struct ir_prog *ir;
	VEC(struct epid_desc) epids;	/* epids.v[i].epid == i + 1 */
	VEC(struct enabled_probe) probes;	/* in order of first mention, without ERROR */
	struct ir_func *error;		/* NULL: no ERROR clause */
	VEC(struct follow_gate *) follow;
	struct ir_func *vtime;		/* runs at every context switch; NULL: vtimestamp is not used */
	struct ir_func *thread_end;	/* runs when a thread is freed, before its variables are; NULL: not needed */
	uint32_t strsize;
	struct spec_layout spec;
	bool has_records;		/* a clause records something: buffers are needed */
	bool uses_exit;
	struct task_layout task;
	struct kernel_loads loads;
	struct family_layout families;	/* only with followfork */
	int64_t places;			/* GLOBAL object: struct cpu_place by CPU, set by the engine; -1 = none */
	int64_t owners;			/* GLOBAL object of PROG_OWNERS words, written by the engine: by the low bits
					 * of a process ID, val_owner of the process whose addresses last changed
					 * their meaning; -1 = no key needs it */
	struct cgroup_uses cgroups;
	bool uses_wall;			/* GLOBAL object "wall_offset": ns, wall_offset(); set by the engine */
	bool uses_cpu;			/* the script or -x cpu needs the CPU number */
};

#endif
