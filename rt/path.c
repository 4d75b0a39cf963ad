/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions on paths. They use only the text, not the file system. */
#include "rt/rt.h"
#include "rt/word.h"

#define NONE (-1ull)

static inline void one_char(char *dst, uint64_t c)
{
	rt_store(dst, c);
}

/* The offset after the last byte before `at` that is not a slash, or 0. */
static inline uint64_t without_slashes(const char *s, uint64_t cap, uint64_t at)
{
	return rt_scan_back(s, cap, at, '/', true) + 1;
}

uint64_t rt_basename(char *dst, const char *s, uint64_t caps)
{
	uint64_t cap = rt_cap(caps, 1), len = rt_scan(s, cap, 0, 0, false), end = without_slashes(s, cap, len), from;

	if (!end) {
		one_char(dst, len ? '/' : '.');
		return 0;
	}
	from = rt_scan_back(s, cap, end, '/', false) + 1;
	rt_part(dst, s, caps, from, end - from);
	return 0;
}

uint64_t rt_dirname(char *dst, const char *s, uint64_t caps)
{
	uint64_t cap = rt_cap(caps, 1), len = rt_scan(s, cap, 0, 0, false), end = without_slashes(s, cap, len);
	uint64_t slash = end ? rt_scan_back(s, cap, end, '/', false) : 0;

	if (!len || slash == NONE) {
		one_char(dst, '.');
		return 0;
	}
	end = without_slashes(s, cap, slash);
	if (end)
		rt_part(dst, s, caps, 0, end);
	else
		one_char(dst, '/');
	return 0;
}

struct clean_work {
	uint16_t in, out;
	uint8_t held;		/* bytes of "/.." that were read but not yet written; 4: "/.." at the end of the path */
	uint8_t back;		/* removing a component: going back to its slash */
	uint8_t relative;	/* the path does not begin with a slash, so the result must not either */
};

struct clean {
	char *dst;
	uint64_t dcap;
	const char *src;
	uint64_t scap;
	struct clean_work *w;
};

static inline void clean_put(struct clean *c, uint64_t ch)
{
	uint64_t at = c->w->out;

	if (at >= c->dcap - 1)
		return;
	c->dst[rt_bound(at)] = (char)ch;
	c->w->out = (uint16_t)(at + 1);
}

/* Removes the last byte written. A slash ends the removal of a component. */
static inline void step_back(struct clean *c)
{
	uint64_t at = c->w->out - 1ull;

	if (at >= c->dcap) {
		c->w->back = 0;
		return;
	}
	c->w->out = (uint16_t)at;
	if (c->dst[rt_bound(at)] == '/')
		c->w->back = 0;
	c->dst[rt_bound(at)] = 0;
}

/* The byte at distance `back` from the end of the output (1 is the last byte), or 0 if there is none. */
static inline uint64_t written(const struct clean *c, uint64_t back)
{
	uint64_t at = c->w->out - back;

	return at < c->dcap ? (uint8_t)c->dst[rt_bound(at)] : 0;
}

/* True if no component is left for ".." to remove, so that ".." is kept. */
static inline bool stays(struct clean *c)
{
	if (!c->w->relative)
		return false;
	if (c->w->out == 1 && c->dst[0] == '.') {	/* "./.." */
		c->dst[0] = 0;
		c->w->out = 0;
	}
	return !c->w->out || (written(c, 1) == '.' && written(c, 2) == '.' && (c->w->out == 2 || written(c, 3) == '/'));
}

static inline void release(struct clean *c)
{
	if (c->w->held > 0 && (c->w->out || !c->w->relative))
		clean_put(c, '/');
	if (c->w->held > 1)
		clean_put(c, '.');
	if (c->w->held > 2)
		clean_put(c, '.');
	c->w->held = 0;
}

static long clean_step(uint64_t i, void *state)
{
	struct clean *c = state;
	uint64_t ch;

	(void)i;
	if (c->w->back) {
		step_back(c);
		return 0;
	}
	ch = rt_load_at(c->src, c->scap, c->w->in) & 0xff;
	if (c->w->held == 3 && (ch == '/' || !ch)) {
		/* the slash or the end is read again after ".." was kept or a component was removed */
		if (stays(c)) {
			release(c);
			return 0;
		}
		c->w->held = ch ? 0 : 4;
		c->w->back = 1;
		return 0;
	}
	if (c->w->held == 4) {
		clean_put(c, c->w->relative && !c->w->out ? '.' : '/');
		return 1;
	}
	c->w->in++;
	if (ch == '/' && c->w->held < 3) {
		c->w->held = 1;
		return 0;
	}
	if (ch == '.' && (c->w->held == 1 || c->w->held == 2)) {
		c->w->held++;
		return 0;
	}
	release(c);
	if (ch)
		clean_put(c, ch);
	else if (!c->w->out && c->w->in > 1)
		clean_put(c, '.');
	return !ch;
}

uint64_t rt_cleanpath(char *dst, void *work, const char *s, uint64_t caps)
{
	struct clean c = { dst, rt_cap(caps, 0), s, rt_cap(caps, 2), work };

	rt_clear(work);
	c.w->relative = (rt_load(s) & 0xff) != '/';
	/* each byte is read, written and removed at most once; the byte after ".." is read twice */
	rt_loop(3 * c.scap + 8, clean_step, &c);
	return 0;
}
