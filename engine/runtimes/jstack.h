/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Interpreted frames for jstack(), read from the memory of a running process: CPython 3.11 and later.
 *
 * A stack can have such frames only if a native frame is in a file that exports an interpreter. Other stacks cost one
 * look-up of a file for each native frame. Memory is read when jstack_read is called, later than the stack was
 * sampled: the words on the thread's stack are taken from the sample, the rest is as it is now.
 *
 * Ownership: struct jstack owns everything until jstack_close (NULL is allowed), except `codes` and the source of
 * symbols. Errors: jstack_open returns NULL if memory runs out. What cannot be read is shown as native frames;
 * jstack_lacks says why.
 */
#ifndef ENGINE_RUNTIMES_JSTACK_H
#define ENGINE_RUNTIMES_JSTACK_H

#include "base/buf.h"
#include "engine/symbols/codes.h"
#include "engine/unwind/unwind.h"
#include "rt/python.h"
#include "rt/v8.h"

struct jstack;

/* A native stack, innermost frame first. */
struct jstack_native {
	const uint64_t *pc;
	const uint64_t *sp;		/* the stack pointer in each frame */
	uint32_t n;
	uint64_t end;			/* the last frame ends here */
	enum rt_py_keep keep;		/* what becomes of frames that are replaced */
};

/* The thread of a native stack. */
struct jstack_thread {
	int64_t pid, tid;
	uint64_t at;			/* time of the stack, CLOCK_MONOTONIC, ns */
	const uint8_t *stack;		/* copy of its memory from native.sp[0] on; `size` bytes */
	uint32_t size;
};

/* A stack that is made: v[max]. */
struct jstack_words {
	uint64_t *v;
	uint32_t max, n;
	bool cut;			/* there would be more */
};

struct mapping;
struct v8stack_code;			/* rt/jstack.h */
struct v8_copy;				/* engine/runtimes/v8/lines.h */

struct jstack *jstack_open(const struct symbol_ops *ops, void *arg, struct codes *codes);
void jstack_close(struct jstack *j);
/* Replaces the native frames of interpreters by the interpreted frames, at most RT_PY_FRAMES of each. out: `v` and
 * `max` are set. */
void jstack_read(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s,
		 struct jstack_words *out);
/* The same for V8 only, for which the thread's ID is not needed. Returns false, and stores nothing, if no native frame
 * is in V8. */
bool jstack_read_v8(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s,
		    struct jstack_words *out);
/* Of n frames in `frame`, leaves those where V8's code has its frames, in their order, and looks for positions that are
 * missing. Returns their number. */
uint32_t jstack_choose_v8(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s,
			  struct rt_py_frame *frame, uint32_t n);
/* True if the file of a process's mapping has an interpreter that is supported. Then stores the address of its data and
 * its layout. */
bool jstack_mapped(struct jstack *j, int64_t pid, const struct mapping *x, uint64_t *runtime,
		   struct rt_py_layout *layout);
/* The same for V8 (rt_v8.code). */
bool jstack_mapped_v8(struct jstack *j, int64_t pid, const struct mapping *x, uint64_t *code,
		      struct rt_v8_layout *layout);
/* A function of V8 that got a number (codes_put). Returns false if memory runs out. */
bool jstack_function_v8(struct jstack *j, uint32_t number, int64_t pid, const struct rt_v8_function *f,
			const struct v8_copy *copy);
/* The same for code of V8. */
bool jstack_code_v8(struct jstack *j, const struct v8stack_code *c);
/* Appends a sentence about processes whose interpreted functions are not shown, if any. */
void jstack_lacks(const struct jstack *j, struct buf *out);

#endif
