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
/* See struct code. */
uint32_t v8_line(const struct code *c, uint32_t offset);

#endif
