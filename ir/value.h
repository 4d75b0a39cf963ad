/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a value lies in memory: in a record, in a key. Shared by who writes it (lang, through the IR)
 * and who reads it (aggregation, engine). Plain data; nothing can fail.
 */
#ifndef IR_VALUE_H
#define IR_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum val_kind {
	VAL_INT,	/* 1, 2, 4 or 8 bytes, host order */
	VAL_PTR,	/* 8 bytes, shown as 0x%x */
	VAL_STR,	/* NUL-terminated in `size` bytes, zeros behind */
	VAL_BYTES,	/* raw memory */
};

struct val_field {
	uint32_t off;	/* from the start of the record or key */
	uint32_t size;
	uint8_t kind;	/* enum val_kind */
	bool is_signed;
};

/* The integer at `base + f->off`, sign- or zero-extended. Only for VAL_INT and VAL_PTR. */
int64_t val_int(const struct val_field *f, const void *base);

#endif
