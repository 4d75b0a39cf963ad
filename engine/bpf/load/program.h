/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that run in the kernel by themselves, beside those of the script. They are written in C (rt/programs/). What
 * a session knows, the programs name as external symbols: maps, and numbers such as the offsets of the kernel's
 * structures. The addresses of numbers are replaced by their values, so the verifier knows them and removes what they
 * rule out.
 *
 * Ownership: the caller owns the descriptors; the arena owns the rest. Errors: -errno.
 */
#ifndef ENGINE_BPF_LOAD_PROGRAM_H
#define ENGINE_BPF_LOAD_PROGRAM_H

#include <bpf/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct bpf_params;
struct rt_lib;

enum symbol_kind {
	SYMBOL_NUMBER,		/* NUMBER(name) in the source */
	SYMBOL_MAP,
	SYMBOL_VALUE,		/* data in the value of a map's only element */
};

/* What a name in the source stands for. */
struct program_symbol {
	const char *name;	/* without the prefix `k_` or `map_` */
	enum symbol_kind kind;
	uint64_t number;	/* SYMBOL_VALUE: the offset in the value */
	int fd;			/* of the map; -1: there is none, and the program does not use it */
};

struct program_symbols {
	struct arena *arena;
	VEC(struct program_symbol) v;
	const struct rt_lib *object;	/* read by the first program_load */
};

void program_number(struct program_symbols *s, const char *name, uint64_t number);
void program_map(struct program_symbols *s, const char *name, int fd);
void program_value(struct program_symbols *s, const char *name, int fd, uint64_t off);
/* Numbers that all programs have: dtr's name space of process IDs. */
void program_common(struct program_symbols *s, const struct bpf_params *par);

struct kernel_program {
	const char *function;			/* program_NAME in the source, without the prefix */
	const char *name;			/* as the kernel shows it */
	enum bpf_prog_type type;		/* 0: a raw tracepoint */
	enum bpf_attach_type attach;		/* 0: the type's own */
};

/* Returns a descriptor or -errno; -ENOENT: the source has no such function, or `s` lacks a symbol. */
int program_load(const struct kernel_program *p, struct program_symbols *s);

#endif
