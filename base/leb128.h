/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LEB128 (DWARF 5, section 7.6; the unsigned form also in Protocol Buffers and recordings): groups of seven bits, the
 * lowest first, with the eighth bit set in all but the last. The sign of a signed number is the seventh bit of its last
 * byte.
 *
 * Ownership: the caller's memory.
 */
#ifndef BASE_LEB128_H
#define BASE_LEB128_H

#include <stdbool.h>
#include <stdint.h>

enum { LEB128_MAX = 10 };	/* bytes of a 64-bit number */

/* Returns how many bytes of `out` were written. */
static inline unsigned leb128_write(uint8_t out[LEB128_MAX], uint64_t v)
{
	unsigned n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

/* Reads the number at *p and advances *p. Bits above the 64th are dropped. Returns false with *out = 0 if it does
 * not end before `end` or has more than LEB128_MAX bytes. */
static inline bool leb128_read(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	uint64_t v = 0;

	*out = 0;
	for (unsigned i = 0; i < LEB128_MAX && *p < end; i++) {
		uint8_t byte = *(*p)++;

		v |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80) {
			*out = v;
			return true;
		}
	}
	return false;
}

/* Like leb128_read, for a signed number. */
static inline bool leb128_read_signed(const uint8_t **p, const uint8_t *end, int64_t *out)
{
	const uint8_t *from = *p;
	uint64_t v;
	bool good = leb128_read(p, end, &v);
	unsigned bits = good ? 7 * (unsigned)(*p - from) : 64;

	if (bits < 64 && (*p)[-1] & 0x40)
		v |= UINT64_MAX << bits;
	*out = (int64_t)v;
	return good;
}

#endif
