/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads numbers from untrusted bytes in this machine's byte order. A read beyond the end gives 0, sets `bad` and
 * consumes the rest.
 *
 * Ownership: the caller's memory.
 */
#ifndef ENGINE_UNWIND_CFI_READ_H
#define ENGINE_UNWIND_CFI_READ_H

#include <string.h>

#include "base/leb128.h"

struct cfi_bytes {
	const uint8_t *p, *end;
	bool bad;
};

/* Skips n bytes. */
static inline void cfi_skip(struct cfi_bytes *b, uint64_t n)
{
	if (n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		n = (uint64_t)(b->end - b->p);
	}
	b->p += n;
}

/* Reads an unsigned number of n bytes (1, 2, 4 or 8). */
static inline uint64_t cfi_fixed(struct cfi_bytes *b, unsigned n)
{
	const uint8_t *p = b->p;
	uint16_t v2;
	uint32_t v4;
	uint64_t v8;

	cfi_skip(b, n);
	if (b->bad)
		return 0;
	switch (n) {
	case 1: return *p;
	case 2: memcpy(&v2, p, sizeof v2); return v2;
	case 4: memcpy(&v4, p, sizeof v4); return v4;
	default: memcpy(&v8, p, sizeof v8); return v8;
	}
}

static inline uint64_t cfi_uleb(struct cfi_bytes *b)
{
	uint64_t v;

	if (!leb128_read(&b->p, b->end, &v)) {
		b->bad = true;
		b->p = b->end;
	}
	return v;
}

static inline int64_t cfi_sleb(struct cfi_bytes *b)
{
	int64_t v;

	if (!leb128_read_signed(&b->p, b->end, &v)) {
		b->bad = true;
		b->p = b->end;
	}
	return v;
}

#endif
