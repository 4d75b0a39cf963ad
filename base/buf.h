/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growable byte buffer. If not empty, a NUL follows its last byte.
 *
 * Ownership: the buffer owns `data`; buf_free frees it.
 * Errors: without memory the buffer sets `failed`, keeps its contents and ignores further writes. Check `failed` once
 * at the end.
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
void buf_pad(struct buf *b, int c, size_t n);		/* appends c n times */
void buf_dump(struct buf *b, const void *p, size_t n);	/* a header, then 16 bytes per line in hex and as characters */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
void buf_reset(struct buf *b);				/* empties it, keeps the memory */
void buf_cut(struct buf *b, size_t len);		/* truncates it to `len` bytes, if longer */
void buf_free(struct buf *b);				/* idempotent */
const char *buf_str(const struct buf *b);		/* never NULL: "" when empty */

#define BUF_FILE_MAX (64u << 20)

/* Appends everything that can be read from a descriptor. Returns 0 or -errno; -EFBIG above BUF_FILE_MAX bytes. */
int buf_read_fd(struct buf *b, int fd);
/* Writes n bytes to a descriptor. Returns 0 or -errno. */
int buf_write_fd(int fd, const void *p, size_t n);
/* Appends a whole file to `b`. Returns 0 or -errno; -EFBIG above BUF_FILE_MAX bytes (so reading /dev/zero ends). */
int buf_read_file(struct buf *b, const char *path);

#endif
