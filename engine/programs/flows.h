/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions of a function and where control goes after each. Offsets are in the ELF file.
 *
 * Ownership: struct flows owns its instructions until flows_free (idempotent; a zeroed one is free).
 * Errors: flows_read returns -errno: -ENOEXEC if the code cannot be decoded as a whole.
 */
#ifndef ENGINE_PROGRAMS_FLOWS_H
#define ENGINE_PROGRAMS_FLOWS_H

#include "engine/programs/decoder.h"
#include "providers/program.h"

struct elf;

/* An instruction. */
struct flow {
	uint64_t off, target;		/* target: of a direct jump, or the address that it computes */
	const char *why;		/* the kernel cannot probe it; NULL: it can */
	uint8_t size;
	uint8_t kind;			/* enum insn_flow */
	bool call, stops, lands, address, emulated;	/* as in struct insn */
	bool leader;			/* the target of a jump, or after a jump or a call */
	bool first;			/* the first one of a basic block (blocks.h) */
};

struct flows {
	struct flow *v;
	size_t n;
};

int flows_read(struct flows *x, const struct decoder *d, const struct elf *e, const struct program_function *f);
void flows_free(struct flows *x);
/* The instruction that begins there, or NULL. */
struct flow *flows_at(const struct flows *x, uint64_t off);
/* True if it jumps to `target`. */
static inline bool flow_jumps(const struct flow *f)
{
	return f->kind == FLOW_JUMP || f->kind == FLOW_BRANCH;
}

#endif
