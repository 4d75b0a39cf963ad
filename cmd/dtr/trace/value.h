/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shows one argument of a system call as text. show_NAME belongs to the kinds with this NAME in kinds.def. values.c:
 * numbers, text, arrays; structs.c: structures; sockets.c: addresses, messages, options of sockets.
 * Ownership: struct capture owns its bytes (capture_free). Errors: no memory (buf->failed).
 */
#ifndef CMD_DTR_TRACE_VALUE_H
#define CMD_DTR_TRACE_VALUE_H

#include "base/buf.h"
#include "cmd/dtr/trace/calls.h"
#include "cmd/dtr/trace/script.h"

/* Memory of the process: the parts of one argument. */
enum { CAPTURE_PARTS = 4 + (MOST_BUFFERS > MOST_WORDS ? MOST_BUFFERS : MOST_WORDS) };
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
	struct capture ready[CALL_ARGS];	/* sets of descriptors as select() leaves them */
	struct buf path[CALL_ARGS + 1];	/* -y: of descriptors; the last: of the result */
	bool returned;
	int64_t result;
	unsigned strsize;
};

struct decode_value {
	struct buf *b;
	const struct decode *d;
	unsigned i;		/* the argument */
	uint64_t v;
	const void *p;		/* the first part of the memory, at least as long as the kind says, if it is FIXED */
	size_t n;
};

void capture_reset(struct capture *c);
void capture_free(struct capture *c);
void capture_add(struct capture *c, const void *data, size_t n);
/* The bytes of part i, and their number in *n. */
const char *capture_part(const struct capture *c, unsigned i, size_t *n);

/* In hexadecimal; 0: "NULL". */
void value_address(struct buf *b, uint64_t v);
/* As a string in C; more: "..." follows. */
void value_quoted(struct buf *b, const char *s, size_t n, bool more);
void value_mode(struct buf *b, uint64_t v);
/* A descriptor, with its path unless that is empty. */
void value_fd(struct buf *b, int fd, const struct buf *path);
/* Buffers of an array of struct iovec of n bytes, which are parts `first` and later; count: how many it had. */
void value_vector(const struct decode_value *s, const void *p, size_t n, unsigned first, uint64_t count);
/* The descriptors below `end` in a set of n bytes: "[3 5]". */
void value_fdset(struct buf *b, const void *p, size_t n, uint64_t end);
/* struct sockaddr. */
void value_sockaddr(struct buf *b, const void *p, size_t n);

#define KIND(name, when, how, size, most, show) void show_##show(const struct decode_value *s);
#include "cmd/dtr/trace/kinds.def"
#undef KIND

#endif
