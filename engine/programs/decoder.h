/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decodes instructions with the Zydis library, which is opened when the first one is decoded.
 *
 * Ownership: decoder_close closes the library (idempotent; a zeroed decoder is closed).
 * Errors: decoder_open returns false with the reason in reason[n]: the library is not installed, or this is not an x86
 * machine.
 */
#ifndef ENGINE_PROGRAMS_DECODER_H
#define ENGINE_PROGRAMS_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch/arch.h"

struct decoder {
	void *lib;
	void *init, *decode;		/* its functions */
};

/* Where control can go after an instruction, other than to the next one. */
enum insn_flow {
	FLOW_NEXT,			/* nowhere else, except into a called function */
	FLOW_RETURN,
	FLOW_JUMP,			/* to `target` */
	FLOW_BRANCH,			/* to `target`, or to the next one */
	FLOW_INDIRECT,			/* to an address in a register or in memory */
};

struct insn {
	uint8_t size;			/* bytes */
	enum insn_flow flow;
	int64_t target;			/* of FLOW_JUMP, FLOW_BRANCH, `address`: from the start of the instruction */
	bool call;			/* of a function */
	bool stops;			/* FLOW_NEXT: may not get to the next one (a system call, a trap) */
	bool lands;			/* marks a place to which indirect jumps lead */
	bool notrack;			/* FLOW_INDIRECT: within the function (a switch), as the compiler states */
	bool indexed;			/* FLOW_INDIRECT: through an element of a table */
	enum insn_load { LOAD_NONE, LOAD_OFFSET, LOAD_POINTER } load;	/* of an element of a table, 4 or 8 bytes */
	bool address;			/* computes the address of `target` */
	bool emulated;			/* the kernel emulates it where a probe is; others it executes in a copy */
	bool system_call;		/* syscall */
	/* It writes register `from` or, if that is -1, a constant to register `to`. to: -1: neither. 0: EAX ... */
	int8_t to, from;
	uint32_t constant;
	const char *refused;		/* why the kernel cannot probe it, or NULL */
};

/* True if probes are placed only at instructions that were decoded: the kernel does not refuse all that it cannot
 * probe. */
enum { DECODER_REQUIRED = ARCH_DECODER_REQUIRED };

bool decoder_open(struct decoder *d, char *reason, size_t n);
void decoder_close(struct decoder *d);
/* Decodes the instruction at code[n]. wide: of a 64-bit program. Returns false if it is not valid. */
bool decoder_insn(const struct decoder *d, bool wide, const uint8_t *code, size_t n, struct insn *out);
/* Call it for the instructions of a function in their order: refuses system calls that end the thread. exits: the
 * registers that hold the number of such a system call, at first 0; a bit for each. */
void decoder_follow(uint32_t *exits, struct insn *x);

#endif
