/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks from unwinding tables, in the kernel: what the walker (unwind.c, compiled for BPF) shares with the engine
 * that fills the tables (engine/bpf/unwind/unwinds.h).
 *
 * The engine writes, the walker reads, while both run:
 *
 *	struct unwind_shared	one map: spaces (the mappings of a process), pieces (a range of a file's code that has a
 *				table), rules
 *	chunks			maps of UNWIND_CHUNK bytes, which hold the lists of mappings and the tables
 *
 * A table has one word for each UNWIND_PAGE bytes of code, the index: the number of the page's first row. The row of an
 * address is the last one of its page that begins at or before it, or the last row of the pages before. A row is one
 * word: the low 8 bits of its address (bits 24 to 31), the number of its rule (bits 0 to 23).
 *
 * Changes are ordered so that the walker needs no lock. A space is invalid (id 0) while it changes, and each valid
 * state has an id of its own. A piece that is removed is first marked; its memory is reused after all programs that
 * were running then have ended.
 *
 * Ownership: none. Errors: none.
 */
#ifndef RT_UNWIND_H
#define RT_UNWIND_H

#include <stdint.h>

#include "rt/python.h"
#include "rt/v8.h"

enum {
	/* Registers have x86-64's DWARF numbers, in 32-bit processes too, where %esi is 12 and %edi is 13. */
	UNWIND_REG_FP = 6, UNWIND_REG_SP = 7, UNWIND_REG_PC = 16, UNWIND_REGS = 17,
	UNWIND_REG_RESULT = 0, UNWIND_REG_SECOND = 4,	/* of a system call; its second argument */
	UNWIND_REG_OLD_SP = 12,		/* of Go's assembler code that continues on another stack */
	UNWIND_SAVED = 6,		/* registers that functions save for their callers: 6, 3, 12, 13, 14, 15 */
	UNWIND_CHUNK = 1 << 20,		/* bytes of a chunk */
	UNWIND_CHUNKS = 4096,		/* limit of their number */
	UNWIND_PAGE_BITS = 8, UNWIND_PAGE = 1 << UNWIND_PAGE_BITS,
	UNWIND_SPACES = 8192, UNWIND_PROBES = 8,	/* a space is in one of this many slots after its hash */
	UNWIND_PIECES = 8192,
	UNWIND_RULES = 16384,
	UNWIND_DEPTH = 1024,		/* limit of ustackdepth */
	UNWIND_SP = 512, UNWIND_MERGED = 768,	/* for jstack(): where pc[] has the stack pointers, and the result */
	UNWIND_MAPPINGS = 4096,		/* most mappings of a space */
	UNWIND_LEVELS = 3,		/* walks that interrupt each other on a CPU */
	UNWIND_WINDOW = 2048,		/* bytes of the stack that are copied at once */
	UNWIND_CACHE = 1024,		/* rows that a CPU remembers; a power of two */
	UNWIND_RING = 8 << 20,		/* bytes of the ring of handovers */
	UNWIND_PARTS = 7,		/* most struct unwind_stack_part of a stack */
	UNWIND_PARTS_OTHER = 2,		/* those of an interrupted stack */
	UNWIND_CHECKED = 1 << 30,	/* in struct unwind_remembered: the address is one to which a call returns */
	UNWIND_PART = 102,		/* `why` of a struct unwind_stack_part (JSTACK_FUNCTION) */
	/* Bytes of the stack in a struct unwind_handover: one of these. */
	UNWIND_BELOW = 256,		/* bytes below the stack pointer, where some code keeps its caller */
	UNWIND_COPY_SMALL = 2 << 10, UNWIND_COPY_MEDIUM = 8 << 10, UNWIND_COPY = 32 << 10,
};

/* A frame that user space is to replace by the frames of struct unwind_handover.number: this + the number. No
 * address looks like this. */
#define UNWIND_PENDING 0xd7a0000000000000ull
#define UNWIND_PENDING_MASK 0xffff000000000000ull

enum unwind_kind {
	UNWIND_NONE,			/* no table: by the frame pointer */
	UNWIND_END,			/* the outermost frame */
	UNWIND_CFA,			/* CFA = reg + off */
	UNWIND_DEREF,			/* CFA = *(reg + off) + add */
	UNWIND_PLT,			/* CFA = reg + off, and a word more if (pc & 15) >= add */
	UNWIND_SIGNAL,			/* all registers are in the struct sigcontext at reg + off */
	UNWIND_GO,			/* code that changed from one of Go's stacks to another: rt/go.h */
	UNWIND_OTHER,			/* only user space can evaluate it */
	UNWIND_NKINDS
};

/* The numbers of rules that are the same for all files. */
enum unwind_fixed_rule {
	RULES_NONE,			/* code of a file without a table */
	RULES_END,
	RULES_OTHER,
	RULES_SIGRETURN,		/* code without a table that calls rt_sigreturn(2) */
	RULES_GENERATED,		/* executable memory that is in no file */
	RULES_NOWHERE,			/* no executable memory */
	RULES_FIRST			/* the first one of a table */
};

/* How a register is found: at the CFA + this offset, which is even; at the frame pointer + this offset - 1, if it is
 * odd (functions that align their stack); or one of these. */
enum { UNWIND_SAME = 0x7fff, UNWIND_LOST = 0x7ffe };

struct unwind_bpf_rule {
	uint8_t kind, reg;
	int16_t ra;			/* the return address is at the CFA + ra */
	int32_t off, add;
	int16_t saved[UNWIND_SAVED];
};

/* A process's mappings, sorted: `n` struct unwind_mapping in a chunk. */
struct unwind_space {
	uint32_t pid, id;		/* id 0: not valid */
	uint64_t owner;			/* its word in the table of owners: another value means other mappings */
	uint32_t chunk, at;		/* at: bytes */
	uint32_t n;
	uint32_t layout;		/* with `runtime`: number of its layout (rt/jstack.h) */
	uint64_t runtime;		/* address of its interpreter's data; 0: it has none, or nobody asks */
	uint64_t own;			/* bytes of code there that stores return addresses itself */
};

struct unwind_mapping {
	uint64_t start, end;
	uint64_t off;			/* address - start + off: offset in the piece */
	uint64_t piece;			/* 0: executable memory that is in no file */
};

enum unwind_piece_state { UNWIND_PIECE_ABSENT, UNWIND_PIECE_LOADED, UNWIND_PIECE_EMPTY };

struct unwind_piece {
	uint32_t state;			/* enum unwind_piece_state; EMPTY: there is no table */
	uint32_t chunk;
	uint32_t index;			/* its index: number of a word in the chunk */
	uint32_t pages;
};

struct unwind_shared {
	uint64_t pidns_dev, pidns_ino;	/* PID name space of the numbers of processes; ino 0: the initial one */
	uint64_t number;		/* of the next handover */
	uint64_t nested;		/* walks not made: UNWIND_LEVELS others were under way on the CPU */
	/* Offsets of task_struct.mm, mm_struct.start_stack, task_struct.thread.fsbase; 0: unknown. */
	uint64_t mm, start_stack, fsbase;
	uint64_t signal_stack, signal_size;	/* of task_struct.sas_ss_sp, sas_ss_size; 0: unknown */
	/* Of task_struct.utask, and in struct uprobe_task: vaddr, xol_vaddr; 0: unknown. The page of uprobes. */
	uint64_t uprobe, uprobe_addr, uprobe_slot, uprobes;
	uint64_t parts;			/* number of the latest stack with struct unwind_stack_part */
	uint64_t epoch;			/* see `used` */
	struct unwind_space space[UNWIND_SPACES];
	struct unwind_piece piece[UNWIND_PIECES];
	uint32_t used[UNWIND_PIECES];	/* `epoch` when the piece's table was last read */
	struct unwind_bpf_rule rule[UNWIND_RULES];
};

/* How walks ended, and why they could not go on. */
enum unwind_end {
	UNWIND_COMPLETE,		/* the outermost frame */
	UNWIND_FULL,			/* as many frames as the script wants */
	UNWIND_BROKEN,			/* no table and no frame pointer, or inconsistent data */
	UNWIND_UNREADABLE,		/* the stack could not be read */
	UNWIND_INVALID,			/* the next return address is none */
	UNWIND_NO_SPACE,		/* the process or its mappings are not known yet: handed over */
	UNWIND_NO_PIECE,		/* the file's table is not loaded yet: handed over */
	UNWIND_NO_RULE,			/* UNWIND_OTHER: handed over */
	UNWIND_LOST_HANDOVER,		/* of the last three: no room in the ring */
	UNWIND_NENDS
};

struct unwind_remembered {
	uint64_t pc;
	uint32_t id, rule;		/* valid in the space with this id; rule: also UNWIND_CHECKED */
};

/* For jstack(): a function of a process (rt/jstack.h). */
struct jstack_code {
	uint64_t number;		/* 0: unused */
	uint64_t pid, code, name, lines;	/* addresses of objects */
	uint64_t other;			/* of Python, of its file and first line; of V8: 0 */
};

/* The state of a walk, one per CPU and level. */
struct unwind_slot {
	uint64_t busy;
	uint64_t level;			/* its number on the CPU */
	uint64_t task, call, result;	/* of the call of a walker (rt/jstack.h); task 0: there is none */
	uint64_t end[UNWIND_NENDS];	/* counts */
	uint64_t reg[32];		/* UNWIND_REGS, padded for the bound of an index */
	uint64_t known;			/* bit set */
	uint64_t low;			/* address of the window's first byte */
	uint64_t high;			/* low + the bytes in it that are valid */
	uint64_t word;			/* bytes of a word */
	uint64_t exact;			/* pc is the address of an instruction, not a return address */
	uint64_t by_table;		/* the frame was found by a table */
	uint64_t how;			/* enum unwind_end; UNWIND_NENDS: goes on */
	uint64_t missing;		/* NO_PIECE: number of the piece */
	uint64_t n;			/* frames */
	uint64_t fault;			/* a word could not be read */
	struct unwind_space space;
	uint64_t pc[UNWIND_DEPTH + 1];	/* the frames */
	uint8_t window[UNWIND_WINDOW + 8];
	struct unwind_remembered cache[UNWIND_CACHE];
	uint64_t interpreted;		/* for jstack(): pc[] has stack pointers, too */
	uint64_t sent;			/* number of the struct jstack_frames that was sent; 0: none */
	uint64_t found;			/* `py` has the thread's frames */
	uint64_t go_sp;			/* where the next runtime.cgocallback was called (rt/go.h); 0: not known yet */
	uint64_t parts;			/* number of the struct unwind_stack_part that were sent; 0: none */
	uint64_t parts_from, nparts;	/* address of the first, how many */
	struct jstack_code wanted;	/* the function that is searched */
	struct rt_py py;
	struct rt_v8 v8;
};

/* A stack that user space is to unwind. */
struct unwind_handover {
	uint64_t number;		/* 0: nobody waits for the frames */
	uint64_t time;			/* CLOCK_MONOTONIC, ns */
	uint32_t pid, why;		/* enum unwind_end */
	uint32_t word, frames;		/* bytes of a word; the most frames */
	uint32_t bytes, piece;		/* bytes of stack[]; NO_PIECE: number of the piece */
	uint64_t below;			/* bytes of stack[] below the stack pointer */
	uint64_t flags;			/* UNWIND_MARK: a truncated stack ends with UNWIND_CUT; UNWIND_INTERPRETED and
					   UNWIND_REPLACED */
	uint64_t interpreted;		/* number of the struct jstack_frames that belongs to it; 0: none */
	uint64_t parts;			/* number of its struct unwind_stack_part, which precede it; 0: none */
	uint64_t reg[UNWIND_REGS];
	uint8_t stack[];
};

/* Another part of a stack that is handed over after this: UNWIND_COPY bytes. It begins like struct unwind_handover. */
struct unwind_stack_part {
	uint64_t number, time;
	uint32_t pid, why;		/* why: UNWIND_PART */
	uint64_t addr;			/* a multiple of the size of a page */
	uint64_t pages;			/* bit set: pages that could be read */
	uint8_t stack[];
};

/* A process has other mappings. In the ring, it is recognised by its size. */
struct unwind_notice {
	uint64_t pid;
};

enum {
	UNWIND_NOW = 1,			/* the frames are needed at once: none can be pending */
	UNWIND_MARK = 2,		/* a stack that is not complete ends with UNWIND_CUT */
	UNWIND_INTERPRETED = 4,		/* the frames of interpreted functions are wanted */
	UNWIND_REPLACED = 8,		/* also the native frames that they replace, marked (RT_PY_REPLACED) */
	UNWIND_RUNTIME = 16,		/* also the native frames that they replace, as they are */
};
#define UNWIND_CUT (~0ull)

/* Stores the current thread's user stack in dst[max], innermost frame first, and zeroes the rest. Returns the number of
 * words used. flags: UNWIND_NOW, UNWIND_MARK. */
uint64_t rt_unwind(uint64_t *dst, uint64_t max, uint64_t flags);
/* The number of frames of the current thread's user stack, at most `max`. */
uint64_t rt_unwinddepth(uint64_t max);
/* Like rt_unwind, with the frames of interpreted functions instead of those of their interpreter (rt/jstack.h).
 * ctx: the program's context. */
uint64_t rt_jstack(uint64_t *dst, uint64_t max, uint64_t flags, void *ctx);

#endif
