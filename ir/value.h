/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a value lies in memory: in a record, in a key. Shared by who writes it (lang, through the IR)
 * and who reads it (aggregation, engine). Plain data; nothing can fail.
 */
#ifndef IR_VALUE_H
#define IR_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum val_kind {
	VAL_INT,	/* 1, 2, 4 or 8 bytes, host order */
	VAL_PTR,	/* 8 bytes, shown as 0x%x */
	VAL_STR,	/* NUL-terminated in `size` bytes, zeros behind */
	VAL_BYTES,	/* raw memory */
	/* what only somebody who knows symbols can show (struct val_names) */
	VAL_STACK,	/* kernel PCs, 8 bytes each, the innermost first; zeros after the last, or VAL_CUT and zeros */
	VAL_USTACK,	/* 8 bytes of process ID, then PCs of that process */
	VAL_SYM,	/* kernel address, 8 bytes: shown as the symbol that it lies in */
	VAL_MOD,	/* the same, shown as the module */
	VAL_USYM,	/* process ID and address in it, 16 bytes: the symbol */
	VAL_UMOD,	/* the same: the executable or library */
	VAL_UADDR,	/* the same: the symbol and how far behind it */
};

enum { VAL_STACK_INDENT = 14 };	/* DTrace's */

/* In the place of the next frame: the stack has more frames, which were not collected. */
#define VAL_CUT UINT64_MAX
#define VAL_CUT_NAME "[truncated]"

static inline bool val_is_symbolic(unsigned kind) { return kind >= VAL_STACK; }

struct val_field {
	uint32_t off;	/* from the start of the record or key */
	uint32_t size;
	uint8_t kind;	/* enum val_kind */
	bool is_signed;
};

/* The integer at `base + f->off`, sign- or zero-extended. Only for VAL_INT and VAL_PTR. */
int64_t val_int(const struct val_field *f, const void *base);

/*
 * Who knows symbols. A function that is NULL, or no names at all: addresses are shown as numbers.
 */
struct val_names {
	void *arg;
	/* Appends a symbolic value. A stack: an empty line's end, then a line a frame. Others: the name alone, as one word. */
	void (*show)(void *arg, struct buf *out, const struct val_field *f, const void *base);
	/* Appends an address as "object`symbol+0x1a". pid < 0: of the kernel. */
	void (*addr)(void *arg, struct buf *out, int64_t pid, uint64_t addr);
	/* Makes the addresses of one symbol (VAL_SYM, VAL_USYM), of one module equal, so that they are one key. */
	void (*settle)(void *arg, const struct val_field *f, void *base);
	bool texts;		/* addresses are numbers of texts, and mean nothing otherwise; there are no process IDs */
	uint64_t cut;		/* with `texts`: the number that stands for VAL_CUT; 0: there is none */
	int64_t target;		/* the process that an address of a user belongs to where nothing says which; -1 = none */
};
/* Is this word of a stack no frame, but the mark of a stack that was cut? */
static inline bool val_is_cut(const struct val_names *names, uint64_t w)
{
	return w && w == (names && names->texts ? names->cut : VAL_CUT);
}
/* Appends the symbolic value by `names`, or as numbers where that is NULL. */
void val_show(struct buf *out, const struct val_names *names, const struct val_field *f, const void *base);

#endif
