/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/write.h"

#include <stdlib.h>
#include <zlib.h>

#include "engine/run/bytes.h"
#include "engine/symbols/codes.h"

/* ---- blocks ---- */
/* Appends the block compressed, if wanted and shorter. Returns false if not. */
static bool block_squeeze(struct record_writer *w, const struct buf *b)
{
	uLongf room = compressBound(b->len);
	uint8_t *z = w->compress ? malloc(room) : NULL;
	bool shorter = z && compress2(z, &room, (const Bytef *)b->data, b->len, 1) == Z_OK && room < b->len;

	buf_reset(&w->scratch);
	if (shorter)
		buf_put(&w->scratch, z, room);
	free(z);
	return shorter && !w->scratch.failed;
}

static void block_put(struct record_writer *w, enum record_block type, unsigned flags, const struct buf *b)
{
	bool squeezed = block_squeeze(w, b);
	const struct buf *stored = squeezed ? &w->scratch : b;
	uint8_t head[RECORD_BLOCK_HEAD];
	uLong crc;

	w->out->failed |= b->failed;
	put_le(head, RECORD_BLOCK_MAGIC, 4);
	head[4] = (uint8_t)type;
	head[5] = (uint8_t)(flags | (squeezed ? RECORD_Z : 0));
	put_le(head + 6, 0, 2);
	put_le(head + 8, b->len, 4);
	put_le(head + 12, stored->len, 4);
	put_le(head + 16, 0, 4);
	crc = crc32(0, head, RECORD_BLOCK_HEAD - 4);
	crc = crc32(crc, (const Bytef *)stored->data, (uInt)stored->len);
	put_le(head + RECORD_BLOCK_HEAD - 4, crc, 4);
	buf_put(w->out, head, sizeof head);
	buf_put(w->out, stored->data, stored->len);
	w->written += sizeof head + stored->len;
}

void record_flush(struct record_writer *w)
{
	if (w->block.len)
		block_put(w, RECORD_B_DATA, w->reset ? RECORD_RESET : 0, &w->block);
	w->reset = w->reset && !w->block.len;
	buf_reset(&w->block);
	w->block_no++;
	memset(w->pc, 0, sizeof w->pc);
	memset(w->frame, 0, sizeof w->frame);
	w->base = 0;
}

/* ---- the head ---- */
static void info_number(struct buf *b, enum record_field f, uint64_t v)
{
	struct buf n = { 0 };

	put_number(&n, v);
	put_number(b, f);
	put_number(b, n.len);
	buf_put(b, n.data, n.len);
	b->failed |= n.failed;
	buf_free(&n);
}

static void info_text(struct buf *b, enum record_field f, const void *p, size_t n)
{
	put_number(b, f);
	put_number(b, n);
	buf_put(b, p, n);
}

static void info_put(struct record_writer *w, const struct record_info *i)
{
	struct buf b = { 0 };

	info_number(&b, RECORD_I_INTERVAL, i->interval);
	info_number(&b, RECORD_I_BEGIN, i->begin);
	info_number(&b, RECORD_I_WALL, zigzag_encode(i->wall));
	info_number(&b, RECORD_I_KNOWN, i->known);
	info_number(&b, RECORD_I_CPUS, i->cpus);
	info_number(&b, RECORD_I_HZ, i->hz);
	info_text(&b, RECORD_I_BOOT, i->boot, sizeof i->boot);
	info_text(&b, RECORD_I_RELEASE, i->release, strnlen(i->release, sizeof i->release));
	info_text(&b, RECORD_I_MACHINE, i->machine, strnlen(i->machine, sizeof i->machine));
	info_text(&b, RECORD_I_TARGET, i->target, strnlen(i->target, sizeof i->target));
	info_text(&b, RECORD_I_ENGINE, i->engine, strnlen(i->engine, sizeof i->engine));
	info_text(&b, RECORD_I_PROGRAM, i->program, strnlen(i->program, sizeof i->program));
	info_text(&b, RECORD_I_HOST, i->host, strnlen(i->host, sizeof i->host));
	info_text(&b, RECORD_I_HIERARCHY, i->hierarchy, strnlen(i->hierarchy, sizeof i->hierarchy));
	block_put(w, RECORD_B_INFO, 0, &b);
	buf_free(&b);
}

struct record_writer *record_writer_open(struct buf *out, const struct record_info *info, bool compress,
					 void (*oom)(void *arg), void *oom_arg)
{
	struct record_writer *w = calloc(1, sizeof *w);
	uint8_t head[RECORD_FILE_HEAD] = RECORD_MAGIC;

	if (!w)
		return NULL;
	w->out = out;
	w->compress = compress;
	w->interval = info->interval;
	w->block_no = 1;
	arena_init(&w->tasks_arena, oom, oom_arg);
	arena_init(&w->objects_arena, oom, oom_arg);
	arena_init(&w->functions_arena, oom, oom_arg);
	arena_init(&w->stacks.arena, oom, oom_arg);
	arena_init(&w->jstacks.arena, oom, oom_arg);
	map_init(&w->tasks, &w->tasks_arena);
	map_init(&w->objects, &w->objects_arena);
	map_init(&w->functions, &w->functions_arena);
	put_le(head + RECORD_MAGIC_BYTES, RECORD_VERSION, 4);
	put_le(head + RECORD_MAGIC_BYTES + 4, crc32(0, head, RECORD_MAGIC_BYTES + 4), 4);
	buf_put(out, head, sizeof head);
	w->written = sizeof head;
	info_put(w, info);
	return w;
}

static void dict_clear(struct record_dict *d)
{
	arena_free(&d->arena);
	free(d->slot);
	d->v = NULL;
	d->hash = NULL;
	d->slot = NULL;
	d->n = d->cap = d->nslots = 0;
	d->frames = 0;
}

void record_writer_close(struct record_writer *w)
{
	if (!w)
		return;
	dict_clear(&w->stacks);
	dict_clear(&w->jstacks);
	arena_free(&w->tasks_arena);
	arena_free(&w->objects_arena);
	arena_free(&w->functions_arena);
	buf_free(&w->block);
	buf_free(&w->scratch);
	free(w);
}

/* ---- entries ---- */

/* An entry other than a sample: its kind with flags, its length, its bytes. */
static void entry_put(struct record_writer *w, unsigned head, const struct buf *b)
{
	buf_putc(&w->block, (int)head);
	put_number(&w->block, b->len);
	buf_put(&w->block, b->data, b->len);
	w->block.failed |= b->failed;
}

static void put_comm(struct buf *b, const char *comm)
{
	size_t n = strnlen(comm, RECORD_COMM - 1);

	put_number(b, n);
	buf_put(b, comm, n);
}

static uint32_t task_number(struct record_writer *w, const struct record_task *t)
{
	void **p = map_put(&w->tasks, t, sizeof *t);
	struct buf *b = &w->scratch;

	if (*p)
		return (uint32_t)((uintptr_t)*p - 1);
	*p = (void *)(uintptr_t)w->tasks.n;
	buf_reset(b);
	put_number(b, t->pid);
	put_number(b, t->tid);
	put_number(b, t->uid);
	put_number(b, t->gid);
	put_number(b, zigzag_encode(t->prio));
	put_number(b, t->addr);
	put_comm(b, t->comm);
	if (t->more) {
		put_number(b, t->ppid);
		put_number(b, t->pgid);
		put_number(b, t->sid);
		put_number(b, t->euid);
		put_number(b, t->egid);
		put_number(b, t->nthreads);
		put_number(b, zigzag_encode(t->static_prio));
		put_number(b, zigzag_encode(t->normal_prio));
		put_number(b, zigzag_encode(t->policy));
		put_number(b, t->rt_priority);
		put_number(b, t->start);
		put_comm(b, t->leader);
		put_number(b, t->group);
	}
	entry_put(w, RECORD_T_TASK, b);
	return (uint32_t)w->tasks.n - 1;
}

/* Whose code the frames of a stack are in. Equal addresses of both are different stacks. */
enum stack_side { STACK_KERNEL, STACK_USER };

static uint64_t stack_hash(const struct record_stack *s, enum stack_side side)
{
	uint64_t h = s->n * 2 + side;

	for (uint32_t i = 0; i < s->n; i++) {
		h = (h ^ s->pc[i]) * 0x9e3779b97f4a7c15;
		h ^= h >> 29;
	}
	return h | 1;
}

static bool dict_grow(struct record_dict *d)
{
	size_t n = d->nslots ? 2 * d->nslots : 1024;
	uint32_t *slot = calloc(n, sizeof *slot);

	if (!slot)
		return false;
	for (size_t i = 0; i < d->n; i++) {
		size_t at = d->hash[i] % n;

		while (slot[at])
			at = (at + 1) % n;
		slot[at] = (uint32_t)i + 1;
	}
	free(d->slot);
	d->slot = slot;
	d->nslots = n;
	return true;
}

/* The slot of its number, or a free one for it. */
static uint32_t *dict_find(struct record_dict *d, uint64_t hash, const struct record_stack *s)
{
	size_t at = hash % d->nslots;

	for (; d->slot[at]; at = (at + 1) % d->nslots) {
		const struct record_stack *x = &d->v[d->slot[at] - 1];

		if (d->hash[d->slot[at] - 1] == hash && x->n == s->n && x->cut == s->cut &&
		    !memcmp(x->pc, s->pc, s->n * sizeof *s->pc))
			break;
	}
	return &d->slot[at];
}

/* Stores the number of a stack in *number. Returns true if it is new. */
static bool dict_put(struct record_writer *w, struct record_dict *d, const struct record_stack *s, enum stack_side side,
		     uint32_t *number)
{
	uint64_t hash = stack_hash(s, side);
	size_t cap;
	uint32_t *slot;

	*number = 0;
	if (2 * d->n >= d->nslots && !dict_grow(d)) {
		w->nomem = w->out->failed = true;
		return false;
	}
	slot = dict_find(d, hash, s);
	*number = *slot ? *slot - 1 : (uint32_t)d->n;
	if (*slot)
		return false;
	cap = d->cap;
	d->v = vec_grow(&d->arena, d->v, d->n, &cap, sizeof *d->v);
	cap = d->cap;
	d->hash = vec_grow(&d->arena, d->hash, d->n, &cap, sizeof *d->hash);
	d->cap = cap;
	d->v[d->n] = (struct record_stack){ s->n, arena_memdup(&d->arena, s->pc, s->n * sizeof *s->pc), s->cut };
	d->hash[d->n++] = hash;
	d->frames += s->n;
	*slot = (uint32_t)d->n;
	return true;
}

/* As much of a stack as readers accept. */
static struct record_stack stack_limited(const struct record_stack *s)
{
	bool fits = s->n <= RECORD_FRAMES;

	return (struct record_stack){ fits ? s->n : RECORD_FRAMES, s->pc, s->cut || !fits };
}

/* Returns the number of a stack. */
static uint32_t stack_number(struct record_writer *w, const struct record_stack *given, enum stack_side side)
{
	const struct record_stack stack = stack_limited(given);
	struct buf *b = &w->scratch;
	uint64_t last;
	uint32_t number;

	if (!dict_put(w, &w->stacks, &stack, side, &number))
		return number;
	buf_reset(b);
	last = w->frame[side];
	for (uint32_t i = 0; i < stack.n; last = stack.pc[i++])
		put_number(b, zigzag_encode((int64_t)(stack.pc[i] - last)));
	entry_put(w, RECORD_T_STACK | (side == STACK_USER ? RECORD_S_USER : 0) | (stack.cut ? RECORD_ST_CUT : 0), b);
	w->frame[side] = stack.n ? stack.pc[0] : 0;
	return number;
}

static uint32_t jstack_number(struct record_writer *w, const struct record_stack *given)
{
	const struct record_stack s = stack_limited(given);
	struct buf *b = &w->scratch;
	uint64_t last = 0;
	uint32_t number;

	if (!dict_put(w, &w->jstacks, &s, STACK_USER, &number))
		return number;
	buf_reset(b);
	for (uint32_t i = 0; i < s.n; i++) {
		if (codes_is_word(s.pc[i])) {
			put_number(b, codes_number(s.pc[i]));
			put_number(b, s.pc[i] & (CODES_LINE - 1));
			continue;
		}
		put_number(b, 0);
		put_number(b, zigzag_encode((int64_t)(s.pc[i] - last)));
		last = s.pc[i];
	}
	entry_put(w, RECORD_T_INTERPRETED | RECORD_IF_STACK | (s.cut ? RECORD_IF_CUT : 0), b);
	return number;
}

/* The stack that the next sample has in place of its user stack. */
static void jstack_put(struct record_writer *w, const struct record_stack *s)
{
	uint32_t number = jstack_number(w, s);

	buf_reset(&w->scratch);
	put_number(&w->scratch, number);
	entry_put(w, RECORD_T_INTERPRETED | RECORD_IF_OF_NEXT, &w->scratch);
}

/* Full tables are emptied, and the next block is marked accordingly. */
static void tables_check(struct record_writer *w)
{
	if (w->block.len >= RECORD_BLOCK_FULL)
		record_flush(w);
	if (w->tasks.n < RECORD_TASKS / 4 && w->stacks.n < RECORD_STACKS / 4 &&
	    w->jstacks.n < RECORD_STACKS / 4 && w->stacks.frames + w->jstacks.frames < RECORD_ALL_FRAMES / 2)
		return;
	record_flush(w);
	dict_clear(&w->stacks);
	dict_clear(&w->jstacks);
	arena_free(&w->tasks_arena);
	map_init(&w->tasks, &w->tasks_arena);
	w->reset = true;
}

void record_put_sample(struct record_writer *w, const struct record_sample *s)
{
	bool first, same;
	uint32_t task, kstack = 0, ustack = 0, cpu = s->cpu % RECORD_CPUS;
	uint64_t expected;
	unsigned head;

	tables_check(w);
	task = task_number(w, s->task);
	if (s->stack.n)
		kstack = stack_number(w, &s->stack, STACK_KERNEL);
	if (s->ustack.n)
		ustack = stack_number(w, &s->ustack, STACK_USER);
	if (s->jstack.n)
		jstack_put(w, &s->jstack);
	first = w->cpu[cpu].block != w->block_no;
	same = !first && w->cpu[cpu].task == task;
	expected = first ? w->base : w->cpu[cpu].ts + w->interval;
	head = RECORD_T_SAMPLE | (s->user ? RECORD_S_USER : 0) | (s->stack.n ? RECORD_S_KSTACK : 0) |
	       (s->ustack.n ? RECORD_S_USTACK : 0) | (s->pc ? 0 : RECORD_S_NOPC) | (same ? RECORD_S_SAME : 0);
	buf_putc(&w->block, (int)head);
	put_number(&w->block, cpu);
	put_number(&w->block, zigzag_encode((int64_t)(s->ts - expected)));
	if (!same)
		put_number(&w->block, task);
	if (s->pc)
		put_number(&w->block, zigzag_encode((int64_t)(s->pc - w->pc[s->user])));
	if (s->stack.n)
		put_number(&w->block, kstack);
	if (s->ustack.n)
		put_number(&w->block, ustack);
	w->pc[s->user] = s->pc ? s->pc : w->pc[s->user];
	w->cpu[cpu].block = w->block_no;
	w->cpu[cpu].ts = w->base = s->ts;
	w->cpu[cpu].task = task;
	w->samples++;
}

uint32_t record_put_object(struct record_writer *w, const struct record_object *o)
{
	struct buf *b = &w->scratch;
	void **p;

	buf_reset(b);
	put_number(b, o->dev);
	put_number(b, o->ino);
	put_number(b, o->idlen);
	buf_put(b, o->id, o->idlen);
	buf_puts(b, o->path);
	p = map_put(&w->objects, b->data, b->len);
	if (*p)
		return (uint32_t)((uintptr_t)*p - 1);
	*p = (void *)(uintptr_t)w->objects.n;
	entry_put(w, RECORD_T_OBJECT, b);
	return (uint32_t)w->objects.n - 1;
}

static void put_text(struct buf *b, const char *s)
{
	size_t n = s ? strnlen(s, RECORD_NAME - 1) : 0;

	put_number(b, n);
	buf_put(b, s, n);
}

uint32_t record_put_function(struct record_writer *w, const struct record_function *f)
{
	struct buf *b = &w->scratch;
	void **p;

	buf_reset(b);
	put_text(b, f->name);
	put_text(b, f->file);
	p = w->functions.n < RECORD_FUNCTIONS ? map_put(&w->functions, b->data, b->len) :
	    map_find(&w->functions, b->data, b->len);
	if (!p || *p)
		return p ? (uint32_t)(uintptr_t)*p : 0;
	*p = (void *)(uintptr_t)w->functions.n;
	entry_put(w, RECORD_T_INTERPRETED | RECORD_IF_FUNCTION, b);
	return (uint32_t)w->functions.n;
}

static void put_group(struct buf *b, const struct containers_group *g)
{
	put_number(b, g->id);
	put_number(b, g->parent);
	put_text(b, g->path);
	put_text(b, g->container);
	put_text(b, g->pod);
	put_text(b, g->image);
}

void record_put_group(struct record_writer *w, const struct containers_group *g)
{
	buf_reset(&w->scratch);
	put_group(&w->scratch, g);
	entry_put(w, RECORD_T_INTERPRETED | RECORD_IF_GROUP, &w->scratch);
}

static void put_nofile(struct record_writer *w, uint32_t pid, uint64_t start, uint64_t length, uint64_t since)
{
	struct buf *b = &w->scratch;

	buf_reset(b);
	put_number(b, pid);
	put_number(b, start);
	put_number(b, length);
	put_number(b, since);
	entry_put(w, RECORD_T_NOFILE, b);
}

void record_put_image(struct record_writer *w, uint32_t pid, uint64_t since)
{
	put_nofile(w, pid, 0, 0, since);
}

void record_put_map(struct record_writer *w, const struct record_map *m)
{
	struct buf *b = &w->scratch;

	if (m->object == RECORD_NO_OBJECT) {
		put_nofile(w, m->pid, m->start, m->end - m->start, m->since);
		return;
	}
	buf_reset(b);
	put_number(b, m->pid);
	put_number(b, m->start);
	put_number(b, m->end - m->start);
	put_number(b, m->off);
	put_number(b, m->since);
	put_number(b, m->object);
	entry_put(w, RECORD_T_MAP, b);
}

void record_put_loss(struct record_writer *w, const struct record_loss *l)
{
	struct buf *b = &w->scratch;

	buf_reset(b);
	put_number(b, l->ts);
	put_number(b, l->cpu);
	put_number(b, l->n);
	buf_put(b, l->kind, strnlen(l->kind, sizeof l->kind));
	entry_put(w, RECORD_T_LOSS, b);
	w->losses += l->n;
}

void record_put_symbols(struct record_writer *w, const struct record_symbol *v, size_t n)
{
	struct buf b = { 0 };

	record_flush(w);
	w->symbols = n ? w->written : 0;
	for (size_t i = 0; i < n; i++) {
		put_number(&b, v[i].object);
		put_number(&b, v[i].start);
		put_number(&b, v[i].last - v[i].start);
		put_number(&b, v[i].base);
		put_text(&b, v[i].module);
		put_text(&b, v[i].name);
		if (b.len >= RECORD_BLOCK_FULL || i + 1 == n) {
			block_put(w, RECORD_B_SYMBOLS, 0, &b);
			buf_reset(&b);
		}
	}
	buf_free(&b);
}

void record_put_groups(struct record_writer *w, const struct containers_group *v, size_t n)
{
	struct buf b = { 0 };

	if (n && !w->symbols)
		w->symbols = w->written;
	for (size_t i = 0; i < n; i++) {
		put_group(&b, &v[i]);
		if (b.len >= RECORD_BLOCK_FULL || i + 1 == n) {
			block_put(w, RECORD_B_GROUPS, 0, &b);
			buf_reset(&b);
		}
	}
	buf_free(&b);
}

void record_finish(struct record_writer *w, uint64_t end)
{
	uint8_t p[RECORD_END_BYTES];
	struct buf b = { 0 };

	record_flush(w);
	put_le(p, end, 8);
	put_le(p + 8, w->samples, 8);
	put_le(p + 16, w->losses, 8);
	put_le(p + 24, w->symbols, 8);
	buf_put(&b, p, sizeof p);
	w->compress = false;		/* readers find this block from the end of the file: its length is fixed */
	block_put(w, RECORD_B_END, 0, &b);
	buf_free(&b);
}
