/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jstack() in the kernel: what rt/jstack.c, compiled for BPF, shares with the engine. The walker of native stacks
 * (rt/unwind.h) knows which processes have an interpreter; rt/python.h reads its frames.
 *
 * A function has a number from when a program first sees it in a process. Its names go to user space at that moment, in
 * the ring of the native walker, because the process may end. A number stays valid as long as the code object at the
 * address has the same name, file, first line and table of lines.
 *
 * Ownership: none. Errors: a function without a number is not shown, and counted.
 */
#ifndef RT_JSTACK_H
#define RT_JSTACK_H

#include "rt/python.h"
#include "rt/unwind.h"
#include "rt/v8.h"

enum {
	JSTACK_LAYOUTS = 16,		/* different layouts of structures */
	JSTACK_THREADS = 4096,		/* threads whose state is remembered; a power of two */
	JSTACK_CODES = 8192,		/* functions with numbers; a power of two */
	JSTACK_PROBES = 4,		/* a function is in one of this many slots after its hash */
	JSTACK_TEXT = 512,		/* bytes of a name or path */
	/* bytes of a table of lines: one of these */
	JSTACK_LINES_SMALL = 1 << 10, JSTACK_LINES_MEDIUM = 4 << 10, JSTACK_LINES = 16 << 10,
	JSTACK_LAST = (1 << 24) - 1,	/* the highest number of a function */
	JSTACK_HIDDEN = 1 << 24,	/* not shown: the interpreter's own function */
	/* `why` of a struct jstack_function and of a struct jstack_frames, in the place of an unwind_end */
	JSTACK_FUNCTION = 100, JSTACK_FRAMES = 101,
};
/* What a walker of a run-time system's frames does: jstack_python() and jstack_v8(). */
enum jstack_step {
	JSTACK_FIND,			/* finds the thread's frames; returns 0 if there are none */
	JSTACK_SEND,			/* sends them: the stack is going to be handed over */
	JSTACK_MERGE,			/* merges them with the native ones; returns the number of words */
};

/* Of V8 (rt/v8stack.c). */
enum {
	V8STACK_FUNCTION = 110,		/* `why` of a struct v8stack_function (JSTACK_FUNCTION) */
	V8STACK_FRAMES = 111,		/* of a struct jstack_frames: what may be frames, also between native ones */
	V8STACK_CODE = 112,		/* of a struct v8stack_code */
	V8STACK_SAVED = 8,		/* frame pointers that are remembered; a power of two */
	V8STACK_SCAN = 8192,		/* words of a stack in which frames are searched */
	V8STACK_LAYOUT = 1 << 16,	/* in the number of a process's layout (struct unwind_space): V8 */
};
/* level: of the struct unwind_slot. step: enum jstack_step. flags: as of rt_jstack. */
uint64_t jstack_python(uint64_t level, uint64_t step, uint64_t flags);
uint64_t jstack_v8(uint64_t level, uint64_t step, uint64_t flags);
/* Call a walker, as s->call says (the step, flags << 8), and store what it returns in s->result. In most programs the
 * linker replaces them by a tail call of jstack_program_*, which is loaded when the engine sees the first process of
 * the run-time system (engine/bpf/load/walkers.h). Until then they do nothing. */
uint64_t jstack_call_python(void *ctx, struct unwind_slot *s);
uint64_t jstack_call_v8(void *ctx, struct unwind_slot *s);
uint64_t jstack_program_python(void *ctx);
uint64_t jstack_program_v8(void *ctx);
/* In `number`: the slot is being changed. */
#define JSTACK_BUSY (~0ull)
/* A frame of an interpreted function: this, its number << 32, the offset of its instruction (CODES_MARK in
 * engine/symbols/codes.h). */
#define JSTACK_WORD (0x80ull << 56)

struct jstack_shared {
	uint64_t numbers;		/* of functions so far; the last number is 2 * this - 1 */
	uint64_t lost;			/* functions without a number: no room in the ring */
	uint64_t sent;			/* number of struct jstack_frames */
	uint64_t thread_pid;		/* offset in task_struct; 0: unknown */
	uint64_t level, ids;		/* offsets in struct pid: level, numbers */
	uint64_t parent, group;		/* offsets in task_struct: real_parent, tgid; 0: unknown */
	struct rt_py_layout layout[JSTACK_LAYOUTS];
	struct rt_v8_layout v8[JSTACK_LAYOUTS];
	uint64_t thread[JSTACK_THREADS];	/* addresses of states, by ID: only guesses */
	struct jstack_code code[JSTACK_CODES];
};

/* A function that has got a number. It begins like struct unwind_handover. */
struct jstack_function {
	uint64_t number, time;
	uint32_t pid, why;		/* why: JSTACK_FUNCTION */
	uint32_t first;			/* line of its definition */
	uint32_t bytes;			/* of its table of lines */
	struct jstack_text {
		uint32_t kind;		/* bytes of a character; 0: unreadable */
		uint32_t n;		/* characters */
		uint8_t at[JSTACK_TEXT];
	} name, file;
	uint8_t lines[];
};

/* The interpreted frames of a stack that is handed over after this. */
struct jstack_frames {
	uint64_t number, time;
	uint32_t pid, why;		/* why: JSTACK_FRAMES */
	uint64_t n, more;		/* as in struct rt_py */
	struct rt_py_frame frame[RT_PY_FRAMES];
};

/* Code of V8 that has got a number, which stands for its function and for those that are inlined in it. It begins like
 * struct unwind_handover, and is as long. */
struct v8stack_code {
	uint64_t number, time;
	uint32_t pid, why;
	uint64_t function;		/* the number of its function */
	struct rt_v8_frame frame;
	struct rt_v8_code code;
	uint32_t room;			/* bytes for each table */
	uint32_t bytes[RT_V8_TABLES];	/* that were copied of each: all, or 0 */
	uint8_t rest[sizeof(struct unwind_handover)];
	uint8_t tables[];
};

/* A function of V8 that has got a number. It begins like struct unwind_handover. */
struct v8stack_function {
	uint64_t number, time;
	uint32_t pid, why;
	uint32_t half;			/* bytes of half of data[] */
	uint32_t copied;		/* bytes of the script's text that were copied: all or none */
	struct rt_v8_function function;
	uint8_t data[];			/* its table: function.bytes bytes, or none if there are too many; in the
					   second half the script's text, if it is short */
};

#endif
