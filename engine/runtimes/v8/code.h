/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions are at which instructions of compiled code, and at which lines. In optimised code functions are
 * inlined; baseline code has a table of the bytecode that each part was made of.
 *
 * Ownership: nothing is kept. Errors: what cannot be read is left out: then the code's function is shown.
 */
#ifndef ENGINE_RUNTIMES_V8_CODE_H
#define ENGINE_RUNTIMES_V8_CODE_H

#include "engine/symbols/codes.h"
#include "rt/v8.h"

enum {
	V8_CODE_TABLE = 1 << 16,	/* maximum size of a table of positions, and of bytecode */
	V8_INLINED = 256,		/* maximum number of functions, and of calls, that are inlined */
	V8_CODE_FRAMES = 16,		/* maximum number of frames of an instruction */
};

/* Compiled code. */
struct v8_compiled {
	struct rt_v8_frame frame;	/* its function; the position is not used */
	struct rt_v8_code code;
	uint32_t function;		/* the function's number in struct codes */
	/* Copies of its tables; NULL: they are read. */
	struct { const uint8_t *at; uint32_t bytes; } tables[RT_V8_TABLES];
};

/* Memory for v8_describe_code. */
struct v8_code_text {
	uint8_t table[V8_CODE_TABLE], bytecode[V8_CODE_TABLE], positions[V8_CODE_TABLE];
	uint8_t out[V8_CODE_TABLE];
};

struct v8_code_reader {
	struct rt_v8 v;			/* layout, read, arg */
	const uint8_t *sizes;		/* of bytecodes (struct v8_file) */
	uint32_t nsizes;
	/* The number of the function v->frame; 0: it has none. */
	uint32_t (*number)(void *arg, struct rt_v8 *v);
	/* The line of a position in the script of a function; 0: unknown. */
	uint32_t (*line)(void *arg, const struct rt_v8_frame *f, uint32_t position);
	void *arg;
};

/* Describes code as a function with inlined ones. *out refers to *text. */
void v8_describe_code(struct code *out, struct v8_code_text *text, const struct v8_compiled *c,
		      struct v8_code_reader *r);

#endif
