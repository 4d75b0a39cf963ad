/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that `perf record` writes: its head, what it says about its events, its records in order of time, each taken
 * apart. Everything in it is taken for what anybody may have written.
 *
 * Ownership: the file owns its bytes until perf_file_close (idempotent); what a record points to lies in them.
 * Errors: opening, with a text; records that make no sense end the file (`why`, `bad_at`).
 */
#ifndef ENGINE_SAMPLE_PERFFILE_H
#define ENGINE_SAMPLE_PERFFILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_FILE_FEATURES = 256, PERF_FILE_BUILD_ID = 20 };
/* Sizes and offsets. */
enum {
	PERF_HEAD = 104,	/* of a file; in it the places of events, of records, the list of features: */
	PERF_ATTRS_AT = 24, PERF_DATA_AT = 40, PERF_FEATURES_AT = 72,
	PERF_PART = 16,		/* such a place */
	PERF_PIPE_HEAD = 16,	/* of what is written into a pipe */
	PERF_RECORD_HEAD = 8,
};
/* Records of perf itself that are followed by data. */
enum { PERF_TYPE_TRACING = 66, PERF_TYPE_AUXTRACE = 71 };

struct unpack;

struct perf_part {
	uint64_t off, size;
};

/* Where a record lies, and when it was. */
struct perf_at {
	uint64_t time, off;
};

struct perf_file {
	uint8_t *bytes;				/* of the file; behind them what was compressed in it */
	uint64_t size, all;			/* of the file; with what was compressed */
	struct perf_event_attr attr;		/* of the event whose samples are taken: that which goes most by time */
	uint64_t attr_at;
	struct perf_part ids;			/* of that event */
	unsigned attr_number, listed;		/* which of so many it is, from 1 */
	unsigned events;			/* that take samples: if several, these have to be told apart */
	struct unpack *unpack;			/* NULL: nothing is compressed */
	uint64_t taken;				/* so many of `all` are in the list of records */
	uint64_t data, end;			/* of the records */
	struct perf_part feature[PERF_FILE_FEATURES];	/* size 0 = none */
	struct perf_at *at;			/* records, sorted */
	size_t n;
	uint64_t interval;			/* ns between two samples of a CPU */
	char why[160];				/* "": nothing is wrong */
	uint64_t bad_at;
};

/* What a stack can be unwound from: registers (8 bytes each, those of the mask), the top of the stack. Not aligned. */
struct perf_start {
	unsigned bits;				/* of a word; 0: there is nothing */
	uint64_t mask, size;
	const uint8_t *regs, *stack;
};

/* One record; what it has not is 0. */
struct perf_record {
	uint32_t type;
	unsigned misc;
	uint64_t time, ip, addr, len, off, ino, generation, lost;
	uint32_t pid, tid, ppid, ptid, cpu, major, minor, prot, flags;
	const uint8_t *id;			/* build ID */
	unsigned idlen;
	const char *name;			/* ends within the record */
	const uint8_t *chain;			/* frames with marks, 8 bytes each, not aligned */
	uint64_t nchain;
	struct perf_start start;
};

/* Which feature is where in the file's list. */
enum perf_feature {
	PERF_FEATURE_BUILD_ID = 2, PERF_FEATURE_HOST, PERF_FEATURE_RELEASE, PERF_FEATURE_MACHINE = 6, PERF_FEATURE_CPUS = 7, PERF_FEATURE_COMMAND = 11,
	PERF_FEATURE_TIMES = 21,
	PERF_FEATURE_CLOCK = 29,
};

/* Reads the file. False with the reason in f->why, f->bad_at. Close it in either case. */
bool perf_file_open(struct perf_file *f, int fd);
void perf_file_close(struct perf_file *f);
/* Record i in order of time. False: one that says nothing that is wanted here. */
bool perf_file_record(const struct perf_file *f, size_t i, struct perf_record *r);
/* The text that a feature consists of, or NULL. */
const char *perf_file_text(const struct perf_file *f, enum perf_feature feature);
/* Its n bytes at `off`, or NULL. */
const uint8_t *perf_file_feature(const struct perf_file *f, enum perf_feature feature, uint64_t off, uint64_t n);
/* The next entry of the list of build IDs behind *off. False: there is none. */
bool perf_file_build_id(const struct perf_file *f, uint64_t *off, const char **name, const uint8_t **id, unsigned *idlen);

#endif
