/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of the kernel, from its type information (BTF), in D's syntax.
 *
 * Ownership: the caller's arena. Errors: a type that D does not have becomes void *, or int64_t.
 */
#ifndef PROVIDERS_KERNEL_TYPES_H
#define PROVIDERS_KERNEL_TYPES_H

#include <stdint.h>

#include "base/arena.h"

struct btf;

/* The type of a parameter or a result: "struct task_struct *", "int". A structure itself: "int64_t", as it is small and
 * in a register. */
/* The type information of the kernel, NULL if it has none; the caller frees it (btf__free). */
struct btf *kernel_types_load(void);
const char *kernel_type_text(struct arena *a, const struct btf *btf, uint32_t id);

#endif
