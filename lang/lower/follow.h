/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that got their names while the program runs (probe_gate.spare): the program's tables are changed so that its
 * clauses run for them.
 *
 * Ownership: nothing is kept. Errors: none.
 */
#ifndef LANG_LOWER_FOLLOW_H
#define LANG_LOWER_FOLLOW_H

#include "lang/prog.h"

/* To be called before the probe is attached. object: the address in this process of a GLOBAL object of the program. */
void follow_bind(const struct d_prog *p, void *(*object)(void *arg, uint32_t obj), void *arg, const struct probe *x);

#endif
