/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of interpreted programs, by number. In a stack, a frame of an interpreter is a word that no address has: a
 * mark, the number of its function, and its position: a line, or the offset of its instruction.
 *
 * Ownership: struct codes owns copies of everything until codes_close (NULL is allowed).
 * Errors: codes_open returns NULL, codes_add and codes_put return 0 if memory runs out or all numbers are used.
 */
#ifndef ENGINE_SYMBOLS_CODES_H
#define ENGINE_SYMBOLS_CODES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/symbols/symbol.h"

/* A word: bits 56 to 63 are CODES_MARK, bits 32 to 55 the number, bits 0 to 31 the position. Bit 31 marks a line. */
enum { CODES_MARK = 0x80, CODES_MARK_SHIFT = 56, CODES_NUMBER_SHIFT = 32, CODES_MAX = (1 << 24) - 1 };
#define CODES_LINE (1ull << 31)

static inline bool codes_is_word(uint64_t w) { return w >> CODES_MARK_SHIFT == CODES_MARK; }
static inline uint64_t codes_word(uint32_t number, uint32_t position)
{
	return (uint64_t)CODES_MARK << CODES_MARK_SHIFT | (uint64_t)number << CODES_NUMBER_SHIFT | position;
}

static inline uint32_t codes_number(uint64_t word) { return word >> CODES_NUMBER_SHIFT & CODES_MAX; }

/* What is known of a function. */
struct code {
	const char *name, *file;
	uint32_t first;			/* line of its definition */
	const uint8_t *lines;		/* its table of lines, `size` bytes */
	uint32_t size;
	/* The line of an instruction; 0 = unknown. NULL: only `first` is known. */
	uint32_t (*line)(const struct code *c, uint32_t offset);
	/* For code in which functions are inlined: stores the words of a position, innermost first, at most `max`.
	 * Returns their number; 0 = unknown. NULL: there are none. */
	uint32_t (*inlined)(const struct code *c, uint32_t offset, uint64_t *words, uint32_t max);
};

struct codes;

struct codes *codes_open(void);
void codes_close(struct codes *c);
/* Returns the number of a function, which is even; equal functions have one number. */
uint32_t codes_add(struct codes *c, const struct code *code);
/* Gives a function a number of the caller's choice, which is odd, instead of codes_add. Returns it. */
uint32_t codes_put(struct codes *c, uint32_t number, const struct code *code);
/* The word for all positions that are shown like this one: the function's line. Other words are returned unchanged. */
uint64_t codes_settle(const struct codes *c, uint64_t word);
/* Settles `n` words, 0 ends them, in out[max]; words of code with inlined functions become several. Returns the number
 * stored. in and out must not overlap. */
uint32_t codes_frames(const struct codes *c, const uint64_t *in, uint32_t n, uint64_t *out, uint32_t max);
/* Stores the name, the file and the line of a word; codes_is_word(word). They are NULL if it is unknown. c may be
 * NULL. */
void codes_find(const struct codes *c, uint64_t word, struct symbol *out);

#endif
