/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/spaces.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEPT_MAPPINGS = 1 << 18,	/* above this, the mappings of processes that ended first are dropped */
	MAPPED_MAX = 4096,		/* in a list: above this, the oldest mappings are dropped */
	FIRST_ROOM = 8,			/* capacity of a new list, in mappings */
	CHAIN_MAX = 16,			/* lists that are chained at most */
	IMAGES_MAX = 512,		/* images per process ID */
	SETTLE_TRIES = 64,		/* changes at which spaces_settle compares states */
};

/* A list of mappings, shared by a process's image and those forked from it. */
struct maplist {
	unsigned users, depth;
	uint32_t n, cap;
	struct maplist *before;		/* of the parent process */
	struct mapping_index index;
	bool full;			/* and no mapping can be dropped */
	struct mapping v[];		/* in order of time */
};

struct space_image {
	uint64_t since;
	struct space_image *before;
	struct maplist *list;		/* or NULL */
};

void spaces_init(struct spaces *s)
{
	memset(s, 0, sizeof *s);
}

/* ---- lists ---- */
static void list_drop(struct spaces *s, struct maplist *l)
{
	while (l && --l->users == 0) {
		struct maplist *before = l->before;

		s->mappings -= l->n;
		mapping_index_free(&l->index);
		free(l);
		l = before;
	}
}

/* Creates a list that continues `before`, and takes over the caller's reference to it. */
static struct maplist *list_new(struct maplist *before, uint32_t room)
{
	struct maplist *l = malloc(sizeof *l + room * sizeof l->v[0]);

	if (!l)
		return NULL;
	*l = (struct maplist){ .users = 1, .cap = room, .before = before, .depth = before ? before->depth + 1 : 0 };
	if (mapping_index_room(&l->index, room))
		return l;
	free(l);
	return NULL;
}

/* Merges a chain into one list. */
static struct maplist *list_flat(struct spaces *s, struct maplist *chain)
{
	uint32_t n = 0, at;
	struct maplist *l;

	for (l = chain; l; l = l->before)
		n += l->n;
	l = list_new(NULL, n + FIRST_ROOM);
	if (!l)
		return NULL;
	l->n = at = n;
	for (const struct maplist *x = chain; x; x = x->before) {
		at -= x->n;
		memcpy(l->v + at, x->v, x->n * sizeof l->v[0]);
	}
	mapping_index_renew(&l->index, l->v, l->n, 0);
	s->mappings += n;
	list_drop(s, chain);
	return l;
}

/* Returns a list that only this image uses, with room for one more mapping. */
static struct maplist *list_room(struct spaces *s, struct space_image *i)
{
	struct maplist *l = i->list, *bigger;

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
	i->list = bigger;
	if (!mapping_index_room(&bigger->index, 2 * bigger->cap))
		return NULL;
	mapping_index_renew(&bigger->index, bigger->v, bigger->n, 0);
	bigger->cap *= 2;
	return bigger;
}

static bool mapping_overlaps(const struct mapping *x, uint64_t start, uint64_t end)
{
	return x->start < end && start < x->end;
}

static bool same_place(const struct mapping *a, const struct mapping *b)
{
	return a->file == b->file && (!a->file || a->start - a->off == b->start - b->off);
}

/* The last mapping of a list that the query finds, or NULL. */
static const struct mapping *list_last(const struct maplist *l, const struct mapping_query *q)
{
	uint32_t at = mapping_index_last(&l->index, l->v, q);

	return at == NO_MAPPING ? NULL : &l->v[at];
}

static const struct mapping *list_first(const struct maplist *l, const struct mapping_query *q)
{
	uint32_t at = mapping_index_first(&l->index, l->v, q);

	return at == NO_MAPPING ? NULL : &l->v[at];
}

/* The newest mapping that overlaps the range and is not later than `at`. */
static const struct mapping *list_overlap(const struct maplist *l, uint64_t start, uint64_t end, uint64_t at)
{
	const struct mapping_query q = { .start = start, .end = end, .to = at };
	const struct mapping *x = NULL;

	for (; l && !x; l = l->before)
		x = list_last(l, &q);
	return x;
}

/* The first mapping after position i that covers the whole mapping there, or NULL. */
static const struct mapping *list_cover(const struct maplist *l, uint32_t i)
{
	const struct mapping *x = &l->v[i], *y;
	struct mapping_query q = { .start = x->start, .end = x->start + 1, .to = UINT64_MAX, .first = i + 1 };

	while ((y = list_first(l, &q)) && y->end < x->end)
		q.first = (uint32_t)(y - l->v) + 1;
	return y;
}

/* Drops mappings of the older half that later ones cover. Returns the time from which on the list is complete. */
static uint64_t list_prune(struct maplist *l)
{
	uint32_t kept = 0, half = l->n / 2;
	uint64_t horizon = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		/* the positions up to i are not searched, so it does not matter that they have changed */
		const struct mapping *cover = i < half ? list_cover(l, i) : NULL;

		if (!cover)
			l->v[kept++] = l->v[i];
		else if (cover->since > horizon)
			horizon = cover->since;
	}
	l->full = kept == l->n;
	l->n = kept;
	mapping_index_renew(&l->index, l->v, l->n, 0);
	return horizon;
}

/* Inserts a mapping after all that are not later: an event may arrive late. */
static void list_insert(struct maplist *l, const struct mapping *x)
{
	const struct mapping_query any = { .start = x->start, .end = x->end, .to = UINT64_MAX };
	uint32_t at = l->n++, below = mapping_index_first(&l->index, l->v, &any);

	while (at > 0 && l->v[at - 1].since > x->since) {
		l->v[at] = l->v[at - 1];
		l->v[at].over |= mapping_overlaps(x, l->v[at].start, l->v[at].end);
		at--;
	}
	l->v[at] = *x;
	l->v[at].over = below < at || list_overlap(l->before, x->start, x->end, UINT64_MAX);
	mapping_index_renew(&l->index, l->v, l->n, at);
}

/* ---- images ---- */
static void images_drop(struct spaces *s, struct space_image *i)
{
	while (i) {
		struct space_image *before = i->before;

		list_drop(s, i->list);
		free(i);
		i = before;
	}
}

static void images_bound(struct spaces *s, struct symbol_space *p)
{
	struct space_image *i = p->image;

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

static struct space_image *image_begin(struct spaces *s, struct symbol_space *p, uint64_t since, struct maplist *list)
{
	struct space_image *i = malloc(sizeof *i);

	s->nomem |= !i;
	if (!i)
		return NULL;
	*i = (struct space_image){ .since = since, .before = p->image, .list = list };
	if (list)
		list->users++;
	p->image = i;
	p->images++;
	p->executed = 0;
	images_bound(s, p);
	return i;
}

void spaces_enter(struct spaces *s, struct symbol_space *p, uint64_t time)
{
	if (p->executed)
		image_begin(s, p, time > p->executed ? time : p->executed, NULL);
}

/* The image at a time; the oldest image if that began later. */
static const struct space_image *image_at(const struct symbol_space *p, uint64_t at)
{
	const struct space_image *i = p ? p->image : NULL;

	while (at && i && i->before && i->since > at)
		i = i->before;
	return i;
}

/* Returns the image's own list with room for one more mapping. NULL: out of memory, or the list is full. */
static struct maplist *image_room(struct spaces *s, struct symbol_space *p)
{
	struct maplist *l = list_room(s, p->image);
	uint32_t before = l ? l->n : 0;
	uint64_t horizon;

	s->nomem |= !l;
	if (!l || l->n < MAPPED_MAX)
		return l;
	horizon = l->full ? 0 : list_prune(l);
	p->horizon = horizon > p->horizon ? horizon : p->horizon;
	s->mappings -= before - l->n;
	s->forgotten += before - l->n;
	if (l->n < MAPPED_MAX)
		return l;
	s->forgotten++;
	return NULL;
}

/* True if the mapping adds nothing. Anonymous memory is recorded only where a file was mapped. */
static bool mapping_is_known(const struct maplist *l, const struct mapping *x, bool over)
{
	const struct mapping *there = list_overlap(l, x->start, x->end, x->since);

	if (!over)
		return !x->file;
	return there && same_place(there, x) && there->start <= x->start && there->end >= x->end &&
	       (x->data || !there->data);
}

bool spaces_add(struct spaces *s, struct symbol_space *p, const struct mapping *x)
{
	bool begins = p->executed, over;
	struct maplist *l;

	spaces_enter(s, p, x->since);
	if (!p->image && !image_begin(s, p, 0, NULL))
		return false;
	over = list_overlap(p->image->list, x->start, x->end, UINT64_MAX);
	l = mapping_is_known(p->image->list, x, over) ? NULL : image_room(s, p);
	if (!l)
		return begins;
	list_insert(l, x);
	s->mappings++;
	return begins || over;
}

/* ---- processes ---- */
/* Only where there are chains. */
static struct symbol_space **space_slot(struct spaces *s, int64_t pid)
{
	struct symbol_space **p = &s->space[(uint64_t)pid % SPACES_HASH];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

struct symbol_space *spaces_process(const struct spaces *s, int64_t pid)
{
	return s->space ? *space_slot((struct spaces *)s, pid) : NULL;
}

struct symbol_space *spaces_get(struct spaces *s, int64_t pid)
{
	struct symbol_space **slot, *p;

	if (!s->space)
		s->space = calloc(SPACES_HASH, sizeof *s->space);
	s->nomem |= !s->space;
	if (!s->space)
		return NULL;
	slot = space_slot(s, pid);
	if (*slot)
		return *slot;
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
	s->ended--;
}

static void space_free(struct spaces *s, struct symbol_space *p)
{
	struct symbol_space **slot = space_slot(s, p->pid);

	*slot = p->next;
	ended_remove(s, p);
	images_drop(s, p->image);
	free(p);
}

void spaces_exit(struct spaces *s, int64_t pid)
{
	struct symbol_space *p = spaces_process(s, pid);

	if (!p || p->ended)
		return;
	p->ended = true;
	p->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = p;
	s->newest = p;
	s->ended++;
	while (s->oldest && (s->mappings > KEPT_MAPPINGS || s->ended > (s->keep ? s->keep : SPACES_KEEP)))
		space_free(s, s->oldest);
}

void spaces_fork(struct spaces *s, int64_t pid, int64_t parent, uint64_t time)
{
	struct symbol_space *from = spaces_process(s, parent), *p = spaces_get(s, pid);

	if (!p || from == p)
		return;
	ended_remove(s, p);
	p->read_turn = 0;
	image_begin(s, p, time, from && from->image ? from->image->list : NULL);
}

void spaces_exec(struct spaces *s, int64_t pid, uint64_t time)
{
	struct symbol_space *p = spaces_get(s, pid);

	if (!p)
		return;
	ended_remove(s, p);
	p->read_turn = 0;
	p->executed = time ? time : 1;
}

void spaces_close(struct spaces *s)
{
	for (unsigned i = 0; s->space && i < SPACES_HASH; i++)
		while (s->space[i])
			space_free(s, s->space[i]);
	free(s->space);
	s->space = NULL;
}

/* ---- queries ---- */
static struct mapping_query at_address(uint64_t addr)
{
	return (struct mapping_query){ .start = addr, .end = addr + 1, .to = UINT64_MAX };
}

/* *later: a mapping appeared at the address after that time. */
static const struct mapping *image_find(const struct space_image *i, uint64_t addr, uint64_t at, bool *later)
{
	struct mapping_query any = at_address(addr), until = any;
	const struct mapping *soonest = NULL;

	*later = false;
	until.to = at ? at : UINT64_MAX;
	for (const struct maplist *l = i ? i->list : NULL; l; l = l->before) {
		const struct mapping *newest = list_last(l, &any), *x = newest ? list_last(l, &until) : NULL;

		*later |= x != newest;
		if (x)
			return x;
		if (newest)
			soonest = list_first(l, &any);
	}
	return soonest;
}

const struct mapping *spaces_find(const struct symbol_space *p, uint64_t addr, uint64_t at)
{
	const struct space_image *i = image_at(p, at);
	bool later;
	const struct mapping *x = image_find(i, addr, at, &later);

	/* the mapping at that time may have been dropped */
	return x && at && at < p->horizon && (later || i->since > at) ? NULL : x;
}

bool spaces_known(const struct symbol_space *p, uint64_t at)
{
	const struct space_image *i = image_at(p, at);

	for (const struct maplist *l = i ? i->list : NULL; l; l = l->before)
		if (l->n)
			return true;
	return false;
}

bool spaces_overlaps(const struct symbol_space *p, uint64_t start, uint64_t end)
{
	return p->image && list_overlap(p->image->list, start, end, UINT64_MAX);
}

uint64_t spaces_base(const struct symbol_space *p, const struct mapping *x, uint64_t at)
{
	const struct space_image *image = image_at(p, at);
	uint64_t base = x->start;
	bool later;

	for (const struct maplist *l = image ? image->list : NULL; l; l = l->before)
		for (uint32_t i = 0; i < l->n; i++)
			if (l->v[i].file == x->file && l->v[i].start < base &&
			    image_find(image, l->v[i].start, at, &later) == &l->v[i])
				base = l->v[i].start;
	return base;
}

void *spaces_program(const struct symbol_space *p, uint64_t at, bool (*is_program)(const void *file))
{
	const struct space_image *i = image_at(p, at);
	const struct maplist *l = i ? i->list : NULL;

	while (l && l->before)
		l = l->before;
	for (uint32_t k = 0; l && k < l->n; k++) {
		if (l->v[k].file && is_program(l->v[k].file))
			return l->v[k].file;
	}
	return NULL;
}

uint64_t spaces_begun(const struct symbol_space *p, uint64_t at)
{
	const struct space_image *i = image_at(p, at);

	return i ? i->since : 0;
}

uint64_t spaces_next(const struct symbol_space *p, uint64_t at)
{
	uint64_t next = at;

	for (const struct space_image *i = p ? p->image : NULL; i && i->since > at; i = i->before)
		next = i->since;
	return next;
}

/* The latest change in a list after `last`, and not after `at`; `last` if there is none. q: addresses. */
static uint64_t list_change_before(const struct maplist *l, const struct mapping_query *q, uint64_t last, uint64_t at)
{
	struct mapping_query change = { q->start, q->end, last + 1, at, .over = true };
	const struct mapping *x;

	while (last < at && (x = list_last(l, &change))) {
		last = x->since;
		change.from = last + 1;
	}
	return last;
}

/* The first change in a list from `at` on and before `next`; `next` if there is none. */
static uint64_t list_change_after(const struct maplist *l, const struct mapping_query *q, uint64_t at, uint64_t next)
{
	struct mapping_query change = { q->start, q->end, at, next - 1, .over = true };
	const struct mapping *x;

	while (at < next && (x = list_first(l, &change))) {
		next = x->since;
		change.to = next - 1;
	}
	return next;
}

uint64_t spaces_changed(const struct symbol_space *p, uint64_t at)
{
	const struct space_image *i = image_at(p, at);
	const struct mapping_query everywhere = { .end = UINT64_MAX };
	uint64_t last = i && i->since <= at ? i->since : 0;

	for (const struct maplist *l = i ? i->list : NULL; l; l = l->before)
		last = list_change_before(l, &everywhere, last, at);
	return last;
}

/* ---- times with equal mappings ---- */

/* The last change that is not after a time, and the first one after it; 0 and UINT64_MAX if there is none. */
struct space_changes {
	uint64_t last, next;
};

/* Those of the mapping of an address. */
static struct space_changes changes_around(const struct symbol_space *p, uint64_t addr, uint64_t at)
{
	const struct mapping_query there = at_address(addr);
	struct space_changes c = { 0, UINT64_MAX };

	for (const struct space_image *i = p->image; i; i = i->before) {
		const bool begun = i->since <= at;

		if (begun && i->since > c.last)
			c.last = i->since;
		else if (!begun && i->since < c.next)
			c.next = i->since;
		for (const struct maplist *l = i->list; l; l = l->before) {
			if (begun)
				c.last = list_change_before(l, &there, c.last, at);
			c.next = list_change_after(l, &there, begun ? at + (at < UINT64_MAX) : i->since, c.next);
		}
		if (begun)
			break;
	}
	return c;
}

/* Those of any of several addresses. */
static struct space_changes changes_of_any(const struct symbol_space *p, const struct symbol_addresses *addr,
					   uint64_t at)
{
	struct space_changes all = { 0, UINT64_MAX };

	for (uint32_t i = 0; i < addr->n; i++) {
		const struct space_changes one = changes_around(p, addr->v[i], at);

		all.last = one.last > all.last ? one.last : all.last;
		all.next = one.next < all.next ? one.next : all.next;
	}
	return all;
}

static bool means_same(const struct spaces *s, const struct symbol_space *p, uint64_t addr, uint64_t a, uint64_t b)
{
	const struct mapping *x = spaces_find(p, addr, a), *y = spaces_find(p, addr, b);

	if (!x || !x->file || !y || !y->file)
		return (x && x->file) == (y && y->file);
	return same_place(x, y) || (s->alike && s->alike(s->arg, x, y, addr));
}

uint64_t spaces_settle(const struct spaces *s, const struct symbol_space *p, const struct symbol_addresses *addr,
		       uint64_t from, uint64_t at)
{
	uint64_t time = from, last;

	if (!p || at <= from)
		return 0;
	for (unsigned tries = 0; time < at && tries < SETTLE_TRIES; tries++) {
		uint32_t i = 0;

		while (i < addr->n && means_same(s, p, addr->v[i], time, at))
			i++;
		if (i == addr->n)
			return time == from ? 0 : time;
		time = changes_of_any(p, addr, time).next;
	}
	last = changes_of_any(p, addr, at).last;
	return last > from ? last : 0;
}
