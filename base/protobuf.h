/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes messages in protocol buffers' wire format (https://protobuf.dev/programming-guides/encoding/).
 * Ownership: the caller's buffers. Errors: no memory (buf.failed).
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include <stdint.h>

#include "base/buf.h"

/* A number without a field, as in packed fields. */
void protobuf_varint(struct buf *b, uint64_t v);
/* Fields: a number (uint64, int64, bool, enumeration), one of the type sint64 or sint32, a double, bytes or a text. */
void protobuf_number(struct buf *b, unsigned field, uint64_t v);
void protobuf_signed(struct buf *b, unsigned field, int64_t v);
void protobuf_double(struct buf *b, unsigned field, double v);
void protobuf_bytes(struct buf *b, unsigned field, const void *p, size_t n);
/* The contents of *part as a field; empties *part. */
void protobuf_part(struct buf *b, unsigned field, struct buf *part);
/* A text as a field. Texts must be UTF-8: a byte that is not becomes the character with that number. */
void protobuf_text(struct buf *b, unsigned field, const char *s, size_t n);

#endif
