/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwinds stacks of processes with unwinding tables, from the registers and the stack copy of a perf sample. Table rows
 * are cached by address. Code without tables is unwound by its frame pointer. A stack ends where the copy ends or the
 * data is inconsistent.
 *
 * Ownership: the unwinder owns everything until unwinder_close (NULL is allowed); close it before the objects from
 * symbol_ops.code. Errors: unwinder_open returns NULL and a `reason`; stacks that end too early are counted.
 */
#ifndef ENGINE_UNWIND_UNWIND_H
#define ENGINE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/symbols/symbols.h"

/* Registers and stack copy of a perf sample, not aligned. */
struct unwind_start {
	unsigned bits;			/* bits of a word; 0: no data */
	uint64_t mask;			/* registers present (PERF_REG_*) */
	const uint8_t *regs;		/* 8 bytes each */
	const uint8_t *stack;
	uint32_t size;
	uint32_t below;			/* bytes of the copy below the stack pointer */
	/* Reads n bytes that are not in the copy. Returns false if they were not copied either. NULL: none were. */
	bool (*more)(const void *arg, uint64_t addr, void *out, unsigned n);
	const void *more_arg;
};

/* The kernel copies at most this many bytes of a stack. */
enum { UNWIND_LARGEST = 63 * 1024 };

/* Number of stacks, by how the unwinding ended. */
struct unwind_counts {
	uint64_t all;
	uint64_t cut;			/* the copy was too short, and a larger one is possible */
	uint64_t elsewhere;		/* a word is below the stack pointer, on another stack, or too far away */
	uint64_t lost;			/* no tables and no frame pointer, or inconsistent data */
	uint64_t invalid;		/* the next return address is none */
	uint64_t unread;		/* includes code in a file that could not be read */
	bool nomem;			/* some were truncated because memory ran out */
};

struct unwinder;

struct unwinder *unwinder_open(const struct symbol_ops *ops, void *arg, char *reason, size_t n);
/* An unwinder that uses only frame pointers within the copy. Returns NULL if memory runs out. */
struct unwinder *unwinder_pointers(void);
void unwinder_close(struct unwinder *u);
/* True if unwinder_open can succeed: libdw is installed. Otherwise stores the reason. */
bool unwinder_available(char *reason, size_t n);
/* The registers to request from perf; 0: this machine's stacks cannot be unwound. */
uint64_t unwind_mask(void);
/* A stack, innermost frame first. */
struct unwind_stack {
	uint64_t *pc;			/* [max] */
	uint64_t *sp;			/* stack pointers, [max]; NULL: they are not stored */
	uint32_t max;
	bool cut;			/* it is truncated, or its last caller is unknown */
};

/* Stores the frames and returns how many. at: time of the sample, CLOCK_MONOTONIC, ns. */
uint32_t unwinder_run(struct unwinder *u, int64_t pid, uint64_t at, const struct unwind_start *s,
		      struct unwind_stack *out);
const struct unwind_counts *unwinder_counts(const struct unwinder *u);
/* The path of a file whose tables were needed, but could not be read or whose file was replaced. NULL if there is
 * none. */
const char *unwinder_unread(const struct unwinder *u);

#endif
