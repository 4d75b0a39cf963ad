/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/protobuf.h"

#include <string.h>

#include "base/json.h"
#include "base/leb128.h"

enum { WIRE_VARINT, WIRE_64, WIRE_BYTES };

void protobuf_varint(struct buf *b, uint64_t v)
{
	uint8_t out[LEB128_MAX];

	buf_put(b, out, leb128_write(out, v));
}

void protobuf_number(struct buf *b, unsigned field, uint64_t v)
{
	protobuf_varint(b, field << 3 | WIRE_VARINT);
	protobuf_varint(b, v);
}

void protobuf_signed(struct buf *b, unsigned field, int64_t v)
{
	protobuf_number(b, field, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void protobuf_double(struct buf *b, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	protobuf_varint(b, field << 3 | WIRE_64);
	for (int i = 0; i < 8; i++)
		buf_putc(b, (int)(bits >> 8 * i & 0xff));
}

void protobuf_bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
	protobuf_varint(b, field << 3 | WIRE_BYTES);
	protobuf_varint(b, n);
	buf_put(b, p, n);
}

void protobuf_part(struct buf *b, unsigned field, struct buf *part)
{
	protobuf_bytes(b, field, part->data, part->len);
	b->failed |= part->failed;
	buf_reset(part);
}

void protobuf_text(struct buf *b, unsigned field, const char *s, size_t n)
{
	struct buf text = { 0 };

	for (size_t i = 0, len; i < n; i += len ? len : 1) {
		len = json_utf8_length((const unsigned char *)s + i, n - i);
		if (len) {
			buf_put(&text, s + i, len);
		} else {
			buf_putc(&text, 0xc0 | (unsigned char)s[i] >> 6);
			buf_putc(&text, 0x80 | (s[i] & 0x3f));
		}
	}
	protobuf_part(b, field, &text);
	buf_free(&text);
}
