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

struct recorder_script {
	bool in_kernel;			/* the kernel engine will run it */
	bool target;			/* only for $target and its children */
	bool more;			/* it reads members of structures: their types are known */
	bool groups;			/* with `more`: also control groups */
};

/* Makes `o` write a recording instead of the format of -O. interval: of the samples, ns. */
void recorder_open(struct output *o, const struct dtr_recording *what, uint64_t interval,
		   const struct recorder_script *script);
const char *recorder_script(struct arena *a, const struct dtr_recording *r, const struct recorder_script *s);

#endif
