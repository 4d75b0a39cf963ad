/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings as sources of samples (engine/sample/source.h): files of dtr's own format, and of perf record.
 *
 * Ownership: source_want.arg points to a struct record_feed of the caller, who looks at `damage` when all was read.
 * Errors: open: no such file, no recording, something that was not recorded is wanted; start: another rate.
 */
#ifndef ENGINE_SAMPLE_RECORDED_H
#define ENGINE_SAMPLE_RECORDED_H

#include "engine/sample/source.h"

struct record_feed {
	const char *path;	/* "-": standard input */
	char from[32];		/* how it is opened, if not by that name (a pipe was copied) */
	int fd;			/* the file, once record_source has opened it, until record_feed_close */
	char damage[320];	/* "": the file was whole */
};

extern const struct source_ops source_record, source_perfdata;

/* Opens feed->path; which of the two reads it. NULL with the reason in why. Close the feed in either case. */
const struct source_ops *record_source(struct record_feed *feed, char *why, size_t n);
void record_feed_close(struct record_feed *feed);	/* idempotent */

/* The rate that was recorded, against those that are wanted. 0 or -1. */
int record_rates(uint64_t recorded, const uint64_t *interval, unsigned n, char *why, size_t size);
/* The probe that samples of that interval are of: "profile-997". */
void record_rate_name(char *out, size_t n, uint64_t interval);
/* Is this boot of this machine the recording's? */
bool record_same_boot(const uint8_t boot[16]);
void record_boot(uint8_t boot[16]);

#endif
