/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for unwinding tables: what is taken never overlaps what is in use or may still be read, and what is given back
 * becomes whole again. Maps are files in memory here. Stacks that were handed over are found by their number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/bpf/load/maps.h"
#include "engine/bpf/unwind/memory.h"
#include "engine/bpf/unwind/parts.h"
#include "engine/bpf/unwind/pending.h"
#include "rt/unwind.h"

enum { CHUNKS = 4, HELD = 200 };

static unsigned chunks_left;		/* that can still be made */

int chunk_create(void)
{
	int fd = chunks_left ? memfd_create("chunk", MFD_CLOEXEC) : -1;

	chunks_left -= fd >= 0;
	return fd >= 0 && !ftruncate(fd, UNWIND_CHUNK) ? fd : -12;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)key, (void)value, (void)flags;
	return fd == 1000 ? 0 : -1;
}

int bpf_map_update_batch(int fd, const void *keys, const void *values, __u32 *count,
			 const struct bpf_map_batch_opts *opts)
{
	(void)keys, (void)values, (void)opts;
	return fd == 1000 && *count > 1 ? 0 : -1;
}

struct made_maps {
	struct bpf_image im;
	struct bpf_loaded l;
	int fd[2];
};

static void made_open(struct made_maps *x, unsigned more)
{
	memset(x, 0, sizeof *x);
	chunks_left = 1;
	x->fd[0] = chunk_create();
	x->fd[1] = 1000;
	assert_true(x->fd[0] >= 0);
	x->im.map_of[BPF_MAP_UNWIND_FIRST] = 0;
	x->im.map_of[BPF_MAP_UNWIND_CHUNKS] = 1;
	x->l = (struct bpf_loaded){ .im = &x->im, .mapfd = x->fd };
	chunks_left = more;
}

/* ---- extents ---- */
struct held {
	struct unwind_extent e;
	uint8_t mark;
};

static bool overlap(struct unwind_extent a, struct unwind_extent b)
{
	return a.size && b.size && a.chunk == b.chunk && a.at < b.at + b.size && b.at < a.at + a.size;
}

static void extent_check(const struct unwind_memory *m, struct unwind_extent e, const struct held *h)
{
	assert_true(e.chunk < m->nchunks && e.at % 64 == 0 && e.size % 64 == 0);
	assert_true((uint64_t)e.at + e.size <= UNWIND_CHUNK);
	for (int i = 0; i < HELD; i++)
		assert_false(overlap(e, h[i].e));
	for (uint32_t i = 0; i < m->limbo.n; i++)
		assert_false(overlap(e, m->limbo.v[i]));
}

/* The room is sorted, has no extents that adjoin, and is all that is not in use. */
static void room_check(const struct unwind_memory *m, const struct held *h)
{
	uint64_t sum = m->waiting, used = 0;

	for (uint32_t i = 0; i < m->room.n; i++) {
		const struct unwind_extent *e = &m->room.v[i], *next = e + 1;

		assert_true(e->size > 0);
		extent_check(m, *e, h);
		sum += e->size;
		if (i + 1 < m->room.n)
			assert_true(e->chunk < next->chunk || (e->chunk == next->chunk && e->at + e->size < next->at));
	}
	for (int i = 0; i < HELD; i++)
		used += h[i].e.size;
	assert_true(sum + used == (uint64_t)m->nchunks * UNWIND_CHUNK);
}

static void contents_check(const struct unwind_memory *m, const struct held *h)
{
	const uint8_t *p = memory_at(m, h->e);

	for (uint32_t i = 0; i < h->e.size; i++)
		assert_int_equal(p[i], h->mark);
}

static void held_change(struct unwind_memory *m, struct held *h, int i, uint32_t bytes)
{
	struct unwind_extent e;

	if (h[i].e.size) {
		contents_check(m, &h[i]);
		memory_give(m, h[i].e);
		h[i].e.size = 0;
		return;
	}
	e = memory_take(m, bytes);
	if (!e.size)
		return;
	assert_true(e.size >= bytes && e.size < bytes + 64);
	extent_check(m, e, h);
	h[i].e = e;
	h[i].mark = (uint8_t)rand();
	memset(memory_at(m, e), h[i].mark, e.size);
}

static void test_random(void **state)
{
	static struct held h[HELD];
	struct unwind_memory m;
	struct made_maps x;

	(void)state;
	srand(1);
	made_open(&x, CHUNKS);
	assert_int_equal(memory_open(&m, &x.l, CHUNKS * UNWIND_CHUNK), 0);
	for (int i = 0; i < 20000; i++) {
		held_change(&m, h, rand() % HELD, 1u + (uint32_t)rand() % (1u << rand() % 18));
		if (i % 50 == 0)
			memory_settle(&m);
		if (i % 100 == 0)
			room_check(&m, h);
		assert_true(m.nchunks <= CHUNKS);
	}
	for (int i = 0; i < HELD; i++)
		if (h[i].e.size)
			held_change(&m, h, i, 0);
	memory_settle(&m);
	room_check(&m, h);
	assert_int_equal(m.room.n, m.nchunks);	/* one whole extent in each chunk */
	memory_close(&m);
	memory_close(&m);
	close(x.fd[0]);
}

/* What was given back is not used before it settles; sizes that cannot be; no memory. */
static void test_limits(void **state)
{
	static const uint32_t bad[] = { 0, UNWIND_CHUNK + 1, UINT32_MAX, UINT32_MAX - 62, UINT32_MAX - 64 };
	struct unwind_extent e, again;
	struct unwind_memory m;
	struct made_maps x;

	(void)state;
	made_open(&x, 0);
	assert_int_equal(memory_open(&m, &x.l, CHUNKS * UNWIND_CHUNK), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(memory_take(&m, bad[i]).size, 0);
	assert_int_equal(m.err, 0);
	e = memory_take(&m, UNWIND_CHUNK);
	assert_int_equal(e.size, UNWIND_CHUNK);
	assert_int_equal(memory_take(&m, 1).size, 0);
	assert_true(m.err < 0);		/* no chunk can be made */
	memory_give(&m, e);
	assert_int_equal(m.waiting, UNWIND_CHUNK);
	assert_int_equal(memory_take(&m, 1).size, 0);
	memory_settle(&m);
	assert_int_equal(m.waiting, 0);
	again = memory_take(&m, 1);
	assert_int_equal(again.size, 64);
	memory_give(&m, (struct unwind_extent){ 0 });
	assert_int_equal(m.limbo.n, 0);
	memory_close(&m);
	close(x.fd[0]);
	/* the limit */
	made_open(&x, CHUNKS);
	assert_int_equal(memory_open(&m, &x.l, 2 * UNWIND_CHUNK), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(memory_take(&m, UNWIND_CHUNK).size, UNWIND_CHUNK);
	assert_int_equal(memory_take(&m, 64).size, 0);
	assert_int_equal(m.nchunks, 2);
	memory_close(&m);
	close(x.fd[0]);
}

/* ---- stacks that were handed over ---- */
/* Long stacks: as many of the last ones as fit into 4 MB. */
static void deep_stacks(struct unwind_pending *p)
{
	enum { DEEP = 20000, LONG = 1000, FIRST = 7 };
	static uint64_t v[LONG];
	uint64_t pc[1], kept = 0;

	for (uint64_t i = 0; i < DEEP; i++) {
		v[0] = i + 1;
		pending_add(p, FIRST + 3 * i, v, LONG);
	}
	for (uint64_t i = DEEP; i-- > 0;) {
		assert_true(pending_frames(p, UNWIND_PENDING | (FIRST + 3 * i), pc, 1));
		assert_true(!pc[0] || (pc[0] == i + 1 && kept == DEEP - 1 - i));
		kept += pc[0] != 0;
	}
	assert_in_range(kept, (4 << 20) / (8 * LONG + 16) - 1, (4 << 20) / (8 * LONG));
}

static void test_pending(void **state)
{
	enum { STACKS = 70000, OLD = 70000 - 65536 };
	struct unwind_pending p = { 0 };
	uint64_t pc[4];

	(void)state;
	assert_false(pending_frames(&p, 0x1000, pc, 4));
	assert_true(pending_frames(&p, UNWIND_PENDING | 1, pc, 4));	/* not stored: no frames */
	assert_int_equal(pc[0], 0);
	for (uint64_t i = 1; i <= STACKS; i++) {
		const uint64_t v[] = { i, i + 1, i + 2, i + 3, i + 4, i + 5 };

		pending_add(&p, i, v, (uint32_t)(i % 7));
	}
	for (uint64_t i = 1; i <= STACKS; i++) {
		memset(pc, 0xff, sizeof pc);
		assert_true(pending_frames(&p, UNWIND_PENDING | i, pc, 4));
		for (uint64_t k = 0; k < 4; k++)
			assert_int_equal(pc[k], i > OLD && k < i % 7 ? i + k : 0);
	}
	assert_false(pending_frames(&p, ~0ull, pc, 4));
	assert_int_equal(p.lost, OLD + 1);
	pending_close(&p);
	pending_close(&p);
	deep_stacks(&p);
	assert_false(p.nomem);
	pending_close(&p);
}

static void parts_send(struct unwind_parts *p, struct unwind_stack_part *part, uint64_t number, uint64_t addr,
		       uint64_t pages)
{
	part->number = number;
	part->addr = addr;
	part->pages = pages;
	memset(part->stack, (int)(addr >> 16), UNWIND_COPY);
	parts_add(p, part, sizeof *part + UNWIND_COPY);
}

/* Words are read from the pages that were copied, of the stack with the number. */
static void test_parts(void **state)
{
	static struct unwind_parts p;
	struct unwind_stack_part *part = calloc(1, sizeof *part + UNWIND_COPY);
	const struct parts_stack *s;
	uint64_t v;

	(void)state;
	assert_non_null(part);
	assert_null(parts_of(&p, 1));
	assert_false(parts_read(NULL, 0x10000, &v, 8));
	parts_send(&p, part, 1, 0x10000, 0xfe);
	parts_send(&p, part, 2, 0x30000, 0xff);
	parts_send(&p, part, 1, 0x20000, 0x7f);
	s = parts_of(&p, 1);
	assert_non_null(s);
	assert_false(parts_read(s, 0x10000, &v, 8));
	assert_false(parts_read(s, 0x10ffc, &v, 8));	/* half of it in a page that could not be read */
	assert_false(parts_read(s, 0xfffc, &v, 8));
	assert_true(parts_read(s, 0x11000, &v, 8));
	assert_int_equal(v, 0x0101010101010101);
	assert_true(parts_read(s, 0x10000 + UNWIND_COPY - 8, &v, 8));
	assert_false(parts_read(s, 0x10000 + UNWIND_COPY - 4, &v, 8));
	assert_true(parts_read(s, 0x26ff8, &v, 8));
	assert_int_equal(v, 0x0202020202020202);
	assert_false(parts_read(s, 0x27000, &v, 4));
	assert_false(parts_read(s, 0x30000, &v, 8));
	assert_false(parts_read(s, UINT64_MAX - 3, &v, 8));
	for (unsigned i = 0; i < 2 * UNWIND_PARTS; i++)
		parts_send(&p, part, 2, 0x40000 + i * 0x10000, 0xff);
	assert_int_equal(parts_of(&p, 2)->n, UNWIND_PARTS);
	parts_add(&p, part, sizeof *part + UNWIND_COPY - 1);
	parts_send(&p, part, 1 + PARTS_STACKS, 0x50000, 0xff);
	assert_null(parts_of(&p, 1));
	assert_int_equal(parts_of(&p, 1 + PARTS_STACKS)->n, 1);
	parts_close(&p);
	free(part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_limits), cmocka_unit_test(test_pending),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
