/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words of the stack, from a copy of a part of it, the window: each copy is a call of a helper. Used by unwind.c.
 */
#include "rt/unwind.h"

GLOBAL uint64_t unwind_window(struct unwind_slot *s, uint64_t from);
GLOBAL uint64_t unwind_word(struct unwind_slot *s, uint64_t addr);

/* Copies the stack from an address on: as much as fits, or what is left of the page. */
uint64_t unwind_window(struct unwind_slot *s, uint64_t from)
{
	uint64_t n = UNWIND_WINDOW;

	if (!s)
		return 0;
	if (read_user(s->window, UNWIND_WINDOW, (void *)from)) {
		n = PAGE - (from & (PAGE - 1));
		if (n > UNWIND_WINDOW)
			n = UNWIND_WINDOW;
		if (read_user(s->window, (uint32_t)n, (void *)from))
			n = 0;
	}
	s->low = from;
	s->high = from + n;
	return 0;
}

/* Functions save registers below their return address, which is read first. */
static inline void window_move(struct unwind_slot *s, uint64_t addr)
{
	uint64_t from = addr - 64, sp = s->reg[UNWIND_REG_SP];

	unwind_window(s, addr >= sp && from < sp ? sp : from);
	if (addr < s->low || addr + s->word > s->high)
		unwind_window(s, addr);
}

/* The word at an address. Sets `fault` if it cannot be read. */
uint64_t unwind_word(struct unwind_slot *s, uint64_t addr)
{
	uint64_t word, at, v;

	if (!s)
		return 0;
	word = s->word;
	if (word == 4)
		addr &= UINT32_MAX;
	if (addr < s->low || addr + word > s->high)
		window_move(s, addr);
	at = addr - s->low;
	if (at > UNWIND_WINDOW - 4 || addr + word > s->high) {
		s->fault = 1;
		return 0;
	}
	v = *(uint64_t *)(s->window + at);
	return word == 4 ? v & UINT32_MAX : v;
}

/* The same without a call, if the word is in the window, as most are. */
static inline uint64_t stack_word(struct unwind_slot *s, uint64_t addr)
{
	uint64_t at = addr - s->low;

	if (s->word == 8 && at <= UNWIND_WINDOW - 8 && addr + 8 <= s->high)
		return *(uint64_t *)(s->window + at);
	return unwind_word(s, addr);
}
