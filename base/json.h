/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes JSON (RFC 8259) to a buffer, with commas between values. In strings, control characters, quotes and
 * backslashes are escaped, valid UTF-8 is unchanged, and each byte that is not part of valid UTF-8 becomes \u00XX.
 *
 * Ownership: the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* '{' or '[', and their ends. */
void json_open(struct buf *b, char bracket);
void json_close(struct buf *b, char bracket);
/* "name": -- a value must follow. */
void json_name(struct buf *b, const char *name);

void json_string(struct buf *b, const char *s, size_t n);
void json_text(struct buf *b, const char *s);			/* up to its NUL */
void json_int(struct buf *b, int64_t v);
void json_uint(struct buf *b, uint64_t v);
void json_float(struct buf *b, long double v, int digits);	/* finite; significant digits */
void json_hex(struct buf *b, uint64_t v);			/* the string "0x1f" */
void json_bytes(struct buf *b, const void *p, size_t n);	/* the string "00ff" */
void json_bool(struct buf *b, bool v);
void json_null(struct buf *b);

/* Members: a name and its value. */
void json_member_text(struct buf *b, const char *name, const char *text);
void json_member_int(struct buf *b, const char *name, int64_t v);
void json_member_uint(struct buf *b, const char *name, uint64_t v);
void json_member_float(struct buf *b, const char *name, long double v, int digits);

/* An object on a line of its own, with the member "type"; and its end. */
void json_line_open(struct buf *b, const char *type);
void json_line_close(struct buf *b);

/* Bytes of the UTF-8 sequence at s (n > 0 bytes available), or 0 if it is invalid: no overlong forms, no surrogates,
 * nothing above U+10FFFF. */
size_t json_utf8_length(const unsigned char *s, size_t n);

#endif
