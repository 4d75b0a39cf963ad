/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of members of the kernel's structures.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_KFIELD_H
#define LANG_LOWER_KFIELD_H

#include "lang/lower/lower.h"

/* Offset and size of a member (KF_*). Reports nothing. */
const struct kfield *lower_kfield_find(struct lower *l, unsigned which);
/* A member of a kernel structure at `base` (zero-extended) for the built-in variable n, and its address. */
struct ir_arg lower_kfield(struct lower *l, const struct node *n, struct ir_arg base, unsigned which);
struct ir_arg lower_kfield_addr(struct lower *l, const struct node *n, struct ir_arg base, unsigned which);
/* The same for a structure that a pointer to any address space points to. */
struct ir_arg lower_kfield_at(struct lower *l, const struct node *n, const struct node *ptr, unsigned which);

#endif
