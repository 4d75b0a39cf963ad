/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of unwinding tables in the form that the walker in the kernel uses (rt/unwind.h). Most functions have the
 * same few rules, so each rule is stored once, for all files.
 *
 * Ownership: struct rules owns its index until rules_close (idempotent); the caller owns the array.
 * Errors: a rule that the walker cannot use, or for which there is no room, is RULES_OTHER: user space evaluates it.
 */
#ifndef ENGINE_UNWIND_RULES_H
#define ENGINE_UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/unwind/cfi.h"
#include "rt/unwind.h"

struct rules {
	struct unwind_bpf_rule *v;	/* [UNWIND_RULES] */
	uint32_t n;
	uint16_t *slot;			/* hash of a rule -> its number */
};

/* v: UNWIND_RULES zeroed rules, in memory that the walker reads. Returns false if memory runs out. */
bool rules_open(struct rules *r, struct unwind_bpf_rule *v);
void rules_close(struct rules *r);
/* The number of the rule of a row. */
uint32_t rules_number(struct rules *r, const struct cfi_section *s, const struct cfi_row *row);
/* Converts the rules of a row. */
struct unwind_bpf_rule rule_of_row(const struct cfi_section *s, const struct unwind_row *row);
/* The number that the walker uses for a DWARF register of a machine. */
unsigned rule_register(const struct unwind_machine *m, unsigned dwarf);

#endif
