/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of `dtr record`: a generated script records everything that a profile script can read, in either engine,
 * and a printer packs its records into the blocks of a recording.
 *
 * Ownership: the output owns the recorder. Errors: no memory (buf.failed).
 */
#ifndef ENGINE_OUTPUT_RECORDER_H
#define ENGINE_OUTPUT_RECORDER_H

#include "engine/dtr.h"
#include "engine/output/output.h"

/* Makes `o` write a recording instead of the format of -O. interval: of the samples, ns. */
void recorder_open(struct output *o, const struct dtr_recording *what, uint64_t interval);
/* Returns the script. in_kernel: the kernel engine will run it; target: only for $target and its children. */
const char *recorder_script(struct arena *a, const struct dtr_recording *r, bool in_kernel, bool target);
/* True if this kernel offers the types of its structures, which the script reads then. */
bool recorder_kernel_types(void);

#endif
