/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of JavaScript functions. V8's tables give positions in the source text, in characters; the lines of the text
 * are found by reading it from the process, once for each script.
 *
 * Ownership: struct v8_scripts owns the lines of scripts until v8_scripts_close (idempotent; zeroed is closed). Errors:
 * a function whose script cannot be read has no lines.
 */
#ifndef ENGINE_RUNTIMES_V8_LINES_H
#define ENGINE_RUNTIMES_V8_LINES_H

#include "engine/symbols/codes.h"
#include "rt/v8.h"

enum {
	V8_SCRIPTS = 1 << 8,		/* scripts whose lines are kept */
	V8_NAME = 512,			/* maximum length of a name or path in UTF-8, with its NUL */
	V8_LINES = 1 << 16,		/* maximum size of a table of lines */
	V8_TABLE = 1 << 16,		/* maximum size of a table of positions */
};

/* Where the lines of a script end. */
struct v8_script {
	int64_t pid;			/* 0: unused */
	uint64_t at;			/* address of the script */
	uint32_t id;
	uint32_t *end, n;		/* positions, in characters */
};

struct v8_scripts {
	struct v8_script v[V8_SCRIPTS];
};

/* What was copied of a function. */
struct v8_copy {
	const uint8_t *table;		/* its table of positions */
	const uint8_t *source;		/* the text of its script; NULL: it is read from the process */
};

/* The memory for a function that v8_describe stores. */
struct v8_function_text {
	char name[V8_NAME], file[V8_NAME];
	uint8_t lines[V8_LINES];
};

void v8_scripts_close(struct v8_scripts *s);
/* Describes a function. *out refers to *text. v: for memory of the process; only layout, read and arg are used. */
void v8_describe(struct code *out, struct v8_function_text *text, const struct rt_v8_function *f,
		 const struct v8_copy *copy, struct v8_scripts *s, int64_t pid, struct rt_v8 *v);
/* The line of a position in a function's script, if the lines of that are known; 0: they are not. */
uint32_t v8_position_line(struct v8_scripts *s, int64_t pid, const struct rt_v8_frame *f, uint32_t position);
/* The numbers of V8's tables. */
struct v8_bytes {
	const uint8_t *at, *end;
	bool bad;
};
/* Takes a number in units of 7 bits, lowest first; bit 7: more follow. */
uint64_t v8_take(struct v8_bytes *b);
/* The same for a number whose lowest bit is its sign. */
int64_t v8_take_signed(struct v8_bytes *b);
/* Takes an entry of a table of positions (src/codegen/source-position-table.cc): adds to *offset, which begins with -1,
 * and to *position, which begins with 0. A position has a bit for positions elsewhere, 30 bits for the position + 1,
 * 16 bits for the number of an inlining. Returns false at the end. */
bool v8_take_position(struct v8_bytes *b, int64_t *offset, int64_t *position);
/* See struct code. */
uint32_t v8_line(const struct code *c, uint32_t offset);

#endif
