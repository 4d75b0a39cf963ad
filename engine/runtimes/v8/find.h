/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds V8 in files, by the constants that it exports for debuggers (v8dbg_*, made by its program
 * tools/gen-postmortem-metadata.py).
 * Ownership: nothing is kept. Errors: none.
 */
#ifndef ENGINE_RUNTIMES_V8_FIND_H
#define ENGINE_RUNTIMES_V8_FIND_H

#include "engine/runtimes/memory.h"
#include "engine/symbols/elf.h"
#include "rt/v8.h"

/* A value in a process: a link address, or the contents of the memory there. */
struct v8_place {
	uint64_t addr;
	bool memory;
};

enum v8_known {
	V8_KNOWN,
	V8_UNKNOWN,			/* the version is not supported */
	V8_ODD,				/* the version is known, its constants are not those of this version */
};

/* What a file that contains V8 states about it. */
struct v8_file {
	enum v8_known known;		/* V8_KNOWN: the rest is valid */
	uint32_t major, minor;
	struct rt_v8_layout layout;	/* without code_size */
	struct v8_place code, size;	/* of V8's own functions */
	uint8_t sizes[3 * 256];		/* bytes of instructions of bytecode: nsizes for each width of operands */
	uint32_t nsizes;		/* 0: unknown */
};

/* Searches the dynamic symbols of a file. Returns false if V8 is not in it. */
bool v8_find(const struct elf *e, struct v8_file *out);
/* Stores the address of the code of V8's own functions and its size. bias: address in the process less link address. */
bool v8_code(const struct v8_file *f, uint64_t bias, const struct jstack_memory *m, uint64_t *code, uint64_t *size);

#endif
