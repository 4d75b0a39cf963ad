/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds, before a program runs, reads of kernel data that are never available without BPF or in a recording.
 *
 * Ownership: nothing is kept. Errors: the program is refused (D_ENGINE).
 */
#ifndef ENGINE_INTERP_KERNEL_READS_H
#define ENGINE_INTERP_KERNEL_READS_H

#include "base/diag.h"
#include "engine/interp/image.h"
#include "lang/prog.h"

/* reason: the end of the message, which explains why the data are not available. Returns 0, or -1 with diagnostics. */
int kernel_reads_check(const struct d_prog *p, struct image *im, const char *reason, struct diags *d);

#endif
