/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One string within another. */
#include "rt/rt.h"
#include "rt/word.h"

enum { STEPS_MAX = 1 << 23 };	/* of a loop: the kernel's BPF_MAX_LOOPS */

struct find {
	const char *s, *sub;
	uint64_t cap, subcap;
	uint64_t len, sublen;
	uint64_t at;		/* where it is compared */
	uint64_t done;		/* bytes of it that are equal so far */
	uint64_t found;
};

/* Goes on at another place, of which the verifier knows nothing. */
static inline void move_on(struct find *f, uint64_t at, uint64_t done)
{
	f->at = rt_hide(at, f->s);
	f->done = rt_hide(done, f->s);
}

/* Are the next eight bytes equal? Goes on to those behind, or ends. */
static inline bool equal(struct find *f)
{
	uint64_t mask = rt_bytes(f->done > f->sublen ? 0 : f->sublen - f->done);
	uint64_t a = rt_load_at(f->s, f->cap, f->at + f->done), b = rt_load_at(f->sub, f->subcap, f->done);

	if ((a ^ b) & mask)
		return false;
	if (f->done + 8 >= f->sublen)
		f->found = f->at;
	move_on(f, f->at, f->done + 8);
	return true;
}

static long find_step(uint64_t i, void *state)
{
	struct find *f = state;
	uint64_t m;

	(void)i;
	if (f->at >= f->len)
		return 1;
	if (equal(f))
		return f->done >= f->sublen;
	/* not at a byte that the other one does not begin with */
	m = rt_equal(rt_load_at(f->s, f->cap, f->at + 1), rt_load(f->sub) & 0xff);
	move_on(f, f->at + (m ? rt_first(m) + 1 : 9), 0);
	return 0;
}

static long rfind_step(uint64_t i, void *state)
{
	struct find *f = state;

	(void)i;
	if (f->at > f->len)
		return 1;
	if (equal(f))
		return f->done >= f->sublen;
	move_on(f, f->at - 1, 0);
	return 0;
}

/* Each position, and at each all of the other string. */
static inline uint64_t steps(const struct find *f)
{
	uint64_t n = (f->cap + 8) * (f->subcap / 8 + 1);

	return n < STEPS_MAX ? n : STEPS_MAX;
}

static inline void find_begin(struct find *f, const char *s, const char *sub, uint64_t caps)
{
	f->s = s;
	f->sub = sub;
	f->cap = rt_cap(caps, 0);
	f->subcap = rt_cap(caps, 1);
	f->len = rt_scan(s, f->cap, 0, 0, false);
	f->sublen = rt_scan(sub, f->subcap, 0, 0, false);
	f->found = -1ull;
}

/* As in DTrace (which has it from Perl): an empty string is found at the end, too, however far behind it one begins. */
uint64_t rt_index(const char *s, const char *sub, uint64_t caps, uint64_t pos)
{
	struct find f;
	int64_t from = (int32_t)pos;

	find_begin(&f, s, sub, caps);
	if (from < 0)
		from = 0;
	move_on(&f, (uint64_t)from, 0);
	if (f.at >= f.len)
		return f.sublen ? rt_hide(-1ull, s) : f.len;
	rt_loop(steps(&f), find_step, &f);
	return rt_hide(f.found, s);
}

/* An empty string is found at the beginning, too, however far in front of it one begins. */
uint64_t rt_rindex(const char *s, const char *sub, uint64_t caps, uint64_t pos)
{
	struct find f;
	int64_t from = (int32_t)pos;

	find_begin(&f, s, sub, caps);
	if (from < 0)
		return rt_hide(f.sublen ? -1ull : 0, s);
	move_on(&f, (uint64_t)from, 0);
	if (f.at > f.len)
		move_on(&f, f.len, 0);
	rt_loop(steps(&f), rfind_step, &f);
	return rt_hide(f.found, s);
}
