/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JavaScript frames for jstack(): V8 of Node 18 and 20. rt/v8.h reads its frames.
 *
 * Ownership: struct v8_runtime owns everything until v8_close (NULL is allowed). Errors: v8_open returns NULL if memory
 * runs out. What is not known is shown as native frames; v8_lacks says why.
 */
#ifndef ENGINE_RUNTIMES_V8_V8_H
#define ENGINE_RUNTIMES_V8_V8_H

#include "base/buf.h"
#include "engine/runtimes/v8/code.h"
#include "engine/runtimes/v8/find.h"
#include "engine/runtimes/v8/lines.h"
#include "engine/symbols/object.h"

struct v8_runtime;

struct v8_runtime *v8_open(struct codes *codes);
void v8_close(struct v8_runtime *r);
/* True if an object contains a V8 that is supported. bias: its address in the process less its link address. Then
 * stores the address of the code of V8's own functions and the layout. */
bool v8_mapped(struct v8_runtime *r, int64_t pid, struct object *o, uint64_t bias, const struct jstack_memory *m,
	       uint64_t *code, struct rt_v8_layout *layout);
/* Gives a function of a process a number of the caller's choice (codes_put). Returns false if memory runs out. */
bool v8_function_put(struct v8_runtime *r, uint32_t number, int64_t pid, const struct rt_v8_function *f,
		     const struct v8_copy *copy, const struct jstack_memory *m);
/* The word for a frame at an instruction (codes_add, codes_frames); 0: it has none. v: as rt_v8_frame has left it. */
uint64_t v8_word_at(struct v8_runtime *r, int64_t pid, struct rt_v8 *v, uint64_t pc, const struct jstack_memory *m);
/* True if the function of a frame was seen before, in this process. */
bool v8_seen(const struct v8_runtime *r, int64_t pid, const struct rt_v8_frame *f);
/* The same as v8_function_put for code. */
bool v8_code_put(struct v8_runtime *r, uint32_t number, int64_t pid, const struct v8_compiled *c,
		 const struct jstack_memory *m);
/* Appends a sentence about processes whose functions are not shown, if any. */
void v8_lacks(const struct v8_runtime *r, struct buf *out);

#endif
