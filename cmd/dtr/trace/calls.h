/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The system calls as `dtr trace` shows them: classes, and a kind for each argument.
 *
 * A kind that shows memory says how much of it the D script copies, and when: at the entry or at the return.
 * Ownership: all is constant. Errors: none.
 */
#ifndef CMD_DTR_TRACE_CALLS_H
#define CMD_DTR_TRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_class {
	OTHER = 0, FILE_ = 1, DESC = 2, NETWORK = 4, PROCESS = 8, MEMORY = 16, SIGNAL = 32, IPC = 64, CLOCK = 128,
};

enum { CALL_ARGS = 6 };

enum kind_id {
#define KIND(name, when, how, size, most, show) KIND_##name,
#include "cmd/dtr/trace/kinds.def"
#undef KIND
	KINDS,
	KIND_NAMES = KINDS,		/* KIND_NAMES + enum names_table: names of constants */
};

/* RETURN: if the call succeeds. FAILURE: at the return if it fails. BOTH: at the entry, and again at the return. */
enum kind_when { NOWHERE, ENTRY, RETURN, FAILURE, BOTH };
/* What is copied: STRING: up to its NUL. FIXED: `size` bytes. LENGTH: as many as another argument says, each of them
 * `size` bytes. RESULT: as many as the call has returned, each `size` bytes. POINTED: as many as the int says to which
 * another argument points. WORDS: an array of strings, up to NULL. VECTOR: an array of struct iovec and the beginnings
 * of its buffers. MESSAGE: struct msghdr with all that belongs to it. MAYBE: FIXED if the argument is an address; it
 * may also be a number. */
enum kind_how { NOTHING, STRING, FIXED, LENGTH, RESULT, POINTED, WORDS, VECTOR, MESSAGE, MAYBE };

struct call_kind {
	const char *name;
	enum kind_when when;
	enum kind_how how;
	uint32_t size, most;	/* most: bytes; 0: what -s says, or MOST_ENTRIES entries */
};

/* Copied at most: strings of an array; buffers of a vector; bytes of an address; entries of other arrays. */
enum { MOST_WORDS = 10, MOST_BUFFERS = 4, MOST_ADDRESS = 112, MOST_ENTRIES = 8 };

struct call_arg {
	unsigned kind;		/* enum kind_id, or KIND_NAMES + enum names_table */
	unsigned length;	/* the argument that is its length */
};

struct call {
	const char *name;
	unsigned classes;
	const char *spec;
	/* call_parse sets these. */
	struct call_arg arg[CALL_ARGS];
	unsigned nargs;
	char result;		/* 'd': decimal; 'p': an address; 'u': a mask; 'f': a descriptor; 'n': a constant */
	unsigned result_kind;	/* 'n': the kind of such an argument */
	bool parsed;
};

/* The table, in alphabetical order, and its length. A copy, of which the caller owns the memory; see call_parse. */
const struct call *calls_table(size_t *n);
/* Fills in the arguments. A spec that is not in the table's format is an error of the program. */
void call_parse(struct call *c);
/* The kind of a number below KIND_NAMES; constants are `NOWHERE, NOTHING`. */
const struct call_kind *kind_of(unsigned kind);
/* The bits of a class ("file"), or 0. */
unsigned call_class(const char *name);

#endif
