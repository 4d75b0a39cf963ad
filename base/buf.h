/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growable byte buffer, always NUL-terminated behind its last byte once it holds anything.
 *
 * Ownership: the buffer owns `data`; buf_free gives it back.
 * Errors: growing. The buffer then sets `failed`, keeps what it has and drops what comes:
 * write on, and look at `failed` once at the end.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data;	/* NULL until the first byte */
	size_t len, cap;
	bool failed;
};

void buf_put(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, int c);
void buf_pad(struct buf *b, int c, size_t n);		/* n times the character c */
void buf_dump(struct buf *b, const void *p, size_t n);	/* lines of 16 bytes in hex and as characters, below a header */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
void buf_reset(struct buf *b);				/* empty, memory kept */
void buf_cut(struct buf *b, size_t len);		/* to `len` bytes, if it is longer */
void buf_free(struct buf *b);				/* idempotent */
const char *buf_str(const struct buf *b);		/* never NULL: "" when empty */

#define BUF_FILE_MAX (64u << 20)

/* Reads a whole file. 0, or -errno: -EFBIG above BUF_FILE_MAX, so that /dev/zero has an end. Appends to `b`. */
int buf_read_file(struct buf *b, const char *path);

#endif
