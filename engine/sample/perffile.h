/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads files of `perf record`: header, events, and records in order of time. Format: the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt. The contents are untrusted.
 *
 * Ownership: the file owns its bytes until perf_file_close (idempotent); records point into them.
 * Errors: perf_file_open, with a reason; a malformed record ends the file (`reason`, `bad_at`).
 */
#ifndef ENGINE_SAMPLE_PERFFILE_H
#define ENGINE_SAMPLE_PERFFILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sample/perf_format.h"

struct unpack;

struct perf_part {
	uint64_t off, size;
};

/* Time (ns) and offset of a record. */
struct perf_at {
	uint64_t time, off;
};

struct perf_file {
	uint8_t *bytes;				/* the file, followed by its decompressed data */
	uint64_t size, all;			/* size of the file; including decompressed data */
	struct perf_event_attr attr;		/* event whose samples are used: the one that represents time best */
	uint64_t attr_at;
	struct perf_part ids;			/* IDs of that event */
	unsigned attr_number, listed;		/* its number from 1, and the number of events in the file */
	unsigned events;			/* number of sampling events; if several, samples must have IDs */
	struct unpack *unpack;			/* NULL: no compressed data */
	uint64_t taken;				/* bytes of `all` whose records are in `at` */
	uint64_t data, end;			/* bounds of the records */
	struct perf_part feature[PERF_FILE_FEATURES];	/* size 0 = none */
	struct perf_at *at;			/* records, sorted */
	size_t n;
	uint64_t interval;			/* ns between two samples of a CPU */
	char reason[160];				/* "": no error */
	uint64_t bad_at;
};

/* Data for unwinding: the registers in the mask (8 bytes each) and the top of the stack. Not aligned. */
struct perf_start {
	unsigned bits;				/* bits of a word; 0: no data */
	uint64_t mask, size;
	const uint8_t *regs, *stack;
};

/* One record; members that it does not have are 0. */
struct perf_record {
	uint32_t type;
	unsigned misc;
	uint64_t time, ip, addr, len, off, ino, generation, lost;
	uint32_t pid, tid, ppid, ptid, cpu, major, minor, prot, flags;
	const uint8_t *id;			/* build ID */
	unsigned idlen;
	const char *name;			/* terminated within the record */
	const uint8_t *chain;			/* frames and PERF_CONTEXT_* marks, 8 bytes each, not aligned */
	uint64_t nchain;
	struct perf_start start;
};

/* Feature bits (HEADER_*) of the file header. */
enum perf_feature {
	PERF_FEATURE_BUILD_ID = 2, PERF_FEATURE_HOST, PERF_FEATURE_RELEASE, PERF_FEATURE_MACHINE = 6,
	PERF_FEATURE_CPUS = 7, PERF_FEATURE_COMMAND = 11,
	PERF_FEATURE_TIMES = 21,
	PERF_FEATURE_CLOCK = 29,
};

/* Reads the file. Returns false with the reason in f->reason, f->bad_at. Close it in either case. */
bool perf_file_open(struct perf_file *f, int fd);
void perf_file_close(struct perf_file *f);
/* Decodes record i, in order of time. Returns false if the record is not needed. */
bool perf_file_record(const struct perf_file *f, size_t i, struct perf_record *r);
/* The text of a header feature, or NULL. */
const char *perf_file_text(const struct perf_file *f, enum perf_feature feature);
/* n bytes of a feature at `off`, or NULL. */
const uint8_t *perf_file_feature(const struct perf_file *f, enum perf_feature feature, uint64_t off, uint64_t n);
/* Decodes the entry at *off in the list of build IDs and advances *off. Returns false at the end. */
bool perf_file_build_id(const struct perf_file *f, uint64_t *off, const char **name, const uint8_t **id,
			unsigned *idlen);

#endif
