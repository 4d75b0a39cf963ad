/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds a string in another: index, rindex, strstr. */
#include "rt/rt.h"
#include "rt/word.h"

#define NOWHERE (-1ull)

enum { STEPS_MAX = 1 << 23 };	/* of a loop: the kernel's BPF_MAX_LOOPS */

struct find_work {
	uint64_t at;		/* offset in s at which sub is compared */
	uint64_t done;		/* bytes of sub that are equal so far */
	uint64_t found;
};

struct find {
	const char *s, *sub;
	uint64_t cap, subcap;
	struct find_work *w;
};

/* Compares the next eight bytes of sub, up to its NUL. If they are equal, advances, or sets `found` if sub ends. */
static inline bool equal(struct find *f)
{
	struct find_work *w = f->w;
	uint64_t a = rt_load_at(f->s, f->cap, w->at + w->done), b = rt_load_at(f->sub, f->subcap, w->done);
	uint64_t nul = rt_nuls(b);

	if ((a ^ b) & (nul ? rt_bytes(rt_first(nul)) : ~0ull))
		return false;
	w->done += 8;
	if (nul)
		w->found = w->at;
	return true;
}

static long find_step(uint64_t i, void *state)
{
	struct find *f = state;
	struct find_work *w = f->w;
	uint64_t m, next;

	(void)i;
	if (!(rt_load_at(f->s, f->cap, w->at) & 0xff))
		return 1;
	if (equal(f))
		return w->found != NOWHERE;
	/* skips to the next byte that sub begins with, or to the end */
	next = rt_load_at(f->s, f->cap, w->at + 1);
	m = rt_equal(next, rt_load(f->sub) & 0xff) | rt_nuls(next);
	w->at += m ? rt_first(m) + 1 : 9;
	w->done = 0;
	return 0;
}

static long rfind_step(uint64_t i, void *state)
{
	struct find *f = state;
	struct find_work *w = f->w;

	(void)i;
	if (w->at > f->cap)
		return 1;
	if (equal(f))
		return w->found != NOWHERE;
	w->at--;
	w->done = 0;
	return 0;
}

/* The most steps: one for every eight bytes of sub at each offset of s. */
static inline uint64_t steps(const struct find *f)
{
	uint64_t n = (f->cap + 8) * (f->subcap / 8 + 1);

	return n < STEPS_MAX ? n : STEPS_MAX;
}

RT_FRAME static uint64_t find(void *work, const char *s, const char *sub, uint64_t caps, uint64_t at)
{
	struct find f = { s, sub, rt_cap(caps, 1), rt_cap(caps, 2), work };

	f.w->at = at;
	f.w->done = 0;
	f.w->found = NOWHERE;
	rt_loop(steps(&f), find_step, &f);
	return f.w->found;
}

RT_FRAME static uint64_t find_back(void *work, const char *s, const char *sub, uint64_t caps, uint64_t at)
{
	struct find f = { s, sub, rt_cap(caps, 1), rt_cap(caps, 2), work };

	f.w->at = at;
	f.w->done = 0;
	f.w->found = NOWHERE;
	rt_loop(steps(&f), rfind_step, &f);
	return f.w->found;
}

static inline uint64_t length(const char *s, uint64_t cap)
{
	return rt_scan(s, cap, 0, 0, false);
}

/* As in DTrace, which follows Perl: an empty string is also found if pos is beyond the end, at the end. */
uint64_t rt_index(void *work, const char *s, const char *sub, uint64_t caps, uint64_t pos)
{
	uint64_t len = length(s, rt_cap(caps, 1));
	int64_t from = (int32_t)pos;

	if (from < 0)
		from = 0;
	if ((uint64_t)from >= len)
		return *sub ? NOWHERE : len;
	return find(work, s, sub, caps, (uint64_t)from);
}

/* An empty string is also found if pos is negative, at offset 0. */
uint64_t rt_rindex(void *work, const char *s, const char *sub, uint64_t caps, uint64_t pos)
{
	uint64_t len = length(s, rt_cap(caps, 1));
	int64_t from = (int32_t)pos;

	if (from < 0)
		return *sub ? NOWHERE : 0;
	return find_back(work, s, sub, caps, (uint64_t)from < len ? (uint64_t)from : len);
}

uint64_t rt_strstr(char *dst, void *work, const char *s, const char *sub, uint64_t caps)
{
	uint64_t at = find(work, s, sub, caps >> 16, 0);

	return rt_part(dst, s, (caps & 0xffff) | rt_cap(caps, 2) << 16, at, NOWHERE >> 1);
}
