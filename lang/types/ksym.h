/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel variables: `x, vmlinux`x, mod`x. The address comes from /proc/kallsyms, which is read on demand; the type from
 * the kernel's BTF, if available.
 *
 * Ownership: the arena of the types owns everything. Errors: KSYM_NONE with the reason in `error`.
 */
#ifndef LANG_TYPES_KSYM_H
#define LANG_TYPES_KSYM_H

#include <stdbool.h>

#include "lang/types/types.h"

enum ksym_kind { KSYM_NONE, KSYM_ADDRESS, KSYM_PERCPU, KSYM_JIFFIES };

struct ksym_value {
	enum ksym_kind kind;
	uint64_t addr;		/* PERCPU: offset in a CPU's area */
	uint64_t areas;		/* PERCPU: address of the table of these areas */
	struct type *type;
	const char *error;	/* NONE: the reason; NULL: there is no such symbol */
	bool hidden;		/* NONE: for lack of privilege */
};

/* path: path of kallsyms; NULL = the running kernel's. */
struct ksym_value ksym_find(struct types *t, const char *path, const char *name);

#endif
