/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies the memory of arguments (gather.h). Compiled for BPF only. The verifier checks each global function once, not
 * at each call (engine/bpf/load/subs.c); it does not follow what memory contains.
 */
#include "rt/gather.h"
#include "rt/word.h"

RT_FRAME uint64_t gather_add(struct gather *g, uint64_t i, uint64_t from, uint64_t n, uint64_t text);
RT_FRAME uint64_t gather_texts(struct gather *g, uint64_t i, uint64_t at, uint64_t size, uint64_t most);
RT_FRAME uint64_t gather_entry(struct gather *g, uint64_t i, uint64_t k, uint64_t most);
RT_FRAME uint64_t gather_part(struct gather *g, uint64_t i, uint64_t from, uint64_t word, uint64_t most);
RT_FRAME uint64_t gather_vector(struct gather *g, uint64_t i, uint64_t at, uint64_t count, uint64_t most);
RT_FRAME uint64_t gather_message(struct gather *g, uint64_t i, uint64_t at, uint64_t most);
RT_FRAME uint64_t gather_argument(struct gather *g, uint64_t i, uint64_t op);

enum { ITEM_HEAD = 8, ENTRY = 16, MESSAGE_SIZE = 56 };

/* An offset of whole words, after which there is room for an item. */
static inline uint64_t gather_bound(uint64_t at)
{
	RT_OPAQUE(at);
	return at & (GATHER_ITEMS - 8);
}

/* The word at this offset of the result. */
static inline uint64_t gather_word(const struct gather *g, uint64_t at)
{
	return *(const volatile uint64_t *)(g->items + gather_bound(at));
}

/* Adds an item of n bytes, at most GATHER_ITEM, or a text of at most n. Returns 0, or 1 if it cannot be read. */
uint64_t gather_add(struct gather *g, uint64_t i, uint64_t from, uint64_t n, uint64_t text)
{
	uint64_t at;
	uint8_t *item;
	long r = 0;

	if (!g)
		return 1;
	at = g->end;
	n = n < GATHER_ITEM ? n : GATHER_ITEM;
	RT_OPAQUE(n);
	n &= 2 * GATHER_ITEM - 1;
	if (at >= GATHER_ITEMS)
		return 1;
	item = g->items + gather_bound(at);
	if (text)
		r = bpf_probe_read_user_str(item + ITEM_HEAD, (uint32_t)n, (const void *)from);
	else if (n)
		r = bpf_probe_read_user(item + ITEM_HEAD, (uint32_t)n, (const void *)from);
	if (r < 0)
		return 1;
	n = text ? (uint64_t)r : n;
	*(uint64_t *)item = i | n << 32;
	g->end = at + ITEM_HEAD + ((n + 7) & ~7ull);
	return 0;
}

struct gather_list {
	struct gather *g;
	uint64_t i, at, size, most;
	uint64_t missed;
};

/* String number k of an array; the one after the last that is wanted is an item without text. */
static long gather_string(uint64_t k, void *state)
{
	struct gather_list *l = state;
	uint64_t p = 0, failed;

	l->missed = 1;
	if (bpf_probe_read_user(&p, sizeof p, (const void *)(l->at + 8 * (k & 0xff))))
		return 1;
	if (p && k < l->most) {
		failed = gather_add(l->g, l->i, p, l->size, 1);
		RT_OPAQUE(failed);	/* the verifier does not know that it is 0 or 1 */
		return failed ? 1 : 0;
	}
	if (p)
		gather_add(l->g, l->i, p, 0, 0);
	l->missed = 0;
	return 1;
}

/* Returns 1 if one of the strings cannot be read. */
uint64_t gather_texts(struct gather *g, uint64_t i, uint64_t at, uint64_t size, uint64_t most)
{
	struct gather_list l = { g, i, at, size, most, 0 };

	if (!g)
		return 0;
	rt_loop(most + 1, gather_string, &l);
	return l.missed;
}

/* What entry k of the vector points to. Returns 1 if it cannot be read. */
uint64_t gather_entry(struct gather *g, uint64_t i, uint64_t k, uint64_t most)
{
	uint64_t p = 0, n = 0;

	if (!g)
		return 1;
	if (g->size > ENTRY * k) {
		p = gather_word(g, g->entries + ITEM_HEAD + ENTRY * k);
		n = gather_word(g, g->entries + ITEM_HEAD + ENTRY * k + 8);
	}
	n = n < most ? n : most;
	n = n < g->left ? n : g->left;
	g->left -= n;
	return gather_add(g, i, p, n, 0);
}

/* count: entries that the vector has. */
uint64_t gather_vector(struct gather *g, uint64_t i, uint64_t at, uint64_t count, uint64_t most)
{
	uint64_t before;

	if (!g)
		return 0;
	before = g->entries = g->end;
	g->size = ENTRY * (count < GATHER_ENTRIES ? count : GATHER_ENTRIES);
	if (gather_add(g, i, at, g->size, 0))
		return 0;
	if (gather_entry(g, i, 0, most) || gather_entry(g, i, 1, most) || gather_entry(g, i, 2, most) ||
	    gather_entry(g, i, 3, most))
		g->end = before;
	return 0;
}

/* A part of a message: its address and its length are words of struct msghdr, which is the item at `from`. */
uint64_t gather_part(struct gather *g, uint64_t i, uint64_t from, uint64_t word, uint64_t most)
{
	const uint64_t at = from + ITEM_HEAD + 8 * word;
	uint64_t p, n;

	if (!g)
		return 1;
	p = gather_word(g, at);
	n = p ? (uint32_t)gather_word(g, at + 8) : 0;
	return gather_add(g, i, p, n < most ? n : most, 0);
}

/* struct msghdr is seven words: name, its length, buffers, their number, control data, its length, flags. */
uint64_t gather_message(struct gather *g, uint64_t i, uint64_t at, uint64_t most)
{
	uint64_t from;

	if (!g)
		return 0;
	from = g->end;
	if (gather_add(g, i, at, MESSAGE_SIZE, 0) || gather_part(g, i, from, 0, GATHER_NAME) ||
	    gather_part(g, i, from, 4, GATHER_CONTROL)) {
		g->end = from;
		return 0;
	}
	return gather_vector(g, i, gather_word(g, from + ITEM_HEAD + 16), gather_word(g, from + ITEM_HEAD + 24), most);
}

static inline bool gather_wanted(const struct gather *g, uint64_t i, uint64_t when)
{
	const bool missed = g->missed >> i & 1;
	const int64_t result = (int64_t)g->result;

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

static inline void gather_bytes(struct gather *g, uint64_t i, uint64_t op)
{
	const uint64_t how = op & 0xf, with = g->arg[op >> 8 & 7], most = op >> 32;
	uint64_t n = op >> 16 & 0xffff;
	uint32_t there = 0;

	if (how == GATHER_TIMES)
		n *= with;
	else if (how == GATHER_DONE)
		n *= g->result;
	else if (how == GATHER_AT && bpf_probe_read_user(&there, sizeof there, (const void *)with))
		return;
	if (how == GATHER_AT)
		n = there;
	gather_add(g, i, g->arg[i & 7], n < most ? n : most, 0);
}

uint64_t gather_argument(struct gather *g, uint64_t i, uint64_t op)
{
	const uint64_t how = op & 0xf, when = op >> 4 & 0xf, size = op >> 16 & 0xffff, most = op >> 32;
	uint64_t at, end, missed;

	if (!g)
		return 0;
	RT_OPAQUE(i);
	i &= 7;
	at = g->arg[i];
	if (!at || !gather_wanted(g, i, when))
		return 0;
	end = g->end;
	g->left = when >= GATHER_DONE_SOME ? g->result : ~0ull;
	if (how == GATHER_TEXT || how == GATHER_TEXTS) {
		missed = how == GATHER_TEXT ? gather_add(g, i, at, most, 1) : gather_texts(g, i, at, size, most);
		if (missed) {
			g->missed |= 1ull << i;
			g->end = end;
		}
	} else if (how == GATHER_VECTOR) {
		gather_vector(g, i, at, g->arg[op >> 8 & 7], most);
	} else if (how == GATHER_MESSAGE) {
		gather_message(g, i, at, most);
	} else {
		gather_bytes(g, i, op);
	}
	return 0;
}

uint64_t rt_gather(struct gather *g, const uint64_t *table, uint64_t chosen)
{
	g->end = 8 * (chosen >> 8 * GATHER_ARGS & 7);
	for (unsigned i = 0; i < GATHER_ARGS; i++)
		((volatile uint64_t *)g->items)[i] = g->arg[i];
	for (unsigned i = 0; i < GATHER_ARGS; i++)
		if (chosen >> 8 * i & 0xff)
			gather_argument(g, i, table[chosen >> 8 * i & 0xff]);
	return g->end | g->missed << 32;
}
