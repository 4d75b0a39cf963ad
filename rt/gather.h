/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies the memory that the arguments of a call point to, in the kernel. What belongs to an argument is described by a
 * word of a table, so one small program serves all calls: for a long one, the kernel's verifier takes longer than all
 * the rest of dtr.
 *
 * The result begins with the first arguments, as many as are wanted; items follow. An item is a word (the number of the
 * argument in the low half, the number of bytes n in the high half), n bytes, and padding to whole words.
 *
 * Ownership: the caller owns all memory. Errors: memory that cannot be read has no items.
 */
#ifndef RT_GATHER_H
#define RT_GATHER_H

#include <stdint.h>

enum {
	GATHER_ARGS = 6,
	GATHER_ITEM = 1024,		/* most bytes of an item */
	GATHER_ITEMS = 4096,		/* items begin before this offset; a power of two */
	GATHER_OPS = 256,		/* descriptions; 0: no memory */
};

/* The result; the rest is known before, or for the function itself. */
struct gather {
	uint8_t items[GATHER_ITEMS + 8 + GATHER_ITEM];
	uint64_t missed;		/* a bit for each argument whose text could not be read */
	uint64_t result;		/* of the call */
	uint64_t arg[8];		/* GATHER_ARGS */
	uint64_t end;			/* bytes of the result */
	uint64_t left;			/* bytes that a vector has left */
	uint64_t entries, size;		/* the item that the vector is: its offset, its bytes */
};

/*
 * What is copied, and how many bytes, at most `most`:
 *	TEXT	a string with its NUL
 *	BYTES	`size`
 *	TIMES	`size` times the argument `with`
 *	DONE	`size` times the result
 *	AT	the number of 4 bytes at the argument `with`
 *	TEXTS	an array of strings of `size` bytes, each an item, up to NULL; one item more if there are more than
 *		`most`
 *	VECTOR	an array of struct iovec, as many as the argument `with` says; then GATHER_ENTRIES items: what its
 *		entries point to, each at most `most` bytes. With GATHER_DONE_SOME or GATHER_SUCCEEDED
 *		they have as many bytes as the result says
 *	MESSAGE	struct msghdr; the address; the control data; then as VECTOR
 */
enum gather_how { GATHER_TEXT = 1, GATHER_BYTES, GATHER_TIMES, GATHER_DONE, GATHER_AT, GATHER_TEXTS, GATHER_VECTOR,
		  GATHER_MESSAGE };
/* Always; if the argument's bit of `missed` is set; if it is set and the result is negative; if the result is negative,
 * more than 0, or at least 0. */
enum gather_when { GATHER_ALWAYS, GATHER_AGAIN, GATHER_AGAIN_FAILED, GATHER_FAILED, GATHER_DONE_SOME,
		   GATHER_SUCCEEDED };
/* The letters of these in the text that _gather() has (lang/func/gather.c). */
#define GATHER_HOW_LETTERS "tbnrawvm"
#define GATHER_WHEN_LETTERS "amefps"

/* At most so many entries of a vector; bytes of the address and of the control data of a message. */
enum { GATHER_ENTRIES = 4, GATHER_NAME = 112, GATHER_CONTROL = 64 };

/* A word of the table. with: an argument; size: below 2^16; most: below 2^32. */
static inline uint64_t gather_op(unsigned how, unsigned when, unsigned with, uint64_t size, uint64_t most)
{
	return how | when << 4 | with << 8 | size << 16 | most << 32;
}

/* table: GATHER_OPS descriptions. chosen: in byte i, the number of the description for argument i; in byte 6, how many
 * arguments are recorded. Returns the bytes of the result, and in the upper half `missed`. */
uint64_t rt_gather(struct gather *g, const uint64_t *table, uint64_t chosen);

#endif
