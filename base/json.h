/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing JSON into a buffer. Commas take care of themselves: what follows a value gets one.
 * What is written is ASCII for controls, quotes and backslashes, UTF-8 as it is, and \u00XX for each byte that is not
 * part of valid UTF-8.
 *
 * Ownership: the caller's buffer. Errors: memory only (buf->failed).
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* '{' or '[', and their ends. */
void json_open(struct buf *b, char bracket);
void json_close(struct buf *b, char bracket);
/* "name": -- a value has to follow. */
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

/* Bytes of the UTF-8 sequence at s, of which n > 0 are there; 0 if there is none: no overlong ones, no surrogates, nothing above
 * U+10FFFF. */
size_t json_utf8_length(const unsigned char *s, size_t n);

#endif
