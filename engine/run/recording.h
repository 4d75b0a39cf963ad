/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parameters of `dtr record`. Ownership: plain data; the caller owns `rate`. Errors: none. */
#ifndef ENGINE_RUN_RECORDING_H
#define ENGINE_RUN_RECORDING_H

#include <stdbool.h>

struct dtr_recording {
	const char *rate;	/* "997", "10ms": as in a probe name after "profile-" */
	bool stacks;
	bool compress;
	bool quiet;		/* do not report the number of samples */
	bool stream;		/* do not truncate the output, neither at the start nor after the last complete block */
};

#endif
