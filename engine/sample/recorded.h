/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings as sample sources (engine/sample/source.h): files in dtr's own format and of `perf record`.
 *
 * Ownership: source_want.arg points to the caller's struct recording_file; the caller checks `damage` after reading
 * everything.
 * Errors: open: no such file, not a recording, or the script needs data that was not recorded; start: a different rate.
 */
#ifndef ENGINE_SAMPLE_RECORDED_H
#define ENGINE_SAMPLE_RECORDED_H

#include "engine/sample/source.h"

struct recording_file {
	const char *path;	/* "-": standard input */
	const struct source_ops *ops;	/* reads the file; NULL until record_source */
	char from[32];		/* name to open instead (copy of a pipe) */
	int fd;			/* the file, from record_source until recording_file_close */
	char damage[320];	/* "": the file is intact */
};

extern const struct source_ops source_record, source_perfdata;

/* Opens recording->path, stores the source that reads it in recording->ops, and returns it. Returns NULL with the
 * reason in reason[n] on failure. Close the recording in either case. */
const struct source_ops *record_source(struct recording_file *recording, char *reason, size_t n);
void recording_file_close(struct recording_file *recording);	/* idempotent */

/* True if the file can be read and begins like a recording of dtr or perf. Pipes, "-" included, are not read: false. */
bool recording_is(const char *path);
/* Checks that the recorded interval is one of those requested (ns). Returns 0, or -1 with the reason in `reason`. */
int record_rates(uint64_t recorded, const uint64_t *interval, unsigned n, char *reason, size_t size);
/* The name of the probe with that interval (ns): "profile-997". */
void record_rate_name(char *out, size_t n, uint64_t interval);
/* True if the recording is from the current boot of this machine. */
bool record_same_boot(const uint8_t boot[16]);

#endif
