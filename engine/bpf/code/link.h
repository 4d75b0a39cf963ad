/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The linker: appends the functions of the run-time library (rt/) that a program calls. The library's object file is
 * read when a program first needs it. Programs that run by themselves: engine/bpf/load/program.h.
 *
 * Ownership: the image's arena owns the library; the program's arena owns the rt_link.
 * Errors: link_open (D_BPF): the object file is malformed, or there is no memory.
 */
#ifndef ENGINE_BPF_CODE_LINK_H
#define ENGINE_BPF_CODE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/bpf/code/asm.h"
#include "ir/ir.h"

/* A function of the library: instructions [start, start + n). */
struct rt_func {
	const char *name;
	uint32_t start, n;
};

struct rt_lib {
	const struct bpf_insn *code;
	int32_t *callee;		/* by instruction: the function that it calls or takes the address of, or -1 */
	int32_t *external;		/* by instruction: the map or data that it takes the address of, or -1 */
	struct rt_func *func;
	uint32_t nfuncs;
	const char **extern_name;	/* undefined symbols: maps, data in them, numbers */
	uint32_t nexterns;
};

/* What an external symbol of the library stands for: a map, or (value) a place in the value of its only element. */
struct rt_place {
	uint32_t map, off;
	bool value;
};

/* The functions that one program needs. */
struct rt_link {
	const struct rt_lib *lib;
	uint32_t walkers;		/* map of programs that are called in the place of walkers (enum link_walker);
					   UINT32_MAX: walkers are part of the program */
	struct rt_place *external;	/* [lib->nexterns] */
	uint32_t *label;		/* by function; UINT32_MAX = not needed */
	uint32_t start;			/* start of the library's code in the program; UINT32_MAX = none */
};

/* Walkers of run-time systems (rt/jstack.h), which a program may leave out. */
enum link_walker { LINK_PYTHON, LINK_V8, LINK_WALKERS };

/* Upper bounds for link_stack, in bytes. The kernel permits 512 for a program and what it calls. STACK_RT: of what does
 * not call walkers. STACK_CALL: of a tail call, below which the kernel permits less than 256. STACK_WALKER: of a
 * walker. */
enum { STACK_RT = 224, STACK_CALL = 512 - 224, STACK_WALKER = 416 };

/* Reads a BPF object, which stays in memory. Returns NULL if it is malformed, or if there is no memory. */
const struct rt_lib *link_read(struct arena *a, const uint8_t *object, const uint8_t *end);
/* Opens the library. Returns NULL after a diagnostic. */
const struct rt_lib *link_open(struct arena *a, struct diags *d);
/* Prepares a program that is built in arena a. lib = NULL: the program calls no library function. */
void link_init(struct rt_link *l, const struct rt_lib *lib, struct arena *a);
/* True if the operation walks the user stack. */
bool link_unwinds(const struct ir_ins *ins);
/* The name of the function rt_<name> that implements an operation; NULL: none. unwind: user stacks are walked by
 * unwinding tables. */
const char *link_function(const struct ir_ins *ins, bool unwind);
/* Return the number of the function rt_<name>, and its label. link_label also marks the function as needed. */
uint32_t link_find(const struct rt_lib *lib, const char *name);
uint32_t link_label(struct rt_link *l, struct asm_buf *a, const char *name);
/* Emits all needed functions and their callees. */
void link_emit(struct rt_link *l, struct asm_buf *a);
/* Appends a walker, as a program: its own function first. */
void link_emit_walker(struct rt_link *l, struct asm_buf *a, enum link_walker w);
/* Bytes of stack used by function f and its callees. late: walkers are left out, and called by tail calls. */
uint32_t link_stack(const struct rt_lib *lib, uint32_t f, bool late);

#endif
