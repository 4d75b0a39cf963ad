/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of lowering. The entry point is lang_lower (lang/compile.h).
 *
 * A value is an ir_arg: an immediate, or a register with the value extended from its type to 64 bits. A string is a
 * place with a capacity that is a multiple of 8; it ends with a NUL and is padded with zeros.
 *
 * Ownership: the compile arena owns everything.
 * Errors: a limit is exceeded (D_LIMIT) or a kernel structure is missing (D_KTYPE). Lowering then continues with zero,
 * and lang_lower returns NULL.
 */
#ifndef LANG_LOWER_LOWER_H
#define LANG_LOWER_LOWER_H

#include "lang/check/typed.h"
#include "lang/compile.h"

enum {
	LOWER_MAXREC = 32760,	/* bytes in a record, a key or a temporary string: the range of a BPF offset */
	LOWER_TEXT_SHORT = 256,	/* a record has all bytes of a last string of this size */
	LOWER_MAXBRANCHES = 32,	/* ifs that record: bits in rec_hdr.branches */
	LOWER_MAXDEPTH = 2000,	/* nesting of expressions and ifs, after inlines and translators were expanded */
};

/* What a clause records; the same at all its probes. */
struct clause_info {
	const struct clause *clause;
	VEC(struct rec_act) acts;
	unsigned branches;	/* number of ifs that record something */
	bool always;		/* something is recorded outside of all ifs */
	uint32_t size;		/* size of the record; 0 = records nothing */
	bool exits;
	uint32_t varies;	/* offset of the last value, of which a record has only the beginning; or 0 */
	uint32_t text;		/* the size of that value if it is a string, else 0 */
	bool speculates;	/* a key follows the header */
	bool scratch;		/* allocates scratch memory */
	bool pred_time;		/* the predicate reads a clock */
	bool body_time;		/* the body reads a clock, or a record needs its time */
};

/* A clause of a probe, in the probe's list. */
struct enabling {
	struct enabling *next;
	struct clause_info *info;
	uint32_t epid;			/* at a gate: the epid of its first probe; the others follow */
	/* at a gate: bit set of its probes that the clause names */
	uint64_t *set;
	unsigned nset;
};

struct probe_info {
	struct probe *probe;		/* at a gate: its first probe */
	struct enabling *first, *last, **tail;
	const struct gate *gate;	/* or NULL */
};

/* The enabled ones of the probes that share a program (struct probe_gate). */
struct gate {
	const struct probe_gate *desc;
	VEC(struct probe *) members;
	struct map index;		/* probe -> member + 1 */
	struct probe_info *info;
	struct follow_gate *follow;	/* NULL: it has no spare probes */
	uint32_t table;			/* object: number -> member + 1; stored as object + 1, 0 = none yet */
	uint32_t ids;			/* object: member -> id, likewise */
	uint32_t texts[BI_COUNT];	/* objects: member -> text of a built-in variable */
};

/* The offset and size of a member of a kernel structure. */
struct kfield {
	bool known, missing, reported;	/* or something else that its construct lacks is */
	bool ours;		/* of a structure that the script declares */
	bool flexible;		/* an array without a length */
	uint64_t off;
	uint32_t size;
};

enum {
	KF_REAL_PARENT, KF_TGID, KF_PID, KF_COMM, KF_CRED, KF_CRED_UID, KF_CRED_GID, KF_SE, KF_SUM_EXEC, KF_FS,
	KF_FS_ROOT, KF_PATH_MNT, KF_PATH_DENTRY, KF_DENTRY_PARENT, KF_DENTRY_NAME, KF_QSTR_LEN, KF_QSTR_NAME,
	KF_MOUNT_PARENT, KF_MOUNT_POINT, KF_MOUNT_MNT, KF_MOUNT_INSTANCE, KF_MNT_ROOT, KF_DENTRY_SB,
	KF_SB_MOUNTS, KF_SB_MAGIC, KF_DENTRY_ALIAS, KF_INODE_SB, KF_INODE_NAMES, KF_MAPPING_HOST, KF_PAGE_MAPPING,
	KF_PAGE_HEAD, KF_MM, KF_ARG_START, KF_ARG_END,
	KF_MUTEX_OWNER, KF_RWSEM_COUNT, KF_THREAD_PID, KF_LEADER, KF_SIGNAL, KF_SIGNAL_PIDS, KF_PID_LEVEL,
	KF_PID_NUMBERS, KF_UPID_NR, KF_UPID_NS, KF_PIDNS_NS, KF_NS_INUM, KF_CGROUPS, KF_CGROUPS_DFL,
	KF_CGROUPS_SUBSYS, KF_SUBSYS_CGROUP, KF_CGROUP_KN, KF_CGROUP_LEVEL, KF_CGROUP_ANCESTORS, KF_KN_ID, KF_COUNT
};

struct lower {
	struct compiler *c;
	struct arena *arena;
	struct diags *diags;
	struct d_prog *prog;
	struct ir_prog *ir;
	struct ir_builder b;
	struct map strings;	/* text of a constant -> object + 1 */
	VEC(struct var *) reached;	/* variables that pointers may refer to */
	uint32_t nreach;
	struct map own_tls;	/* struct own_var -> object + 1: separate self-> variables of a provider */
	struct loc lacks;			/* the last construct that lacks a member of the kernel */
	struct kfield kfield[KF_COUNT];
	unsigned pidns_level;	/* of lower_pidns_level(); 0: not asked for yet */
	VEC(struct probe_info *) probes;
	struct map gates;	/* struct probe_gate * -> struct gate */
	struct probe_info *error;
	const struct node *vtime;	/* a use of vtimestamp; NULL = none */
	bool error_exits;	/* an ERROR clause calls exit() */
	uint32_t strsize;	/* multiple of 8 */
	uint32_t scratchsize;	/* multiple of 8, with space for a NUL */
	uint32_t ntemps;
	uint32_t strtok;	/* rest of strtok()'s string: object + 1 */
	uint32_t scratch;	/* object with a clause's scratch memory + 1; 0 = none */
	uint32_t shared_ends;	/* the LOCAL object + 1 with the end of scratch memory; 0 = none yet */
	uint32_t ends;		/* the same, if the probe's clauses share scratch memory; else 0 */
	struct known_keys **known;	/* indexed by agg_desc id (cells.c) */
	uint32_t cells_bytes;		/* size of all numbered cells on a CPU */
	unsigned depth;
	/* the function being built */
	const struct probe *probe;
	const struct probe_info *info;
	const struct probe_site *site;	/* or NULL */
	bool alt;
	const struct provider *own_self;	/* the provider, if its self-> variables are separate; NULL: shared */
	ir_reg ts;		/* time of the firing; 0 = not read yet */
	struct enabled_probe *enabled;	/* what the function is for; NULL: the error function, ... */
	uint32_t weight;	/* LOCAL object + 1: how many firings this one stands for; 0 = only itself */
	/* the clause being built */
	const struct enabling *en;
	ir_reg member;		/* at a gate with several probes: the firing one; 0 = not at such a gate */
	ir_reg choice;		/* at a gate: those of the next 64 clauses that name the firing probe */
	unsigned nth;		/* number of the clause in the function's list, from 0 */
	uint32_t next;		/* block of the next clause, where execution continues after a fault */
	uint32_t action;	/* number of the action, for fault messages */
	unsigned act;		/* next recording action */
	bool keyed;		/* in the key of an aggregation */
	bool faults;		/* a fault is possible */
	ir_reg top;		/* end of the allocated scratch memory; 0 = the clause allocates none */
	struct ir_arg fresh, fresh_off;	/* an address in new scratch memory, and its offset there */
	ir_reg limit;		/* end of the writable part of it, before the trailing zeros */
};

uint32_t lower_object(struct lower *l, enum ir_objkind kind, const char *name, uint32_t size, uint32_t keysize);
/* Creates a scratch object of this size, rounded up. Reports D_LIMIT if it is too large. */
uint32_t lower_temp(struct lower *l, uint64_t size);
/* Ends the block with a fault and begins an unreachable one. */
void lower_fault(struct lower *l, enum ir_fault kind, struct ir_arg value);
/* Faults if `v` is 0 (op IR_BEQ) or is not 0 (IR_BNE). */
void lower_fault_if(struct lower *l, enum ir_op op, struct ir_arg v, enum ir_fault kind, struct ir_arg value);
/* Enters one level of expressions or ifs; the caller decrements l->depth. Returns false after D_LIMIT. */
bool lower_enter_depth(struct lower *l, struct loc loc);

#endif
