/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/symbols/codes.h"

static enum record_what file_damaged(struct record_reader *r, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Only the first error is reported. */
static enum record_what file_damaged(struct record_reader *r, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (*r->reason)
		return RECORD_NOTHING;
	va_start(ap, fmt);
	vsnprintf(r->reason, sizeof r->reason, fmt, ap);
	va_end(ap);
	r->bad_at = at;
	return RECORD_NOTHING;
}

/* What was only looked for is not there. */
static void forget_damage(struct record_reader *r)
{
	if (!r->failed)
		*r->reason = '\0';
}

/* ---- blocks ---- */
struct head {
	unsigned type, flags;
	uint32_t plain, stored, crc;
	uint8_t bytes[RECORD_BLOCK_HEAD];
};

/* Errors of the system are kept (forget_damage): the next try may succeed. */
static bool read_all(struct record_reader *r, uint64_t off, void *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(r->fd, (char *)p + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			file_damaged(r, off, "%s", strerror(errno));
			r->failed = true;
		}
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static bool head_read(struct record_reader *r, uint64_t off, struct head *h)
{
	if (r->size - off < RECORD_BLOCK_HEAD || !read_all(r, off, h->bytes, sizeof h->bytes))
		return file_damaged(r, off, "the recording is truncated in the middle of a block");
	h->type = h->bytes[4];
	h->flags = h->bytes[5];
	h->plain = (uint32_t)get_le(h->bytes + 8, 4);
	h->stored = (uint32_t)get_le(h->bytes + 12, 4);
	h->crc = (uint32_t)get_le(h->bytes + 16, 4);
	if (get_le(h->bytes, 4) != RECORD_BLOCK_MAGIC)
		return file_damaged(r, off, "no block begins here");
	if (!h->stored || !h->plain || h->plain > RECORD_BLOCK_MAX || h->stored > h->plain ||
	    (!(h->flags & RECORD_Z) && h->stored != h->plain))
		return file_damaged(r, off, "the block's length is invalid");
	if (h->stored > r->size - off - RECORD_BLOCK_HEAD)
		return file_damaged(r, off, "the recording is truncated in the middle of a block");
	return true;
}

static uint8_t *buf_room(struct buf *b, size_t n)
{
	buf_reset(b);
	buf_pad(b, 0, n);
	return b->failed ? NULL : (uint8_t *)b->data;
}

/* Reads the contents of a block into r->in. */
static bool block_read(struct record_reader *r, uint64_t off, const struct head *h)
{
	uint8_t *p = buf_room(&r->stored, h->stored), *q;
	uLongf n = h->plain;
	uLong crc = crc32(0, h->bytes, RECORD_BLOCK_HEAD - 4);

	if (!p)
		return file_damaged(r, off, "no memory for the block");
	if (!read_all(r, off + RECORD_BLOCK_HEAD, p, h->stored))
		return file_damaged(r, off, "the block cannot be read");
	if (crc32(crc, p, h->stored) != h->crc)
		return file_damaged(r, off, "the block's checksum is wrong");
	r->compressed = h->flags & RECORD_Z;
	r->where = off + (r->compressed ? 0 : RECORD_BLOCK_HEAD);
	if (r->compressed) {
		q = buf_room(&r->plain, h->plain);
		if (!q)
			return file_damaged(r, off, "no memory for the block");
		if (uncompress(q, &n, p, h->stored) != Z_OK || n != h->plain)
			return file_damaged(r, off, "the block cannot be decompressed");
		p = q;
	}
	r->start = p;
	r->in = (struct bytes){ p, p + h->plain, false };
	return true;
}

static uint64_t block_place(const struct record_reader *r, const uint8_t *p)
{
	return r->where + (r->compressed ? 0 : (uint64_t)(p - r->start));
}

static void tables_reset(struct record_reader *r)
{
	arena_free(&r->tables);
	memset(&r->tasks, 0, sizeof r->tasks);
	memset(&r->stacks, 0, sizeof r->stacks);
	memset(&r->jstacks, 0, sizeof r->jstacks);
	r->jstack = 0;
	r->frames = 0;
}

/* Reads the next data block. Returns false if there is none. */
static bool data_block(struct record_reader *r)
{
	struct head h;
	uint64_t off;

	do {
		if (r->ended && r->off < r->size)
			return file_damaged(r, r->off, "the trailing data does not belong to this recording");
		if (r->ended || *r->reason || r->off == r->size)
			return false;
		off = r->off;
		if (!head_read(r, off, &h) || !block_read(r, off, &h))
			return false;
		r->off += RECORD_BLOCK_HEAD + h.stored;
		r->ended = h.type == RECORD_B_END;
	} while (h.type != RECORD_B_DATA);
	if (h.flags & RECORD_RESET)
		tables_reset(r);
	r->block_no++;
	r->base = 0;
	memset(r->pc, 0, sizeof r->pc);
	memset(r->frame, 0, sizeof r->frame);
	return true;
}

/* ---- opening ---- */
static void info_number(struct bytes *b, uint64_t *out)
{
	uint64_t v = get_number(b);

	if (!b->bad)
		*out = v;
}

static void info_text(struct bytes *b, void *out, size_t room)
{
	size_t n = (size_t)(b->end - b->p);

	memcpy(out, b->p, n < room ? n : room);
}

static void info_field(struct record_info *i, uint64_t field, struct bytes *b)
{
	uint64_t wall = 0;

	switch (field) {
	case RECORD_I_INTERVAL: info_number(b, &i->interval); break;
	case RECORD_I_BEGIN: info_number(b, &i->begin); break;
	case RECORD_I_WALL: info_number(b, &wall); i->wall = zigzag_decode(wall); break;
	case RECORD_I_KNOWN: info_number(b, &i->known); break;
	case RECORD_I_CPUS: info_number(b, &i->cpus); break;
	case RECORD_I_HZ: info_number(b, &i->hz); break;
	case RECORD_I_BOOT: info_text(b, i->boot, sizeof i->boot); break;
	case RECORD_I_RELEASE: info_text(b, i->release, sizeof i->release - 1); break;
	case RECORD_I_MACHINE: info_text(b, i->machine, sizeof i->machine - 1); break;
	case RECORD_I_TARGET: info_text(b, i->target, sizeof i->target - 1); break;
	case RECORD_I_ENGINE: info_text(b, i->engine, sizeof i->engine - 1); break;
	case RECORD_I_PROGRAM: info_text(b, i->program, sizeof i->program - 1); break;
	case RECORD_I_HIERARCHY: info_text(b, i->hierarchy, sizeof i->hierarchy - 1); break;
	case RECORD_I_HOST: info_text(b, i->host, sizeof i->host - 1); break;
	}
}

static bool info_read(struct record_reader *r)
{
	struct bytes *b = &r->in;
	struct head h;

	if (!head_read(r, r->off, &h) || !block_read(r, r->off, &h))
		return false;
	if (h.type != RECORD_B_INFO)
		return file_damaged(r, r->off, "the first block does not describe the recording");
	while (b->p < b->end && !b->bad) {
		uint64_t field = get_number(b);
		uint32_t n;
		const uint8_t *p = get_counted(b, RECORD_NAME, &n);

		if (p)
			info_field(&r->info, field, &(struct bytes){ p, p + n, false });
	}
	if (b->bad || r->info.begin > INT64_MAX)
		return file_damaged(r, block_place(r, b->p), "the description of the recording is incomplete");
	if (!r->info.interval || r->info.interval > INT64_MAX)
		return file_damaged(r, r->off, "the recording lacks its sampling rate");
	r->off += RECORD_BLOCK_HEAD + h.stored;
	return true;
}

/* Reads the last block, if it is at the end of the file. */
static void end_read(struct record_reader *r)
{
	uint64_t n = RECORD_BLOCK_HEAD + RECORD_END_BYTES, off = r->size - n;
	struct head h;

	if (r->size >= r->off + n && head_read(r, off, &h) && h.type == RECORD_B_END && h.plain == RECORD_END_BYTES &&
	    block_read(r, off, &h)) {
		r->whole = get_le(r->start, 8) <= INT64_MAX;
		r->end = get_le(r->start, 8);
		r->samples = get_le(r->start + 8, 8);
		r->losses = get_le(r->start + 16, 8);
		r->symbols = get_le(r->start + 24, 8);
	}
	forget_damage(r);		/* it will be found again when this block is reached */
	r->in = (struct bytes){ NULL, NULL, false };
}

static bool file_check(struct record_reader *r)
{
	uint8_t h[RECORD_FILE_HEAD];
	struct stat st;

	if (fstat(r->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return file_damaged(r, 0, "not a file");
	r->size = (uint64_t)st.st_size;
	if (r->size < sizeof h || !read_all(r, 0, h, sizeof h) || memcmp(h, RECORD_MAGIC, RECORD_MAGIC_BYTES))
		return file_damaged(r, 0, "not a recording");
	if (crc32(0, h, RECORD_MAGIC_BYTES + 4) != get_le(h + RECORD_MAGIC_BYTES + 4, 4))
		return file_damaged(r, 0, "the checksum of the header is wrong");
	if (get_le(h + RECORD_MAGIC_BYTES, 4) != RECORD_VERSION)
		return file_damaged(r, RECORD_MAGIC_BYTES,
				    "format %" PRIu64 " is unknown: this version reads format %d",
				    get_le(h + RECORD_MAGIC_BYTES, 4), RECORD_VERSION);
	r->off = sizeof h;
	return true;
}

struct record_reader *record_open(int fd, void (*oom)(void *arg), void *oom_arg, char *reason, size_t n)
{
	struct record_reader *r = calloc(1, sizeof *r);

	if (!r) {
		snprintf(reason, n, "out of memory");
		close(fd);
		return NULL;
	}
	r->fd = fd;
	arena_init(&r->arena, oom, oom_arg);
	arena_init(&r->tables, oom, oom_arg);
	if (!file_check(r) || !info_read(r)) {
		snprintf(reason, n, "offset %" PRIu64 ": %s", r->bad_at, r->reason);
		record_close(r);
		return NULL;
	}
	end_read(r);
	return r;
}

void record_close(struct record_reader *r)
{
	if (!r)
		return;
	close(r->fd);
	arena_free(&r->arena);
	arena_free(&r->tables);
	buf_free(&r->stored);
	buf_free(&r->plain);
	free(r);
}

/* ---- entries ---- */
static const char *text_read(struct bytes *b, struct arena *a)
{
	uint32_t n;
	const uint8_t *p = get_counted(b, RECORD_NAME - 1, &n);

	return p ? arena_strndup(a, (const char *)p, n) : "";
}

static void get_comm(struct bytes *b, char *comm)
{
	uint32_t n;
	const uint8_t *p = get_counted(b, RECORD_COMM - 1, &n);

	if (p)
		memcpy(comm, p, n);
}

static void task_more(struct bytes *b, struct record_task *t)
{
	t->more = 1;
	t->ppid = (uint32_t)get_number(b);
	t->pgid = (uint32_t)get_number(b);
	t->sid = (uint32_t)get_number(b);
	t->euid = (uint32_t)get_number(b);
	t->egid = (uint32_t)get_number(b);
	t->nthreads = (uint32_t)get_number(b);
	t->static_prio = (int32_t)zigzag_decode(get_number(b));
	t->normal_prio = (int32_t)zigzag_decode(get_number(b));
	t->policy = (int32_t)zigzag_decode(get_number(b));
	t->rt_priority = (uint32_t)get_number(b);
	t->start = get_number(b);
	get_comm(b, t->leader);
	t->group = b->p < b->end ? get_number(b) : 0;
}

static bool task_read(struct record_reader *r, struct bytes *b)
{
	struct record_task t = { 0 };

	t.pid = (uint32_t)get_number(b);
	t.tid = (uint32_t)get_number(b);
	t.uid = (uint32_t)get_number(b);
	t.gid = (uint32_t)get_number(b);
	t.prio = (int32_t)zigzag_decode(get_number(b));
	t.addr = get_number(b);
	get_comm(b, t.comm);
	if (b->p < b->end)
		task_more(b, &t);
	if (b->bad || r->tasks.n >= RECORD_TASKS)
		return false;
	*VEC_ADD(&r->tables, &r->tasks) = arena_memdup(&r->tables, &t, sizeof t);
	return true;
}

static bool stack_read(struct record_reader *r, struct bytes *b, bool user, bool cut)
{
	uint64_t pc[RECORD_FRAMES], last = r->frame[user];
	uint32_t n = 0;

	while (b->p < b->end && n < RECORD_FRAMES)
		last = pc[n++] = last + (uint64_t)zigzag_decode(get_number(b));
	if (b->bad || b->p < b->end || r->stacks.n >= RECORD_STACKS || r->frames + n > RECORD_ALL_FRAMES)
		return false;
	r->frames += n;
	r->frame[user] = n ? pc[0] : 0;
	*VEC_ADD(&r->tables, &r->stacks) = (struct record_stack){ n, arena_memdup(&r->tables, pc, n * sizeof *pc),
		cut };
	return true;
}

static bool object_read(struct record_reader *r, struct bytes *b, struct record_object *o)
{
	const uint8_t *id;
	size_t n;

	*o = (struct record_object){ 0 };
	o->dev = get_number(b);
	o->ino = get_number(b);
	id = get_counted(b, sizeof o->id, &o->idlen);
	n = (size_t)(b->end - b->p);
	if (b->bad || !n || n >= RECORD_NAME || memchr(b->p, '\0', n) || r->nobjects >= RECORD_OBJECTS)
		return false;
	memcpy(o->id, id, o->idlen);
	o->path = arena_strndup(&r->arena, (const char *)b->p, n);
	r->nobjects++;
	return true;
}

static bool map_read(const struct record_reader *r, struct bytes *b, struct record_map *m)
{
	uint64_t length;

	m->pid = (uint32_t)get_number(b);
	m->start = get_number(b);
	length = get_number(b);
	m->end = m->start + length;
	m->off = get_number(b);
	m->since = get_number(b);
	m->object = (uint32_t)get_number(b);
	return !b->bad && length && m->end > m->start && m->object < r->nobjects;
}

static bool nofile_read(struct bytes *b, struct record_entry *e)
{
	struct record_map *m = &e->map;
	uint64_t length;

	*m = (struct record_map){ .object = RECORD_NO_OBJECT };
	m->pid = (uint32_t)get_number(b);
	m->start = get_number(b);
	length = get_number(b);
	m->end = m->start + length;
	m->since = get_number(b);
	e->what = length ? RECORD_MAP : RECORD_IMAGE;
	return !b->bad && m->end >= m->start;
}

static bool loss_read(struct bytes *b, struct record_loss *l)
{
	size_t n;

	*l = (struct record_loss){ 0 };
	l->ts = get_number(b);
	l->cpu = (uint32_t)get_number(b);
	l->n = get_number(b);
	n = (size_t)(b->end - b->p);
	if (b->bad || n >= sizeof l->kind || l->cpu >= RECORD_CPUS)
		return false;
	memcpy(l->kind, b->p, n);
	return true;
}

/* ---- interpreted functions ---- */
static bool function_read(struct record_reader *r, struct bytes *b, struct record_function *f)
{
	f->name = text_read(b, &r->arena);
	f->file = text_read(b, &r->arena);
	r->nfunctions++;
	return !b->bad && r->nfunctions <= RECORD_FUNCTIONS;
}

/* The next frame; 0: it is malformed. *last: the last native frame. */
static uint64_t interpreted_frame(const struct record_reader *r, struct bytes *b, uint64_t *last)
{
	uint64_t function = get_number(b), line;

	if (!function)
		return *last += (uint64_t)zigzag_decode(get_number(b));
	line = get_number(b);
	return function > r->nfunctions || line >= CODES_LINE ? 0 :
	       codes_word((uint32_t)function, (uint32_t)(CODES_LINE | line));
}

static bool jstack_read(struct record_reader *r, struct bytes *b, bool cut)
{
	uint64_t pc[RECORD_FRAMES], last = 0;
	uint32_t n = 0;

	while (b->p < b->end && n < RECORD_FRAMES && !b->bad) {
		pc[n] = interpreted_frame(r, b, &last);
		b->bad |= !pc[n++];
	}
	if (b->bad || b->p < b->end || r->jstacks.n >= RECORD_STACKS || r->frames + n > RECORD_ALL_FRAMES)
		return false;
	r->frames += n;
	*VEC_ADD(&r->tables, &r->jstacks) = (struct record_stack){
		n, arena_memdup(&r->tables, pc, n * sizeof *pc), cut,
	};
	return true;
}

static bool next_jstack_read(struct record_reader *r, struct bytes *b)
{
	r->jstack = get_number(b) + 1;
	return !b->bad && r->jstack - 1 < r->jstacks.n;
}

static bool group_read(struct bytes *b, struct arena *a, struct containers_group *g)
{
	g->id = get_number(b);
	g->parent = get_number(b);
	g->path = text_read(b, a);
	g->container = text_read(b, a);
	g->pod = text_read(b, a);
	g->image = text_read(b, a);
	return !b->bad;
}

/* Returns as entry_read. */
static int interpreted_read(struct record_reader *r, struct bytes *b, unsigned head, struct record_entry *e)
{
	switch (head & RECORD_IF_MASK) {
	case RECORD_IF_FUNCTION:
		e->what = RECORD_FUNCTION;
		return function_read(r, b, &e->function) ? 1 : -1;
	case RECORD_IF_STACK:
		return jstack_read(r, b, head & RECORD_IF_CUT) ? 0 : -1;
	case RECORD_IF_OF_NEXT:
		return next_jstack_read(r, b) ? 0 : -1;
	case RECORD_IF_GROUP:
		e->what = RECORD_GROUP;
		return group_read(b, &r->tables, &e->group) ? 1 : -1;
	default:
		return 0;
	}
}

static bool stack_of(struct record_reader *r, struct record_stack *out)
{
	uint64_t n = get_number(&r->in);

	if (n >= r->stacks.n)
		return false;
	*out = r->stacks.v[n];
	return true;
}

static bool sample_read(struct record_reader *r, unsigned head, struct record_sample *s)
{
	struct bytes *b = &r->in;
	uint64_t cpu = get_number(b), task;
	bool first;

	if (cpu >= RECORD_CPUS)
		return false;
	first = r->cpu[cpu].block != r->block_no;
	if (first && head & RECORD_S_SAME)
		return false;
	s->cpu = (uint32_t)cpu;
	s->user = head & RECORD_S_USER;
	s->ts = (first ? r->base : r->cpu[cpu].ts + r->info.interval) + (uint64_t)zigzag_decode(get_number(b));
	task = head & RECORD_S_SAME ? r->cpu[cpu].task : get_number(b);
	s->pc = head & RECORD_S_NOPC ? 0 : (r->pc[s->user] += (uint64_t)zigzag_decode(get_number(b)));
	s->stack = s->ustack = s->jstack = (struct record_stack){ 0 };
	if (r->jstack)
		s->jstack = r->jstacks.v[r->jstack - 1];
	r->jstack = 0;
	if (s->ts > INT64_MAX || task >= r->tasks.n || (head & RECORD_S_KSTACK && !stack_of(r, &s->stack)) ||
	    (head & RECORD_S_USTACK && !stack_of(r, &s->ustack)))
		return false;
	s->task = r->tasks.v[task];
	r->cpu[cpu].block = r->block_no;
	r->cpu[cpu].ts = r->base = s->ts;
	r->cpu[cpu].task = (uint32_t)task;
	return !b->bad;
}

/* Reads an entry with a length. Returns 1 if *e holds it, 0 if it only filled a table, -1 if it is malformed. */
static int entry_read(struct record_reader *r, unsigned head, struct record_entry *e)
{
	uint32_t n;
	const uint8_t *p = get_counted(&r->in, RECORD_BLOCK_MAX, &n);
	struct bytes b;

	if (!p)
		return -1;
	b = (struct bytes){ p, p + n, false };
	switch (head & 7) {
	case RECORD_T_TASK:
		return task_read(r, &b) ? 0 : -1;
	case RECORD_T_STACK:
		return stack_read(r, &b, head & RECORD_S_USER, head & RECORD_ST_CUT) ? 0 : -1;
	case RECORD_T_OBJECT:
		e->what = RECORD_OBJECT;
		return object_read(r, &b, &e->object) ? 1 : -1;
	case RECORD_T_MAP:
		e->what = RECORD_MAP;
		return map_read(r, &b, &e->map) ? 1 : -1;
	case RECORD_T_NOFILE:
		return nofile_read(&b, e) ? 1 : -1;
	case RECORD_T_LOSS:
		e->what = RECORD_LOSS;
		return loss_read(&b, &e->loss) ? 1 : -1;
	case RECORD_T_INTERPRETED:
		return interpreted_read(r, &b, head, e);
	default:
		return 0;	/* an entry of a later version: its length is known, so it is skipped */
	}
}

enum record_what record_next(struct record_reader *r, struct record_entry *e)
{
	if (r->ended || *r->reason)		/* repeated call after the end or an error */
		return e->what = RECORD_NOTHING;
	for (;;) {
		const uint8_t *at;
		unsigned head;
		int got;

		if (r->in.p == r->in.end && !data_block(r))
			return e->what = RECORD_NOTHING;
		at = r->in.p;
		head = *r->in.p++;
		if ((head & 7) == RECORD_T_SAMPLE) {
			e->what = RECORD_SAMPLE;
			got = sample_read(r, head, &e->sample) ? 1 : -1;
		} else {
			got = entry_read(r, head, e);
		}
		if (got > 0)
			return e->what;
		if (got < 0) {
			file_damaged(r, block_place(r, at), "invalid entry");
			r->in.p = r->in.end;
			return e->what = RECORD_NOTHING;
		}
	}
}

/* ---- names ---- */
static bool symbols_block(struct record_reader *r, struct arena *a, record_symbol_fn fn, void *arg)
{
	struct bytes *b = &r->in;

	while (b->p < b->end) {
		struct record_symbol s = { 0 };

		s.object = (uint32_t)get_number(b);
		s.start = get_number(b);
		s.last = s.start + get_number(b);
		s.base = get_number(b);
		s.module = text_read(b, a);
		s.name = text_read(b, a);
		if (b->bad || s.last < s.start)
			return false;
		fn(arg, &s);
	}
	return true;
}

static bool groups_block(struct record_reader *r, struct arena *a, record_group_fn fn, void *arg)
{
	struct containers_group g;

	while (r->in.p < r->in.end) {
		if (!group_read(&r->in, a, &g))
			return false;
		fn(arg, &g);
	}
	return true;
}

void record_symbols(struct record_reader *r, struct arena *a, record_symbol_fn fn, void *arg)
{
	struct bytes in = r->in;
	uint64_t off = r->symbols;
	struct head h;

	/* at the offset that the last block contains, before anything else is read */
	while (off >= RECORD_FILE_HEAD && off < r->size && head_read(r, off, &h) && h.type == RECORD_B_SYMBOLS &&
	       block_read(r, off, &h) && symbols_block(r, a, fn, arg))
		off += RECORD_BLOCK_HEAD + h.stored;
	forget_damage(r);
	r->in = in;
}

/* The blocks after the symbols. Returns false if they are not there, or damaged. */
static bool groups_at_end(struct record_reader *r, struct arena *a, record_group_fn fn, void *arg)
{
	struct bytes in = r->in;
	uint64_t off = r->symbols;
	bool any = false;
	struct head h;

	while (off >= RECORD_FILE_HEAD && off < r->size && head_read(r, off, &h) &&
	       (h.type == RECORD_B_SYMBOLS || h.type == RECORD_B_GROUPS)) {
		if (h.type == RECORD_B_GROUPS)
			any = block_read(r, off, &h) && groups_block(r, a, fn, arg);
		off += RECORD_BLOCK_HEAD + h.stored;
	}
	forget_damage(r);
	r->in = in;
	return any;
}

void record_groups(struct record_reader *r, struct arena *a, record_group_fn fn, void *arg)
{
	struct record_reader *again;
	struct record_entry e;
	char reason[160];
	int fd;

	if (!(r->info.known & RECORD_K_GROUPS) || groups_at_end(r, a, fn, arg))
		return;
	fd = dup(r->fd);
	again = fd < 0 ? NULL : record_open(fd, a->oom, a->oom_arg, reason, sizeof reason);
	while (again && record_next(again, &e) != RECORD_NOTHING)
		if (e.what == RECORD_GROUP)
			fn(arg, &(struct containers_group){
				e.group.id, e.group.parent, arena_strdup(a, e.group.path),
				arena_strdup(a, e.group.container), arena_strdup(a, e.group.pod),
				arena_strdup(a, e.group.image),
			});
	record_close(again);
}
