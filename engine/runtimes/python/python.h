/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CPython: the layout of its structures by version, and the names and lines of its functions. rt/python.h walks its
 * frames.
 *
 * Ownership: nothing is kept. Errors: functions return false if memory of the process cannot be read or is
 * inconsistent.
 */
#ifndef ENGINE_RUNTIMES_PYTHON_PYTHON_H
#define ENGINE_RUNTIMES_PYTHON_PYTHON_H

#include <stddef.h>

#include "engine/runtimes/memory.h"
#include "engine/symbols/codes.h"
#include "rt/python.h"

enum {
	PYTHON_NAME = 512,		/* maximum length of a name or path in UTF-8, with its NUL */
	PYTHON_LINES = 1 << 16,		/* maximum size of a table of lines */
};

/* The memory for a function that python_code stores. */
struct python_text {
	char name[PYTHON_NAME], file[PYTHON_NAME];
	uint8_t lines[PYTHON_LINES];
};

/* PYTHON_UNREAD: the process does not describe its data as this version does: it is being loaded, or damaged. */
enum python_known { PYTHON_KNOWN, PYTHON_UNREAD, PYTHON_UNKNOWN };

/* Finds the layout of a version (Py_Version: 0x030b02f0; 0: 3.10 or earlier). runtime: address of _PyRuntime; from 3.13
 * on the process itself describes the layout there. */
enum python_known python_layout(struct rt_py_layout *out, uint32_t version, uint64_t runtime,
				const struct jstack_memory *m);
/* Reads a code object. *out refers to *text. Returns false also for the interpreter's internal functions. */
bool python_code(struct code *out, struct python_text *text, const struct rt_py_layout *l, uint64_t code,
		 const struct jstack_memory *m);
/* The offset of a frame's instruction, in units of the table of lines. */
uint32_t python_offset(const struct rt_py_layout *l, const struct rt_py_frame *f);
/* See struct code. */
uint32_t python_line(const struct code *c, uint32_t offset);
/* Converts n characters of 1, 2 or 4 bytes (kind) to UTF-8, truncated to `size` bytes with the NUL. */
void python_utf8(char *out, size_t size, const void *chars, size_t n, unsigned kind);

#endif
