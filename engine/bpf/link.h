/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The linker: puts those functions of the run-time library (rt/) behind a program that it calls. The library's object
 * is read when the first program wants it, so who calls none pays nothing.
 *
 * Who owns what: the image's arena owns the library, the program's one the links.
 * What can fail: link_open, on an object that is not as the build made it or without memory (D_BPF).
 */
#ifndef ENGINE_BPF_LINK_H
#define ENGINE_BPF_LINK_H

#include "engine/bpf/bpf.h"

/* A function of the library: instructions [start, start + n). */
struct rt_func {
	const char *name;
	uint32_t start, n;
};

struct rt_lib {
	const struct bpf_insn *code;
	int32_t *callee;		/* by instruction: the function that it calls or points to, or -1 */
	struct rt_func *func;
	uint32_t nfuncs;
};

/* What one program wants of it. */
struct link {
	const struct rt_lib *lib;
	uint32_t *label;		/* by function, UINT32_MAX = not wanted */
	uint32_t start;			/* where the library's code begins in the program; UINT32_MAX = there is none */
};

/* Stack that calling a function takes at most, with all those that it calls itself. */
enum { STACK_RT = 160 };

/* NULL after a diagnostic. */
const struct rt_lib *link_open(struct arena *a, struct diags *d);
/* For a program that is made in arena a; lib = NULL: it will ask for nothing. */
void link_init(struct link *l, const struct rt_lib *lib, struct arena *a);
/* The function that does this operation; its label. */
uint32_t link_find(const struct rt_lib *lib, enum ir_op op);
uint32_t link_label(struct link *l, struct asm_buf *a, enum ir_op op);
/* Everything wanted, and what that calls. */
void link_emit(struct link *l, struct asm_buf *a);
/* Stack that function f takes with all that it calls. */
uint32_t link_stack(const struct rt_lib *lib, uint32_t f);

#endif
