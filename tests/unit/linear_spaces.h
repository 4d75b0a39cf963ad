/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address spaces over time as engine/symbols/spaces.c keeps them, but without an index: each look-up visits every
 * mapping. tests/unit/test_spaces.c compares the two.
 * Ownership, errors: as in engine/symbols/spaces.h.
 */
#ifndef TESTS_UNIT_LINEAR_SPACES_H
#define TESTS_UNIT_LINEAR_SPACES_H

#include <stdlib.h>
#include <string.h>

#include "engine/symbols/spaces.h"

enum {
	KEPT_MAPPINGS = 1 << 18,	/* above this, the mappings of processes that ended first are dropped */
	MAPPED_MAX = 4096,		/* in a list: above this, the oldest mappings are dropped */
	FIRST_ROOM = 8,			/* capacity of a new list, in mappings */
	CHAIN_MAX = 16,			/* lists that are chained at most */
	IMAGES_MAX = 512,		/* images per process ID */
	SETTLE_TRIES = 64,		/* changes at which linear_settle compares states */
};

/* A list of mappings, shared by a process's image and those forked from it. */
struct linear_list {
	unsigned users, depth;
	uint32_t n, cap;
	struct linear_list *before;		/* of the parent process */
	struct mapping v[];		/* in order of time */
};

struct linear_image {
	uint64_t since;
	struct linear_image *before;
	struct linear_list *list;		/* or NULL */
};

static void linear_init(struct spaces *s)
{
	memset(s, 0, sizeof *s);
	s->space = calloc(SPACES_HASH, sizeof *s->space);
	if (!s->space)
		abort();
}

static struct linear_image *linear_newest(const struct symbol_space *p)
{
	return (struct linear_image *)p->image;
}

/* ---- lists ---- */
static void list_drop(struct spaces *s, struct linear_list *l)
{
	while (l && --l->users == 0) {
		struct linear_list *before = l->before;

		s->mappings -= l->n;
		free(l);
		l = before;
	}
}

/* Creates a list that continues `before`, and takes over the caller's reference to it. */
static struct linear_list *list_new(struct linear_list *before, uint32_t room)
{
	struct linear_list *l = malloc(sizeof *l + room * sizeof l->v[0]);

	if (l)
		*l = (struct linear_list){ .users = 1, .cap = room, .before = before,
				       .depth = before ? before->depth + 1 : 0 };
	return l;
}

/* Merges a chain into one list. */
static struct linear_list *list_flat(struct spaces *s, struct linear_list *chain)
{
	uint32_t n = 0, at;
	struct linear_list *l;

	for (l = chain; l; l = l->before)
		n += l->n;
	l = list_new(NULL, n + FIRST_ROOM);
	if (!l)
		return NULL;
	l->n = at = n;
	for (const struct linear_list *x = chain; x; x = x->before) {
		at -= x->n;
		memcpy(l->v + at, x->v, x->n * sizeof l->v[0]);
	}
	s->mappings += n;
	list_drop(s, chain);
	return l;
}

/* Returns a list that only this image uses, with room for one more mapping. */
static struct linear_list *list_room(struct spaces *s, struct linear_image *i)
{
	struct linear_list *l = i->list, *bigger;

	if (!l || l->users > 1) {
		l = l && l->depth + 1 >= CHAIN_MAX ? list_flat(s, l) : list_new(l, FIRST_ROOM);
		if (l)
			i->list = l;
		return l;
	}
	if (l->n < l->cap)
		return l;
	bigger = realloc(l, sizeof *l + 2 * (size_t)l->cap * sizeof l->v[0]);
	if (!bigger)
		return NULL;
	bigger->cap *= 2;
	return i->list = bigger;
}

static bool overlaps(const struct mapping *x, uint64_t start, uint64_t end)
{
	return x->start < end && start < x->end;
}

static bool same_place(const struct mapping *a, const struct mapping *b)
{
	return a->file == b->file && (!a->file || a->start - a->off == b->start - b->off);
}

/* The newest mapping that overlaps the range and is not later than `at`. */
static const struct mapping *list_overlap(const struct linear_list *l, uint64_t start, uint64_t end, uint64_t at)
{
	for (; l; l = l->before)
		for (uint32_t i = l->n; i-- > 0;)
			if (l->v[i].since <= at && overlaps(&l->v[i], start, end))
				return &l->v[i];
	return NULL;
}

/* Drops mappings of the older half that later ones cover. Returns the time from which on the list is complete. */
static uint64_t list_prune(struct linear_list *l)
{
	uint32_t kept = 0, half = l->n / 2, k;
	uint64_t horizon = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct mapping *x = &l->v[i];

		for (k = i + 1; k < l->n; k++)
			if (i >= half || (l->v[k].start <= x->start && l->v[k].end >= x->end))
				break;
		if (i >= half || k == l->n)
			l->v[kept++] = *x;
		else if (l->v[k].since > horizon)
			horizon = l->v[k].since;
	}
	l->n = kept;
	return horizon;
}

/* Inserts a mapping after all that are not later: an event may arrive late. */
static void list_insert(struct linear_list *l, const struct mapping *x)
{
	uint32_t at = l->n++;

	while (at > 0 && l->v[at - 1].since > x->since) {
		l->v[at] = l->v[at - 1];
		l->v[at].over |= overlaps(x, l->v[at].start, l->v[at].end);
		at--;
	}
	l->v[at] = *x;
	l->v[at].over = list_overlap(l->before, x->start, x->end, UINT64_MAX);
	for (uint32_t i = 0; i < at && !l->v[at].over; i++)
		l->v[at].over = overlaps(&l->v[i], x->start, x->end);
}

/* ---- images ---- */
static void images_drop(struct spaces *s, struct linear_image *i)
{
	while (i) {
		struct linear_image *before = i->before;

		list_drop(s, i->list);
		free(i);
		i = before;
	}
}

static void images_bound(struct spaces *s, struct symbol_space *p)
{
	struct linear_image *i = linear_newest(p);

	if (p->images <= IMAGES_MAX)
		return;
	for (unsigned n = 1; n < IMAGES_MAX / 2; n++)
		i = i->before;
	p->horizon = i->since > p->horizon ? i->since : p->horizon;
	images_drop(s, i->before);
	i->before = NULL;
	s->forgotten += p->images - IMAGES_MAX / 2;
	p->images = IMAGES_MAX / 2;
}

static struct linear_image *image_begin(struct spaces *s, struct symbol_space *p, uint64_t since,
					struct linear_list *list)
{
	struct linear_image *i = malloc(sizeof *i);

	s->nomem |= !i;
	if (!i)
		return NULL;
	*i = (struct linear_image){ .since = since, .before = linear_newest(p), .list = list };
	if (list)
		list->users++;
	p->image = (struct space_image *)i;
	p->images++;
	p->executed = 0;
	images_bound(s, p);
	return i;
}

static void linear_enter(struct spaces *s, struct symbol_space *p, uint64_t time)
{
	if (p->executed)
		image_begin(s, p, time > p->executed ? time : p->executed, NULL);
}

/* The image at a time; the oldest image if that began later. */
static const struct linear_image *image_at(const struct symbol_space *p, uint64_t at)
{
	const struct linear_image *i = p ? linear_newest(p) : NULL;

	while (at && i && i->before && i->since > at)
		i = i->before;
	return i;
}

/* Returns the image's own list with room for one more mapping. NULL: out of memory, or the list is full. */
static struct linear_list *image_room(struct spaces *s, struct symbol_space *p)
{
	struct linear_list *l = list_room(s, linear_newest(p));
	uint32_t before = l ? l->n : 0;
	uint64_t horizon;

	s->nomem |= !l;
	if (!l || l->n < MAPPED_MAX)
		return l;
	horizon = list_prune(l);
	p->horizon = horizon > p->horizon ? horizon : p->horizon;
	s->mappings -= before - l->n;
	s->forgotten += before - l->n;
	if (l->n < MAPPED_MAX)
		return l;
	s->forgotten++;
	return NULL;
}

/* True if the mapping adds nothing. Anonymous memory is recorded only where a file was mapped. */
static bool is_known(const struct linear_list *l, const struct mapping *x, bool over)
{
	const struct mapping *there = list_overlap(l, x->start, x->end, x->since);

	if (!over)
		return !x->file;
	return there && same_place(there, x) && there->start <= x->start && there->end >= x->end &&
	       (x->data || !there->data);
}

static bool linear_add(struct spaces *s, struct symbol_space *p, const struct mapping *x)
{
	bool begins = p->executed, over;
	struct linear_list *l;

	linear_enter(s, p, x->since);
	if (!linear_newest(p) && !image_begin(s, p, 0, NULL))
		return false;
	over = list_overlap(linear_newest(p)->list, x->start, x->end, UINT64_MAX);
	l = is_known(linear_newest(p)->list, x, over) ? NULL : image_room(s, p);
	if (!l)
		return begins;
	list_insert(l, x);
	s->mappings++;
	return begins || over;
}

/* ---- processes ---- */
static struct symbol_space **space_slot(struct spaces *s, int64_t pid)
{
	struct symbol_space **p = &s->space[(uint64_t)pid % SPACES_HASH];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

static struct symbol_space *linear_get(struct spaces *s, int64_t pid, bool make)
{
	struct symbol_space **slot = space_slot(s, pid), *p = *slot;

	if (p || !make)
		return p;
	p = calloc(1, sizeof *p);
	s->nomem |= !p;
	if (!p)
		return NULL;
	p->pid = pid;
	return *slot = p;
}

static void ended_remove(struct spaces *s, struct symbol_space *p)
{
	if (!p->ended)
		return;
	*(p->older ? &p->older->newer : &s->oldest) = p->newer;
	*(p->newer ? &p->newer->older : &s->newest) = p->older;
	p->older = p->newer = NULL;
	p->ended = false;
}

static void space_free(struct spaces *s, struct symbol_space *p)
{
	struct symbol_space **slot = space_slot(s, p->pid);

	*slot = p->next;
	ended_remove(s, p);
	images_drop(s, linear_newest(p));
	free(p);
}

static void linear_exit(struct spaces *s, int64_t pid)
{
	struct symbol_space *p = linear_get(s, pid, false);

	if (!p || p->ended)
		return;
	p->ended = true;
	p->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = p;
	s->newest = p;
	while (s->mappings > KEPT_MAPPINGS && s->oldest)
		space_free(s, s->oldest);
}

static void linear_fork(struct spaces *s, int64_t pid, int64_t parent, uint64_t time)
{
	struct symbol_space *from = linear_get(s, parent, false), *p = linear_get(s, pid, true);

	if (!p || from == p)
		return;
	ended_remove(s, p);
	p->read_turn = 0;
	image_begin(s, p, time, from && linear_newest(from) ? linear_newest(from)->list : NULL);
}

static void linear_exec(struct spaces *s, int64_t pid, uint64_t time)
{
	struct symbol_space *p = linear_get(s, pid, true);

	if (!p)
		return;
	ended_remove(s, p);
	p->read_turn = 0;
	p->executed = time ? time : 1;
}

static void linear_close(struct spaces *s)
{
	for (unsigned i = 0; i < SPACES_HASH; i++)
		while (s->space[i])
			space_free(s, s->space[i]);
	free(s->space);
}

/* ---- queries ---- */
static bool covers(const struct mapping *x, uint64_t addr)
{
	return x->start <= addr && addr < x->end;
}

/* *later: a mapping appeared at the address after that time. */
static const struct mapping *image_find(const struct linear_image *i, uint64_t addr, uint64_t at, bool *later)
{
	const struct mapping *soonest = NULL;

	*later = false;
	for (const struct linear_list *l = i ? i->list : NULL; l; l = l->before) {
		for (uint32_t k = l->n; k-- > 0;) {
			const struct mapping *x = &l->v[k];

			if (!covers(x, addr))
				continue;
			if (!at || x->since <= at)
				return x;
			*later = true;
			soonest = x;
		}
	}
	return soonest;
}

static const struct mapping *linear_find(const struct symbol_space *p, uint64_t addr, uint64_t at)
{
	const struct linear_image *i = image_at(p, at);
	bool later;
	const struct mapping *x = image_find(i, addr, at, &later);

	/* the mapping at that time may have been dropped */
	return x && at && at < p->horizon && (later || i->since > at) ? NULL : x;
}

static bool linear_overlaps(const struct symbol_space *p, uint64_t start, uint64_t end)
{
	return linear_newest(p) && list_overlap(linear_newest(p)->list, start, end, UINT64_MAX);
}

static uint64_t linear_base(const struct symbol_space *p, const struct mapping *x, uint64_t at)
{
	const struct linear_image *image = image_at(p, at);
	uint64_t base = x->start;
	bool later;

	for (const struct linear_list *l = image ? image->list : NULL; l; l = l->before)
		for (uint32_t i = 0; i < l->n; i++)
			if (l->v[i].file == x->file && l->v[i].start < base &&
			    image_find(image, l->v[i].start, at, &later) == &l->v[i])
				base = l->v[i].start;
	return base;
}

static uint64_t linear_begun(const struct symbol_space *p, uint64_t at)
{
	const struct linear_image *i = image_at(p, at);

	return i ? i->since : 0;
}

static uint64_t linear_next(const struct symbol_space *p, uint64_t at)
{
	uint64_t next = at;

	for (const struct linear_image *i = p ? linear_newest(p) : NULL; i && i->since > at; i = i->before)
		next = i->since;
	return next;
}

static uint64_t linear_changed(const struct symbol_space *p, uint64_t at)
{
	const struct linear_image *i = image_at(p, at);
	uint64_t last = i && i->since <= at ? i->since : 0;

	for (const struct linear_list *l = i ? i->list : NULL; l; l = l->before)
		for (uint32_t k = l->n; k-- > 0;)
			if (l->v[k].over && l->v[k].since <= at && l->v[k].since > last)
				last = l->v[k].since;
	return last;
}

/* ---- times with equal mappings ---- */

/* Finds the last time, not after `at`, and the first time after it, at which the mapping of an address changes; 0 and
 * UINT64_MAX if there is none. */
static void changes_around(const struct symbol_space *p, uint64_t addr, uint64_t at, uint64_t *last, uint64_t *next)
{
	*last = 0;
	*next = UINT64_MAX;
	for (const struct linear_image *i = linear_newest(p); i; i = i->before) {
		uint64_t *to = i->since <= at ? last : next;

		if (to == last ? i->since > *to : i->since < *to)
			*to = i->since;
		for (const struct linear_list *l = i->list; l; l = l->before) {
			for (uint32_t k = 0; k < l->n; k++) {
				const struct mapping *x = &l->v[k];

				if (!x->over || x->since < i->since || !covers(x, addr))
					continue;
				if (x->since <= at && x->since > *last)
					*last = x->since;
				if (x->since > at && x->since < *next)
					*next = x->since;
			}
		}
		if (i->since <= at)
			break;
	}
}

/* Like changes_around, for any of several addresses. */
static void changes_of_any(const struct symbol_space *p, const uint64_t *addr, uint32_t n, uint64_t at, uint64_t *last,
			   uint64_t *next)
{
	uint64_t before, after;

	*last = 0;
	*next = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		changes_around(p, addr[i], at, &before, &after);
		*last = before > *last ? before : *last;
		*next = after < *next ? after : *next;
	}
}

static bool means_same(const struct spaces *s, const struct symbol_space *p, uint64_t addr, uint64_t a, uint64_t b)
{
	const struct mapping *x = linear_find(p, addr, a), *y = linear_find(p, addr, b);

	if (!x || !x->file || !y || !y->file)
		return (x && x->file) == (y && y->file);
	return same_place(x, y) || (s->alike && s->alike(s->arg, x, y, addr));
}

static uint64_t linear_settle(const struct spaces *s, const struct symbol_space *p, const uint64_t *addr, uint32_t n,
		       uint64_t from,
		       uint64_t at)
{
	uint64_t t = from, last, next;

	if (!p || at <= from)
		return 0;
	for (unsigned tries = 0; t < at && tries < SETTLE_TRIES; tries++) {
		uint32_t i = 0;

		while (i < n && means_same(s, p, addr[i], t, at))
			i++;
		if (i == n)
			return t == from ? 0 : t;
		changes_of_any(p, addr, n, t, &last, &next);
		t = next;
	}
	changes_of_any(p, addr, n, at, &last, &next);
	return last > from ? last : 0;
}

#endif
