/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of lowering, shared by lower*.c. The entry point is lang_lower (lang/compile.h).
 *
 * A value is an ir_arg: an immediate, or a register with the value extended from its type to 64 bits. A string is a
 * place with a capacity that is a multiple of 8; it ends with a NUL and is padded with zeros.
 *
 * Ownership: the compile arena owns everything.
 * Errors: a limit is exceeded (D_LIMIT) or a kernel structure is missing (D_KTYPE). Lowering then continues with zero,
 * and lang_lower returns NULL.
 */
#ifndef LANG_LOWER_H
#define LANG_LOWER_H

#include "lang/check.h"
#include "lang/compile.h"

enum {
	LOWER_MAXREC = 32760,	/* bytes of a record, a key or a temporary string: what a BPF offset reaches */
	LOWER_MAXBRANCHES = 32,	/* of ifs that record: bits in rec_hdr.branches */
	LOWER_MAXDEPTH = 2000,	/* of expressions and ifs, after inlines and translators were put in */
};

/* What a clause records, the same at all its probes. */
struct clause_info {
	const struct clause *clause;
	VEC(struct rec_act) acts;
	unsigned branches;	/* of ifs that record something */
	bool always;		/* something is recorded outside of every if */
	uint32_t size;		/* of the record; 0 = records nothing */
	bool exits;
	bool speculates;	/* a key follows the header */
	bool scratch;		/* it allocates scratch memory */
	bool pred_time;		/* the predicate reads a clock */
	bool body_time;		/* the body does, or a record needs its time */
};

/* A clause of a probe, in the list of its function. */
struct enabling {
	struct enabling *next;
	struct clause_info *info;
	uint32_t epid;			/* at a gate: that of the first of its probes; they count on */
	/* at a gate: which of its probes it names, a bit each */
	uint64_t *set;
	unsigned nset;
};

struct probe_info {
	struct probe *probe;		/* at a gate: its first one */
	struct enabling *first, *last, **tail;
	const struct gate *gate;	/* or NULL */
};

/* Probes that share a program (struct probe_gate): those that the script enables. */
struct gate {
	const struct probe_gate *desc;
	VEC(struct probe *) members;
	struct map index;		/* probe -> member + 1 */
	struct probe_info *info;
	uint32_t table;			/* object: number -> member + 1; once it was made: + 1 */
	uint32_t ids;			/* object: member -> id, likewise */
	uint32_t texts[BI_COUNT];	/* objects: member -> text of a built-in variable */
};

/* The place of a member of a kernel structure. */
struct kfield {
	bool known, missing;
	uint64_t off;
	uint32_t size;
};
enum { KF_REAL_PARENT, KF_TGID, KF_PID, KF_COMM, KF_CRED, KF_CRED_UID, KF_CRED_GID, KF_SE, KF_SUM_EXEC, KF_FS, KF_FS_ROOT, KF_PATH_MNT, KF_PATH_DENTRY,
       KF_DENTRY_PARENT, KF_DENTRY_NAME, KF_QSTR_LEN, KF_QSTR_NAME, KF_MOUNT_PARENT, KF_MOUNT_POINT, KF_MOUNT_MNT,
       KF_MNT_ROOT, KF_MM, KF_ARG_START, KF_ARG_END, KF_MUTEX_OWNER, KF_RWSEM_COUNT, KF_THREAD_PID, KF_LEADER, KF_SIGNAL,
       KF_SIGNAL_PIDS, KF_PID_LEVEL, KF_PID_NUMBERS, KF_UPID_NR, KF_UPID_NS, KF_PIDNS_NS, KF_NS_INUM, KF_COUNT };

struct lower {
	struct compiler *c;
	struct arena *arena;
	struct diags *diags;
	struct d_prog *prog;
	struct ir_prog *ir;
	struct ir_builder b;
	struct map strings;	/* text of a constant -> object + 1 */
	VEC(struct var *) reached;	/* variables that pointers may point into */
	uint32_t nreach;
	struct map own_tls;	/* struct own_var -> object + 1: self-> variables of providers that have their own */
	struct kfield kfield[KF_COUNT];
	VEC(struct probe_info *) probes;
	struct map gates;	/* struct probe_gate * -> struct gate */
	struct probe_info *error;
	const struct node *vtime;	/* a use of vtimestamp, NULL = none */
	bool error_exits;	/* an ERROR clause calls exit() */
	uint32_t strsize;	/* multiple of 8 */
	uint32_t scratchsize;	/* the same, with room for a NUL */
	uint32_t ntemps;
	uint32_t strtok;	/* what is left of strtok()'s string: object + 1 */
	uint32_t scratch;	/* object that is a clause's scratch memory + 1, 0 = none */
	struct known_keys **known;	/* by agg_desc id (cells.c) */
	uint32_t cells_bytes;		/* of all numbered cells, on a CPU */
	unsigned depth;
	/* the function being built */
	const struct probe *probe;
	const struct probe_info *info;
	const struct probe_site *site;	/* or NULL */
	bool alt;
	const struct provider *own_self;	/* the provider whose self-> variables are its own; NULL: shared */
	ir_reg ts;		/* the firing's time, 0 = not read yet */
	/* the clause being built */
	const struct enabling *en;
	ir_reg member;		/* at a gate with several probes: which one fires, 0 = none of that kind */
	uint32_t next;		/* block of the next clause: where faults go on */
	uint32_t action;	/* number for fault messages */
	unsigned act;		/* next recording action */
	bool keyed;		/* what is lowered is the key of an aggregation */
	bool faults;		/* a fault is possible */
	ir_reg top;		/* end of what is allocated in its scratch memory, 0 = the clause allocates nothing */
	ir_reg limit;		/* the same without the zeros after it: what is written ends there */
};

/* ---- lower.c ---- */
uint32_t lower_object(struct lower *l, enum ir_objkind kind, const char *name, uint32_t size, uint32_t keysize);
/* A scratch object of this many bytes, rounded up. Too many: D_LIMIT. */
uint32_t lower_temp(struct lower *l, uint64_t size);
/* Ends the block with a fault and begins an unreachable one. */
void lower_fault(struct lower *l, enum ir_fault kind, struct ir_arg value);
/* Faults if `v` is 0 (op IR_BEQ) or is not 0 (IR_BNE). */
void lower_fault_if(struct lower *l, enum ir_op op, struct ir_arg v, enum ir_fault kind, struct ir_arg value);
bool lower_enter_depth(struct lower *l, struct loc loc);

/* ---- lower_gate.c ---- */
/* Finds the gates and their probes. */
void lower_find_gates(struct lower *l);
struct gate *lower_gate(struct lower *l, const struct probe *p);
/* Continues if one of the gate's probes fires; else jumps to `skip`. */
void lower_gate_enter(struct lower *l, uint32_t skip);
/* At the start of a clause: continues if it names the firing probe; else jumps to `no`. */
void lower_gate_clause(struct lower *l, uint32_t no);
struct ir_arg lower_epid(struct lower *l);
struct ir_arg lower_id(struct lower *l);
/* A table with a word for each of the gate's probes; the word of the one that fires. */
uint32_t lower_gate_table(struct lower *l, const char *what, const uint64_t *words);
struct ir_arg lower_gate_load(struct lower *l, uint32_t table);
/* The text of probefunc and the like where lower_builtin_text does not know it. */
void lower_gate_text(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);

/* ---- lower_rec.c ---- */
void lower_clause_info(struct lower *l, struct clause_info *ci);

/* ---- lower_act.c ---- */
void lower_body(struct lower *l);

/* ---- func_spec.c ---- */
/* speculate(), commit(), discard(); rec: the object of the clause's record, if it has one. */
void lower_speculation(struct lower *l, const struct node *call, uint32_t rec);

/* ---- lower_destruct.c ---- */
void lower_stop(struct lower *l, const struct node *call, uint32_t rec);
void lower_raise(struct lower *l, const struct node *call, uint32_t rec);
void lower_chill(struct lower *l, const struct node *call, uint32_t rec);

/* ---- lower_key.c ---- */
/* Fills `size` bytes of object o from `off` on with the values of nodes as fields, padding included. */
void lower_fields(struct lower *l, uint32_t o, uint32_t off, uint32_t size, const struct val_field *f,
		  struct node **nodes, unsigned n);
void lower_zero(struct lower *l, uint32_t o, uint32_t from, uint32_t to);
/* Lowers a statement and the following ones that share its row. */
void lower_agg(struct lower *l, const struct stmt *s);

/* ---- share.c ---- */
/* Gives every aggregation its object; marks the statements that share the row of the one before (stmt->shares). */
void lower_agg_objects(struct lower *l);

/* ---- lower_expr.c ---- */
struct ir_arg lower_expr(struct lower *l, const struct node *n);
/* For its effects only. */
void lower_effect(struct lower *l, const struct node *n);
/* Ends the block: to `yes` if n is not 0, else to `no`. */
void lower_branch(struct lower *l, const struct node *n, uint32_t yes, uint32_t no);
/* One operation, folded if both operands are known. */
struct ir_arg lower_op(struct lower *l, enum ir_op op, struct ir_arg a, struct ir_arg b);
/* a op b as C computes it in type t. */
struct ir_arg lower_arith(struct lower *l, enum op op, const struct type *t, struct ir_arg a, struct ir_arg b);
/* Faults if v, the value of n, as an index of elements of `size` bytes exceeds RANGE_MEMORY. */
void lower_check_index(struct lower *l, const struct node *n, struct ir_arg v, uint64_t size);
/* v, which has type `from` (NULL: any 64 bits), as a value of `to`: of its width; for a bool 0 or 1. */
struct ir_arg lower_fit(struct lower *l, struct ir_arg v, const struct type *from, const struct type *to);

/* ---- lower_var.c ---- */
struct ir_arg lower_var(struct lower *l, const struct node *n);
struct ir_arg lower_assign(struct lower *l, const struct node *n, bool want);
struct ir_arg lower_step(struct lower *l, const struct node *n, bool want);
/* The place of a variable's value. */
struct var_place {
	enum ir_objkind kind;
	uint32_t obj;
	uint32_t key;		/* DYN: the object that holds the key */
	bool thread;		/* DYN: of a thread, whose number the key begins with */
};
/* Evaluates the key of an element. */
struct var_place lower_place(struct lower *l, const struct node *n);
/* The memory of the value. That of a thread variable or an element is looked up first (make: made if it is not there);
 * if there is none, goes to the block `absent`. */
struct ir_arg lower_cell(struct lower *l, const struct var_place *p, bool make, uint32_t absent);
/* Deletes an element; makes a thread variable zero if there is one. */
void lower_forget(struct lower *l, const struct var_place *p, uint32_t size);

/* `size` bytes at an offset in a variable of `all` bytes; outside of it is a fault. */
void lower_var_read(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg to,
		    uint32_t size);
void lower_var_write(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg from,
		     uint32_t size);
/* A string that begins there and ends at the end of the variable at the latest. */
void lower_var_string(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg to,
		      uint32_t size);
/* The same from the object obj, which has lower_reach_size(all) bytes; those after the variable are zero. A smaller
 * object (the variable is too large for that size) always faults. */
void lower_gets(struct lower *l, uint32_t obj, uint32_t all, struct ir_arg off, struct ir_arg to, uint32_t size);

/* ---- lower_builtin.c ---- */
struct ir_arg lower_builtin(struct lower *l, const struct node *n);
/* The text of a string built-in that is known now, or NULL. */
const char *lower_builtin_text(const struct lower *l, const struct node *n);
struct ir_arg lower_time(struct lower *l);
/* The thread that the probe fires for: its struct task_struct. */
struct ir_arg lower_task(struct lower *l);
/* The ID of its process, for the call or variable n. */
struct ir_arg lower_pid(struct lower *l, const struct node *n);

/* The first word of a value with an address of process `pid` (ir/value.h); in a key it has a time. */
struct ir_arg lower_owner(struct lower *l, struct ir_arg pid, bool keyed);

/* ---- lower_kfield.c ---- */
/* A member of a kernel structure at `base` (its value extended with zeros), for the built-in variable n; and its
 * address. */
struct ir_arg lower_kfield(struct lower *l, const struct node *n, struct ir_arg base, unsigned which);
struct ir_arg lower_kfield_addr(struct lower *l, const struct node *n, struct ir_arg base, unsigned which);
/* The same for a structure that a pointer of any space points to. */
struct ir_arg lower_kfield_behind(struct lower *l, const struct node *n, const struct node *ptr, unsigned which);

/* ---- lower_pids.c ---- */
/* IDs of a thread as this process sees them, whatever the name space: the thread's, its process's, its process
 * group's, its session's; 0: it has none there. `n` as above. */
enum { ID_THREAD, ID_PROCESS, ID_GROUP, ID_SESSION, NIDS };
struct ir_arg lower_task_id(struct lower *l, const struct node *n, struct ir_arg task, unsigned which);

/* ---- lower_args.c ---- */
void lower_execargs(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);

/* ---- lower_vtime.c ---- */
struct ir_arg lower_vtimestamp(struct lower *l, const struct node *n);
/* The program that runs at thread switches. Only if l->vtime. */
struct ir_func *lower_vtime_switch(struct lower *l);

/* ---- lower_mem.c ---- */
/* The address space of a pointer. */
enum space {
	SPACE_KERNEL,
	SPACE_USER,		/* memory of the current process */
	SPACE_VAR,		/* a variable of the script: an address is an offset in it */
	SPACE_ANY,		/* the kernel's memory or the clause's scratch memory: the address tells */
};
/* A place in memory. */
struct mem {
	struct ir_arg base;
	uint64_t bitoff;	/* from there */
	enum space space;
	struct var_place var;	/* SPACE_VAR */
	uint32_t size;		/* of that variable */
};
/* Evaluates a pointer. */
struct mem lower_behind(struct lower *l, const struct node *ptr);
struct ir_arg lower_byte_addr(struct lower *l, const struct mem *m);
/* `size` bytes from there to a place; faults if they cannot be read. An integer (1, 2, 4, 8 bytes), zero-extended. */
void lower_read_mem(struct lower *l, const struct mem *m, struct ir_arg to, uint32_t size);
struct ir_arg lower_read_int(struct lower *l, const struct mem *m, uint32_t size);
struct ir_arg lower_load(struct lower *l, const struct node *n);
struct ir_arg lower_addr(struct lower *l, const struct node *n);
/* Reads the string that a pointer points to, at most `size` bytes. */
void lower_string_at(struct lower *l, const struct node *ptr, struct ir_arg to, uint32_t size);
/* A member that is a string: `size` bytes of it to a place, or from one. */
void lower_string_member(struct lower *l, const struct node *n, struct ir_arg to, uint32_t size);
void lower_assign_string(struct lower *l, const struct node *n, struct ir_arg from, uint32_t size);
/* A whole structure to a place; from one to another. */
void lower_structure(struct lower *l, const struct node *n, struct ir_arg to);
/* The same for a record. */
void lower_record_bytes(struct lower *l, const struct node *n, struct ir_arg to);
void lower_assign_structure(struct lower *l, const struct node *n);
/* Assignment operators, ++ and -- on a place in memory or in a structure. */
struct ir_arg lower_assign_memory(struct lower *l, const struct node *n);
struct ir_arg lower_step_memory(struct lower *l, const struct node *n);
/* `size` bytes (1, 2, 4, 8) at addr in the kernel, zero-extended; faults if they cannot be read. */
struct ir_arg lower_kread(struct lower *l, struct ir_arg addr, uint32_t size);

/* ---- lower_space.c ---- */
enum space lower_space(const struct lower *l, const struct node *ptr);
/* `size` bytes at addr to a place; faults if they cannot be read. */
void lower_read(struct lower *l, enum space space, struct ir_arg addr, struct ir_arg to, uint32_t size);
/* The same, but bytes after the end of scratch memory read as zeros. */
void lower_read_loose(struct lower *l, enum space space, struct ir_arg addr, struct ir_arg to, uint32_t size);
/* The same for a string of at most `size` bytes. */
void lower_read_string(struct lower *l, enum space space, struct ir_arg addr, struct ir_arg to, uint32_t size);
/* `size` bytes of a place to addr; faults if that is not in the clause's scratch memory. */
void lower_write(struct lower *l, struct ir_arg addr, struct ir_arg from, uint32_t size);
/* Allocates `size` bytes of scratch memory; returns the offset. zero: filled with zeros. Faults if there is not
 * enough. */
struct ir_arg lower_alloc(struct lower *l, struct ir_arg size, bool zero);
/* The address of an offset in scratch memory. */
struct ir_arg lower_scratch_addr(struct lower *l, struct ir_arg off);
/* The offset of `size` bytes (known only now) at addr, which must be in scratch memory: else a fault. */
struct ir_arg lower_scratch_offset(struct lower *l, struct ir_arg addr, struct ir_arg size);
/* The number that stands for the start of a variable. */
struct ir_arg lower_var_address(struct lower *l, struct var *v, struct ir_arg off);
/* Of the object of such a variable: strings are read at places that are only known at run time (docs/ir.md). */
static inline uint32_t lower_reach_size(uint32_t size) { return 2 * size + 16; }
/* Finds the variables that can be reached. */
void lower_find_reached(struct lower *l);
/* Brings `size` bytes (known only at run time) of memory, of a string, to an offset in scratch memory. */
void lower_fill(struct lower *l, const struct mem *from, struct ir_arg off, struct ir_arg size);
void lower_fill_string(struct lower *l, const struct node *n, struct ir_arg off, struct ir_arg size, struct ir_arg addr);

/* ---- lower_str.c ---- */
struct strval {
	const char *text;	/* a constant of len bytes, or NULL */
	size_t len;
	struct ir_arg place;
	uint32_t cap;
};
uint32_t lower_cap(const struct lower *l, const struct type *t);
/* Of a variable of any type. */
static inline uint32_t lower_bytes(const struct lower *l, const struct type *t)
{
	return type_is_string(t) ? lower_cap(l, t) : (uint32_t)t->size;
}
void lower_string(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);
struct strval lower_strval(struct lower *l, const struct node *n);
/* A string in memory and its capacity; of an expression, likewise. */
struct ir_arg lower_in_place(struct lower *l, const struct strval *s, uint32_t *cap);
struct ir_arg lower_strplace(struct lower *l, const struct node *n, uint32_t *cap);
void lower_store_string(struct lower *l, const struct strval *s, struct ir_arg dst, uint32_t cap);
/* The name of the current process. */
void lower_execname(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);
/* Ends the block: a comparison of two strings. */
void lower_compare_strings(struct lower *l, const struct node *n, uint32_t yes, uint32_t no);

#endif
