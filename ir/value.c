/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "ir/value.h"

#include <string.h>

int64_t val_int(const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	uint8_t b;
	uint16_t h;
	uint32_t w;
	uint64_t x;

	/* memcpy: fields of a packed record need not be aligned. */
	switch (f->size) {
	case 1:
		b = *p;
		return f->is_signed ? (int8_t)b : (int64_t)b;
	case 2:
		memcpy(&h, p, sizeof h);
		return f->is_signed ? (int16_t)h : (int64_t)h;
	case 4:
		memcpy(&w, p, sizeof w);
		return f->is_signed ? (int32_t)w : (int64_t)w;
	case 8:
		memcpy(&x, p, sizeof x);
		return (int64_t)x;
	default:
		return 0;
	}
}
