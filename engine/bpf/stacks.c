/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/stacks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/agg.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/load/load.h"
#include "engine/symbols/codes.h"

enum { BATCH = 256, MAXNUMBER = 1 << 26, MOST_FRAMES = 1025 };

void stacks_init(struct stacks *s, const struct bpf_loaded *l)
{
	*s = (struct stacks){ .loaded = l, .kind[STACKS_CLEARED].base = AGG_STACKS_CLEARED };
}

void stacks_close(struct stacks *s)
{
	for (int k = 0; k < STACKS_KINDS; k++) {
		for (uint64_t i = 0; i < s->kind[k].n; i++)
			free(s->kind[k].v[i]);
		free(s->kind[k].v);
		s->kind[k] = (struct stack_kind){ 0 };
	}
}

static struct stack_kind *kind_of(struct stacks *s, uint64_t number)
{
	return &s->kind[number >= AGG_STACKS_CLEARED ? STACKS_CLEARED : STACKS_KEPT];
}

/* The entry for a stack number, or NULL. */
static struct stack_frames **place_of(struct stacks *s, uint64_t number)
{
	struct stack_kind *k = kind_of(s, number);
	uint64_t at = number - k->base, room = at < 512 ? 1024 : 2 * at;
	struct stack_frames **v;

	if (!number || number < k->base || at > MAXNUMBER)
		return NULL;
	if (at >= k->n) {
		v = reallocarray(k->v, room, sizeof *v);
		if (!v) {
			s->err = -ENOMEM;
			return NULL;
		}
		memset(v + k->n, 0, (room - k->n) * sizeof *v);
		k->v = v;
		k->n = room;
	}
	return &k->v[at];
}

static const struct stack_frames *known_stack(struct stacks *s, uint64_t number)
{
	const struct stack_kind *k = kind_of(s, number);

	return number >= k->base && number - k->base < k->n ? k->v[number - k->base] : NULL;
}

static void add_stack(struct stacks *s, uint64_t number, uint64_t owner, const uint64_t *pc, uint32_t max)
{
	struct stack_frames **p = place_of(s, number);
	uint64_t later[MOST_FRAMES], settled[MOST_FRAMES];
	uint32_t n = 0;

	if (p && !*p) {
		if (max && s->later && s->later(s->later_arg, pc[0], later, MOST_FRAMES)) {
			pc = later;
			max = MOST_FRAMES;	/* the table is that of short stacks, but the stack may be long */
		}
		if (s->codes && *s->codes) {
			max = codes_frames(*s->codes, pc, max, settled, MOST_FRAMES);
			pc = settled;
		}
		while (n < max && pc[n])
			n++;
		*p = malloc(sizeof **p + n * sizeof *pc);
		if (!*p) {
			s->err = -ENOMEM;
			return;
		}
		(*p)->n = n;
		(*p)->owner = owner;
		memcpy((*p)->pc, pc, n * sizeof *pc);
	}
	if (p)
		(*p)->turn = s->turn;
}

/* The first table of this kind at or after object i; the number of objects if there is none. */
static uint32_t next_table(const struct stacks *s, uint32_t i, enum stacks_kind kind)
{
	const struct bpf_image *im = s->loaded->im;

	for (; i < im->prog->objs.n; i++) {
		const struct ir_obj *o = &im->prog->objs.v[i];

		if (o->stacks && o->generations == (kind == STACKS_CLEARED) && im->place[i].used)
			break;
	}
	return i;
}

static _Atomic uint64_t *generation_of(const struct stacks *s, uint32_t obj)
{
	return (_Atomic uint64_t *)(s->loaded->data + s->loaded->im->place[obj].gen);
}

/* What happens to elements that were read. */
enum stacks_then { STACKS_STAY, STACKS_GO };

/* Reads all elements of a map in batches. If a bucket holds more than fits, the batch grows. */
static void map_read(struct stacks *s, uint32_t map, enum stacks_then then)
{
	int (*read)(int, void *, void *, void *, void *, __u32 *, const struct bpf_map_batch_opts *) =
		then == STACKS_GO ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch;
	uint32_t room = BATCH, n, token = 0, next = 0, keysize = s->loaded->im->maps.v[map].keysize;
	uint32_t head = s->loaded->im->prog->objs.v[s->loaded->im->maps.v[map].obj].owned, words = keysize / 8;
	uint64_t *keys = NULL, *numbers = NULL;
	bool first = true;
	int err = 0;

	while (!err) {
		uint64_t *k = realloc(keys, (size_t)room * keysize), *v = realloc(numbers, room * sizeof *numbers);

		keys = k ? k : keys;
		numbers = v ? v : numbers;
		if (!k || !v) {
			err = -ENOMEM;
			break;
		}
		n = room;
		err = read(s->loaded->mapfd[map], first ? NULL : &token, &next, keys, numbers, &n, NULL) ? -errno : 0;
		if (err == -ENOSPC || err == -EINTR) {
			room *= err == -ENOSPC ? 2 : 1;
			err = 0;
			continue;
		}
		for (uint32_t i = 0; (!err || err == -ENOENT) && i < n; i++)
			add_stack(s, numbers[i], head ? keys[(size_t)i * words] : 0, keys + (size_t)i * words + head,
			     words - head);
		token = next;
		first = false;
	}
	if (err != -ENOENT)
		s->err = err;
	free(keys);
	free(numbers);
}

/* Reads the rows of a table in the data map (rows.h). Returns whether the kernel's map of
 * the table was used, too. */
static bool rows_read(struct stacks *s, uint32_t obj, uint64_t gen, enum stacks_then then)
{
	const struct bpf_place *pl = &s->loaded->im->place[obj];
	const struct ir_obj *o = &s->loaded->im->prog->objs.v[obj];
	uint32_t words = rows_size(o) / 8, frames = o->keysize / 8 - o->owned, found = 0;
	uint8_t *table = s->loaded->data + pl->table + gen * rows_table(o, pl->rows);
	struct row_head *head = (struct row_head *)table;
	bool missed = __atomic_load_n(&head->missed, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < pl->rows && found < __atomic_load_n(&head->used, __ATOMIC_RELAXED); i++) {
		uint64_t *row = (uint64_t *)(table + ROW_HEAD) + (size_t)i * words, *key = row + ROW_TAG / 8;

		if (!row_used(row))
			continue;
		found++;
		add_stack(s, __atomic_load_n(key + o->keysize / 8, __ATOMIC_ACQUIRE), o->owned ? key[0] : 0,
			  key + o->owned, frames);
		if (then == STACKS_GO)
			memset(row, 0, (size_t)words * 8);
	}
	if (then == STACKS_GO)
		*head = (struct row_head){ 0 };
	return missed;
}

static void generation_read(struct stacks *s, uint32_t obj, uint64_t gen, enum stacks_then then)
{
	const struct bpf_place *pl = &s->loaded->im->place[obj];

	if (!pl->rows || rows_read(s, obj, gen, then))
		map_read(s, pl->map + (uint32_t)gen, then);
}

/* Reads the tables that are being filled. Numbers are unique among all tables of a kind. */
static void tables_read(struct stacks *s, enum stacks_kind kind)
{
	const struct bpf_image *im = s->loaded->im;

	for (uint32_t i = next_table(s, 0, kind); i < im->prog->objs.n; i = next_table(s, i + 1, kind))
		generation_read(s, i, kind == STACKS_CLEARED ? *generation_of(s, i) & 1 : 0, STACKS_STAY);
}

void stacks_flip(struct stacks *s)
{
	const struct bpf_image *im = s->loaded->im;

	for (uint32_t i = next_table(s, 0, STACKS_CLEARED); i < im->prog->objs.n;
	     i = next_table(s, i + 1, STACKS_CLEARED))
		atomic_fetch_xor(generation_of(s, i), 1);
}

void stacks_turn(struct stacks *s)
{
	const struct bpf_image *im = s->loaded->im;

	s->turn++;
	for (uint32_t i = next_table(s, 0, STACKS_CLEARED); i < im->prog->objs.n;
	     i = next_table(s, i + 1, STACKS_CLEARED))
		generation_read(s, i, !(*generation_of(s, i) & 1), STACKS_GO);
}

void stacks_forget(struct stacks *s)
{
	struct stack_kind *k = &s->kind[STACKS_CLEARED];
	uint64_t first = 0;

	for (uint64_t i = 0; i < k->n; i++) {
		if (k->v[i] && k->v[i]->turn < s->turn) {
			free(k->v[i]);
			k->v[i] = NULL;
		}
	}
	while (first < k->n && !k->v[first])
		first++;
	if (!first || first == k->n)
		return;
	memmove(k->v, k->v + first, (k->n - first) * sizeof *k->v);
	memset(k->v + k->n - first, 0, first * sizeof *k->v);
	k->base += first;
}

void stacks_frames(void *arg, uint64_t number, uint64_t *owner, uint64_t *pc, uint32_t n)
{
	struct stacks *s = arg;
	const struct stack_frames *f;

	if (!known_stack(s, number)) {
		tables_read(s, number >= AGG_STACKS_CLEARED ? STACKS_CLEARED : STACKS_KEPT);
		if (!known_stack(s, number))
			add_stack(s, number, 0, NULL, 0);	/* unknown: do not search for it again */
	}
	f = known_stack(s, number);
	if (!f)
		return;
	if (owner && f->owner)
		*owner = f->owner;
	memcpy(pc, f->pc, (f->n < n ? f->n : n) * sizeof *pc);
}
