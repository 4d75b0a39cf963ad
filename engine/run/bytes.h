/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The encoding of numbers in recordings (docs/record.md): little-endian, or unsigned LEB128. Signed numbers are mapped
 * to unsigned ones by zigzag encoding: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... (as in Protocol Buffers).
 *
 * Ownership: the caller's buffers. Errors: reading beyond the end sets `bad` and returns 0.
 */
#ifndef ENGINE_RUN_BYTES_H
#define ENGINE_RUN_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/leb128.h"

struct bytes {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t zigzag_encode(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

static inline void put_number(struct buf *b, uint64_t v)
{
	uint8_t out[LEB128_MAX];

	buf_put(b, out, leb128_write(out, v));
}

static inline void put_le(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t get_le(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static inline uint64_t get_number(struct bytes *b)
{
	uint64_t v;

	b->bad |= !leb128_read(&b->p, b->end, &v);
	return v;
}

/* Reads n bytes. Returns NULL and sets `bad` if there are fewer. */
static inline const uint8_t *get_bytes(struct bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		return NULL;
	}
	b->p += n;
	return p;
}

/* Reads a length, at most `most`, and that many bytes. On error, returns NULL and stores 0 in *n. */
static inline const uint8_t *get_counted(struct bytes *b, uint64_t most, uint32_t *n)
{
	uint64_t len = get_number(b);
	const uint8_t *p = NULL;

	if (len > most)
		b->bad = true;
	if (!b->bad)
		p = get_bytes(b, len);
	*n = p ? (uint32_t)len : 0;
	return p;
}

#endif
