/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies the memory of arguments (gather.h). Compiled for BPF only. How far the result is filled is in its first word,
 * because the verifier does not follow the contents of maps: it checks each loop's step once.
 */
#include "rt/gather.h"
#include "rt/word.h"

/* bpf_probe_read_user(), bpf_probe_read_user_str() */
static long (*const gather_read)(void *dst, uint32_t size, const void *from) = (void *)112;
static long (*const gather_text)(void *dst, uint32_t size, const void *from) = (void *)114;

struct gather {
	uint8_t *items;
	uint64_t *words;
	const uint64_t *table;
	uint64_t chosen;
};

/* What is copied for one argument. */
struct gather_arg {
	struct gather *g;
	uint64_t i, at;		/* the argument; the address */
	uint64_t size, most;
	uint64_t from;		/* where its items begin */
};

enum { ITEM_HEAD = 8, ENTRY = 16, MESSAGE_SIZE = 56 };

static inline uint64_t gather_end(const struct gather *g)
{
	return *(volatile uint64_t *)g->items;
}

static inline void gather_cut(struct gather *g, uint64_t end)
{
	*(volatile uint64_t *)g->items = end;
}

/* An offset of whole words that is inside the result with GATHER_ITEM bytes more. */
static inline uint64_t gather_bound(uint64_t at)
{
	RT_OPAQUE(at);
	return at & (GATHER_ROOM - 8);
}

/* The word at this offset of the result. */
static inline uint64_t gather_word(const struct gather *g, uint64_t at)
{
	return *(volatile uint64_t *)(g->items + gather_bound(at));
}

static inline void gather_miss(const struct gather_arg *a)
{
	a->g->words[GATHER_MISSED] |= 1ull << (a->i & 7);
	gather_cut(a->g, a->from);
}

/* Adds an item of n bytes, at most GATHER_ITEM, or a text of at most n. Returns 0, or 1 if it cannot be read. */
static RT_FRAME uint64_t gather_add(struct gather_arg *a, uint64_t from, uint64_t n, uint64_t text)
{
	uint64_t at = gather_end(a->g);
	uint8_t *item;
	long r = 0;

	n = n < GATHER_ITEM ? n : GATHER_ITEM;
	RT_OPAQUE(n);
	n &= 2 * GATHER_ITEM - 1;
	if (at > GATHER_ROOM - ITEM_HEAD - GATHER_ITEM)
		return 1;
	item = a->g->items + gather_bound(at);
	if (text)
		r = gather_text(item + ITEM_HEAD, (uint32_t)n, (const void *)from);
	else if (n)
		r = gather_read(item + ITEM_HEAD, (uint32_t)n, (const void *)from);
	if (r < 0)
		return 1;
	n = text ? (uint64_t)r : n;
	*(uint64_t *)item = a->i | n << 32;
	gather_cut(a->g, at + ITEM_HEAD + ((n + 7) & ~7ull));
	return 0;
}

/* String number k of an array; the one after the last that is wanted is an item without text. */
static long gather_string(uint64_t k, void *state)
{
	struct gather_arg *a = state;
	uint64_t p = 0;

	if (gather_read(&p, sizeof p, (const void *)(a->at + 8 * (k & 0xff)))) {
		gather_miss(a);
		return 1;
	}
	if (!p)
		return 1;
	if (k >= a->most) {
		gather_add(a, p, 0, 0);
		return 1;
	}
	if (!gather_add(a, p, a->size, 1))
		return 0;
	gather_miss(a);
	return 1;
}

/* What entry k of the vector points to; a->at: the offset of the vector's item, a->size: its bytes. */
static long gather_entry(uint64_t k, void *state)
{
	struct gather_arg *a = state;
	uint64_t p = 0, n = 0, *left = &a->g->words[GATHER_LEFT];

	k &= GATHER_ENTRIES - 1;
	if (a->size > ENTRY * k) {
		p = gather_word(a->g, a->at + ITEM_HEAD + ENTRY * k);
		n = gather_word(a->g, a->at + ITEM_HEAD + ENTRY * k + 8);
	}
	n = n < a->most ? n : a->most;
	n = n < *left ? n : *left;
	*left -= n;
	if (!gather_add(a, p, n, 0))
		return 0;
	gather_cut(a->g, a->from);
	return 1;
}

/* count: entries that the vector has. */
static inline void gather_vector(struct gather_arg *a, uint64_t count)
{
	const uint64_t p = a->at;

	a->from = a->at = gather_end(a->g);
	a->size = ENTRY * (count < GATHER_ENTRIES ? count : GATHER_ENTRIES);
	if (!gather_add(a, p, a->size, 0))
		rt_loop(GATHER_ENTRIES, gather_entry, a);
}

/* A part of a message: its address and its length are words of struct msghdr, which is the item at `from`. */
static inline uint64_t gather_part(struct gather_arg *a, uint64_t word, uint64_t most)
{
	const uint64_t at = a->from + ITEM_HEAD + 8 * word, p = gather_word(a->g, at);
	const uint64_t n = p ? (uint32_t)gather_word(a->g, at + 8) : 0;

	return gather_add(a, p, n < most ? n : most, 0);
}

/* struct msghdr is seven words: name, its length, buffers, their number, control data, its length, flags. */
static inline void gather_message(struct gather_arg *a)
{
	uint64_t count;

	if (gather_add(a, a->at, MESSAGE_SIZE, 0) || gather_part(a, 0, GATHER_NAME) ||
	    gather_part(a, 4, GATHER_CONTROL)) {
		gather_cut(a->g, a->from);
		return;
	}
	a->at = gather_word(a->g, a->from + ITEM_HEAD + 16);
	count = gather_word(a->g, a->from + ITEM_HEAD + 24);
	gather_vector(a, count);
}

static inline bool gather_wanted(const struct gather *g, uint64_t i, uint64_t when)
{
	const bool missed = g->words[GATHER_MISSED] >> i & 1;
	const int64_t result = (int64_t)g->words[GATHER_RESULT];

	switch (when) {
	case GATHER_AGAIN:
		return missed;
	case GATHER_AGAIN_FAILED:
		return missed && result < 0;
	case GATHER_FAILED:
		return result < 0;
	case GATHER_DONE_SOME:
		return result > 0;
	case GATHER_SUCCEEDED:
		return result >= 0;
	default:
		return true;
	}
}

static inline void gather_bytes(struct gather_arg *a, uint64_t how, uint64_t with)
{
	uint64_t n = a->size;
	uint32_t there = 0;

	if (how == GATHER_TIMES)
		n *= with;
	else if (how == GATHER_DONE)
		n *= a->g->words[GATHER_RESULT];
	else if (how == GATHER_AT && gather_read(&there, sizeof there, (const void *)with))
		return;
	if (how == GATHER_AT)
		n = there;
	gather_add(a, a->at, n < a->most ? n : a->most, 0);
}

static long gather_step(uint64_t i, void *state)
{
	struct gather *g = state;
	struct gather_arg a = { .g = g };
	uint64_t op, how, with;

	RT_OPAQUE(i);
	a.i = i &= 7;
	RT_OPAQUE(i);
	op = g->table[g->chosen >> 8 * i & 0xff];
	how = op & 0xf;
	if (!how || i >= GATHER_ARGS || !gather_wanted(g, i, op >> 4 & 0xf))
		return 0;
	a.at = g->words[GATHER_ARG + i];
	if (!a.at)
		return 0;
	a.size = op >> 16 & 0xffff;
	a.most = op >> 32;
	a.from = gather_end(g);
	with = g->words[GATHER_ARG + (op >> 8 & 0x7)];
	g->words[GATHER_LEFT] = (op >> 4 & 0xf) >= GATHER_DONE_SOME ? g->words[GATHER_RESULT] : ~0ull;
	if (how == GATHER_TEXT) {
		if (gather_add(&a, a.at, a.most, 1))
			gather_miss(&a);
	} else if (how == GATHER_TEXTS) {
		rt_loop(a.most + 1, gather_string, &a);
	} else if (how == GATHER_VECTOR) {
		gather_vector(&a, with);
	} else if (how == GATHER_MESSAGE) {
		gather_message(&a);
	} else {
		gather_bytes(&a, how, with);
	}
	return 0;
}

uint64_t rt_gather(uint8_t *items, uint64_t *words, const uint64_t *table, uint64_t chosen)
{
	struct gather g = { items, words, table, chosen };

	for (uint64_t i = 0; i < GATHER_ARGS; i++)
		((volatile uint64_t *)items)[1 + i] = words[GATHER_ARG + i];
	gather_cut(&g, 8 + (chosen >> 8 * GATHER_ARGS & 7) * 8);
	if (chosen & (1ull << 8 * GATHER_ARGS) - 1)
		rt_loop(GATHER_ARGS, gather_step, &g);
	return gather_end(&g) | words[GATHER_MISSED] << 32;
}
