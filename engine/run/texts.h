/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts of addresses, by number. In a key, a word with such a number replaces an address of a process: keys of several
 * processes that show the same are equal then. A text stands for all functions at an address, some of which may be
 * inlined in others.
 *
 * Ownership: texts_free frees everything (idempotent; a zeroed struct is empty). What texts_frames passes on is valid
 * until then. Errors: without memory, texts_end returns 0 and sets `nomem`.
 */
#ifndef ENGINE_RUN_TEXTS_H
#define ENGINE_RUN_TEXTS_H

#include "base/buf.h"
#include "ir/value.h"

/* A word: bits 56 to 63 are TEXTS_MARK, the others the number. No address and no word of codes.h has this mark. */
enum { TEXTS_MARK = 0x81, TEXTS_MARK_SHIFT = 56 };
/* The owner of words that are texts. No process has it. */
#define TEXTS_OWNER ((int64_t)(VAL_TIME_MAX << VAL_TIME_SHIFT | VAL_OWNER_NEXT))

static inline bool texts_is_word(uint64_t w) { return w >> TEXTS_MARK_SHIFT == TEXTS_MARK; }

struct frame_texts {
	uint8_t **v;			/* by number, from 1; n with number 0, which is none */
	uint32_t n, cap;
	uint32_t *slots, nslots;	/* hash table of numbers; 0: free */
	struct buf next;		/* the text that is being made */
	struct text_found *found;	/* addresses whose texts were looked for last */
	bool nomem;
};

/* The word of an address, if it is known; else 0. call: see val_names.frames. */
uint64_t texts_find(const struct frame_texts *t, uint64_t owner, uint64_t addr, bool call);
/* Makes a text: texts_begin, texts_add for each function, texts_end, which returns its word. unnamed: samples are
 * there, and the code has no name; cause: see unnamed_cause. Texts that differ only in these are equal. */
void texts_begin(struct frame_texts *t, bool unnamed, unsigned cause);
void texts_add(void *texts, const struct val_frame *f);
uint64_t texts_end(struct frame_texts *t);
/* Keeps the word of an address for texts_find, for some time. */
void texts_keep(struct frame_texts *t, uint64_t owner, uint64_t addr, bool call, uint64_t word);
/* Calls fn(to, ...) for the functions of a text. */
void texts_frames(const struct frame_texts *t, uint64_t word, val_frame_fn *fn, void *to);
/* The arguments of texts_begin. */
bool texts_unnamed(const struct frame_texts *t, uint64_t word);
unsigned texts_cause(const struct frame_texts *t, uint64_t word);
/* The order of two words: that of their texts. */
int texts_compare(const struct frame_texts *t, uint64_t a, uint64_t b);
void texts_free(struct frame_texts *t);

#endif
