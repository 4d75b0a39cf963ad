/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr record` shall record. Ownership: plain data; `rate` is the caller's. Errors: none. */
#ifndef ENGINE_RUN_RECORDING_H
#define ENGINE_RUN_RECORDING_H

#include <stdbool.h>

struct dtr_recording {
	const char *rate;	/* "997", "10ms": as after "profile-" */
	bool stacks;
	bool compress;
	bool quiet;		/* do not report the number of samples */
	bool stream;		/* do not empty the output first, nor truncate it after the last complete block */
};

#endif
