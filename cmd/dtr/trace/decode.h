/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shows arguments and results of system calls as text.
 * Ownership: struct capture owns its bytes (capture_free). Errors: no memory (buf->failed).
 */
#ifndef CMD_DTR_TRACE_DECODE_H
#define CMD_DTR_TRACE_DECODE_H

#include "base/buf.h"
#include "cmd/dtr/trace/calls.h"
#include "cmd/dtr/trace/script.h"

/* Memory of the process: the parts of one argument. */
enum { CAPTURE_PARTS = 1 + (MOST_BUFFERS > MOST_WORDS ? MOST_BUFFERS : MOST_WORDS) };
struct capture {
	bool have;
	struct buf bytes;
	struct capture_part { uint32_t at, n; } part[CAPTURE_PARTS];
	unsigned parts;
};

struct decode {
	const struct call *call;
	uint64_t arg[CALL_ARGS];
	struct capture mem[CALL_ARGS];
	struct buf path[CALL_ARGS + 1];	/* -y: of descriptors; the last: of the result */
	bool returned;
	int64_t result;
	unsigned strsize;
};

void capture_reset(struct capture *c);
void capture_free(struct capture *c);
void capture_add(struct capture *c, const void *data, size_t n);

/* How many arguments the call uses: openat() without O_CREAT has no mode. */
unsigned decode_count(const struct decode *d);
/* Appends argument i, without a name. */
void decode_arg(struct buf *b, const struct decode *d, unsigned i);
/* Appends the result: "3", "0x7f..", "-1 ENOENT (No such file or directory)". */
void decode_result(struct buf *b, const struct decode *d);
/* The name of an error ("ENOENT"), also of those that only the kernel uses; NULL: unknown. */
const char *decode_error(int64_t e);
bool decode_failed(int64_t result);

#endif
