/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program reads of the kernel that this engine, or a recording, can never know: found before it runs.
 *
 * Who owns what: nothing is kept. What can fail: the program is refused (D_ENGINE).
 */
#ifndef ENGINE_INTERP_READS_H
#define ENGINE_INTERP_READS_H

#include "base/diag.h"
#include "engine/interp/image.h"
#include "lang/prog.h"

/* why: what would help. 0 or -1. */
int reads_check(const struct d_prog *p, struct image *im, const char *why, struct diags *d);

#endif
