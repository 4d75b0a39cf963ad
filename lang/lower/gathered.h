/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a clause knows of its last _gather() (lang/func/gather.c).
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_GATHERED_H
#define LANG_LOWER_GATHERED_H

#include "lang/lower/lower.h"

/* The object with its result: the number of bytes that it has copied and, from bit 32 on, which texts it could not
 * read. */
uint32_t lower_gather_state(struct lower *l);
/* That number of bytes. */
struct ir_arg lower_gathered_size(struct lower *l);

#endif
