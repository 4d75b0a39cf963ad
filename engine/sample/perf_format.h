/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sizes, offsets and numbers in the file format of `perf record`. Ownership, errors: none. */
#ifndef ENGINE_SAMPLE_PERF_FORMAT_H
#define ENGINE_SAMPLE_PERF_FORMAT_H

enum { PERF_FILE_FEATURES = 256, PERF_FILE_BUILD_ID = 20 };
/* Sizes and offsets. */
enum {
	PERF_HEAD = 104,	/* file header; in it: sections of events and records, feature bits */
	PERF_ATTRS_AT = 24, PERF_DATA_AT = 40, PERF_FEATURES_AT = 72,
	PERF_PART = 16,		/* offset and size of a section */
	PERF_PIPE_HEAD = 16,	/* header of the pipe format */
	PERF_RECORD_HEAD = 8,
};
/* perf's own record types that are followed by data. */
enum { PERF_TYPE_TRACING = 66, PERF_TYPE_AUXTRACE = 71 };

#endif
