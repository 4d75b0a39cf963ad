/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enumerates all rows of an untrusted section of unwinding tables in one pass, in linear time and constant memory.
 * Used where a whole file is needed, and to check a section before libdw reads it; tables.h looks up single addresses.
 *
 * Ownership: nothing is kept; the caller owns the section. Errors: an invalid entry has no rows, and an invalid
 * instruction ends the rows of its entry: both leave a gap and are counted. The result says if the section is damaged.
 */
#ifndef ENGINE_UNWIND_CFI_H
#define ENGINE_UNWIND_CFI_H

#include "engine/unwind/cfi_entry.h"

/*
 * The rules of the code at link-time addresses [begin, end), begin < end. Rows of a function ascend without gaps
 * between them; functions come in the order of the section, which is not always that of their addresses, and those of
 * an untrusted file may overlap.
 *
 * rules.known is false if the tables say that there is code, but not how to unwind it (unknown CFA, or an unusual
 * return address register). Rules with expressions: `val` is the offset of the expression in the section, `nops` its
 * length in bytes. An expression of RULE_EXPR_AT or RULE_EXPR of a register starts with the CFA on its stack.
 */
struct cfi_row {
	uint64_t begin, end;
	struct unwind_row rules;	/* sorted (row_sort) */
};

/* Receives a row, valid during the call. Returns false to stop. */
typedef bool cfi_row_fn(void *arg, const struct cfi_row *row);

enum cfi_end {
	CFI_ALL,			/* the whole section was read */
	CFI_CUT,			/* the section is damaged; rows after the damage are missing */
	CFI_STOPPED,			/* fn returned false */
};

struct cfi_counts {
	uint64_t rows;
	uint64_t functions;		/* valid FDEs with code */
	uint64_t invalid;		/* entries that are invalid or have an invalid instruction */
	/* libdw must not read this section: it would use too many resources (register numbers for which it allocates
	 * gigabytes, deeply nested remembered states), or could understand what was rejected here. */
	bool unsafe;
};

/* Calls fn for each row. n: receives the counts; may be NULL. */
enum cfi_end cfi_rows(const struct cfi_section *s, cfi_row_fn *fn, void *arg, struct cfi_counts *n);

#endif
