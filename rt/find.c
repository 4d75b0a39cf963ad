/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One string within another. */
#include "rt/rt.h"
#include "rt/word.h"

enum { STEPS_MAX = 1 << 23 };	/* of a loop: the kernel's BPF_MAX_LOOPS */

struct find_work {
	uint64_t len, sublen;
	uint64_t at;		/* where it is compared */
	uint64_t done;		/* bytes of it that are equal so far */
	uint64_t found;
};

struct find {
	const char *s, *sub;
	uint64_t cap, subcap;
	struct find_work *w;
};

/* Are the next eight bytes equal? Goes on to those behind, or ends. */
static inline bool equal(struct find *f)
{
	struct find_work *w = f->w;
	uint64_t mask = rt_bytes(w->done > w->sublen ? 0 : w->sublen - w->done);
	uint64_t a = rt_load_at(f->s, f->cap, w->at + w->done), b = rt_load_at(f->sub, f->subcap, w->done);

	if ((a ^ b) & mask)
		return false;
	w->done += 8;
	if (w->done >= w->sublen)
		w->found = w->at;
	return true;
}

static long find_step(uint64_t i, void *state)
{
	struct find *f = state;
	struct find_work *w = f->w;
	uint64_t m;

	(void)i;
	if (w->at >= w->len)
		return 1;
	if (equal(f))
		return w->done >= w->sublen;
	/* not at a byte that the other one does not begin with */
	m = rt_equal(rt_load_at(f->s, f->cap, w->at + 1), rt_load(f->sub) & 0xff);
	w->at += m ? rt_first(m) + 1 : 9;
	w->done = 0;
	return 0;
}

static long rfind_step(uint64_t i, void *state)
{
	struct find *f = state;
	struct find_work *w = f->w;

	(void)i;
	if (w->at > w->len)
		return 1;
	if (equal(f))
		return w->done >= w->sublen;
	w->at--;
	w->done = 0;
	return 0;
}

/* Each position, and at each all of the other string. */
static inline uint64_t steps(const struct find *f)
{
	uint64_t n = (f->cap + 8) * (f->subcap / 8 + 1);

	return n < STEPS_MAX ? n : STEPS_MAX;
}

/* As in DTrace (which has it from Perl): an empty string is found at the end, too, however far behind it one begins. */
uint64_t rt_index(void *work, const char *s, const char *sub, uint64_t caps, uint64_t pos)
{
	struct find f = { s, sub, rt_cap(caps, 1), rt_cap(caps, 2), work };
	int64_t from = (int32_t)pos;

	rt_clear(work);
	f.w->len = rt_scan(s, f.cap, 0, 0, false);
	f.w->sublen = rt_scan(sub, f.subcap, 0, 0, false);
	f.w->at = from < 0 ? 0 : (uint64_t)from;
	f.w->found = -1ull;
	if (f.w->at < f.w->len)
		rt_loop(steps(&f), find_step, &f);
	else if (!f.w->sublen)
		f.w->found = f.w->len;
	return f.w->found;
}

/* An empty string is found at the beginning, too, however far in front of it one begins. */
uint64_t rt_rindex(void *work, const char *s, const char *sub, uint64_t caps, uint64_t pos)
{
	struct find f = { s, sub, rt_cap(caps, 1), rt_cap(caps, 2), work };
	int64_t from = (int32_t)pos;

	rt_clear(work);
	f.w->len = rt_scan(s, f.cap, 0, 0, false);
	f.w->sublen = rt_scan(sub, f.subcap, 0, 0, false);
	f.w->at = (uint64_t)from < f.w->len ? (uint64_t)from : f.w->len;
	f.w->found = -1ull;
	if (from >= 0)
		rt_loop(steps(&f), rfind_step, &f);
	else if (!f.w->sublen)
		f.w->found = 0;
	return f.w->found;
}
