/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts numbers to text and back. */
#include "rt/rt.h"
#include "rt/word.h"

enum { DIGITS_MAX = 64 };

struct digits_work {
	uint64_t value;
	uint64_t n;		/* digits that remain */
};

struct digits {
	char *dst;
	uint64_t cap;
	uint64_t base;
	uint64_t start;		/* offset of the first digit, after a sign or prefix */
	uint64_t count;		/* only count the digits */
	struct digits_work *w;
};

static long digit_step(uint64_t i, void *state)
{
	struct digits *d = state;
	uint64_t digit, at;

	(void)i;
	if (!d->w->value)
		return 1;
	if (d->count) {
		d->w->n++;
	} else {
		digit = d->w->value % d->base;
		d->w->n--;
		at = d->w->n + d->start;
		if (at < d->cap - 1)
			d->dst[rt_bound(at)] = (char)(digit < 10 ? '0' + digit : 'a' - 10 + digit);
	}
	d->w->value /= d->base;
	return 0;
}

/* Base 10 is signed. Base 16 has the prefix 0x and base 8 the prefix 0. */
uint64_t rt_lltostr(char *dst, void *work, uint64_t caps, uint64_t n, uint64_t base)
{
	bool minus = base == 10 && (int64_t)n < 0;
	uint64_t value = minus ? 0 - n : n, prefix = minus ? '-' : base == 16 ? '0' | 'x' << 8 :
							      !n || base == 8 ? '0' : 0;
	struct digits d = { dst, rt_cap(caps, 0), base, 0, 1, work };

	if (base - 2 > 34)
		return 0;
	if (!n && base == 16)
		prefix |= '0' << 16;
	d.start = rt_hide((uint64_t)(prefix > 0) + (prefix > 0xff) + (prefix > 0xffff), dst);
	rt_store(dst, prefix);
	d.w->n = 0;
	d.w->value = value;
	rt_loop(DIGITS_MAX, digit_step, &d);
	d.w->value = value;
	d.count = 0;
	rt_loop(DIGITS_MAX, digit_step, &d);
	return 0;
}

/* ---- text to number ---- */
enum { SPACES, PREFIX, DIGITS };

struct parse_work {
	uint64_t value;
	uint32_t at;
	uint16_t state;		/* what is parsed next */
	uint16_t minus;
};

struct parse {
	const char *s;
	uint64_t cap;
	uint64_t base;
	struct parse_work *w;
};

/* The value of a digit in base 36, or 36 if it is not a digit. */
static inline uint64_t digit_of(uint64_t c)
{
	uint64_t letter = (c | 0x20) - 'a';

	if (c - '0' < 10)
		return c - '0';
	return letter < 26 ? letter + 10 : 36;
}

static inline bool has_prefix(uint64_t w)
{
	return ((w ^ ('0' | 'x' << 8)) & 0xdfff) == 0 && digit_of(w >> 16 & 0xff) < 16;
}

static long parse_step(uint64_t i, void *state)
{
	struct parse *p = state;
	struct parse_work *k = p->w;
	uint64_t w = rt_load_at(p->s, p->cap, k->at), c = w & 0xff, digit = digit_of(c);

	(void)i;
	if (k->state == SPACES && (c == ' ' || c == '\t')) {
		k->at++;
	} else if (k->state == SPACES) {
		k->minus = c == '-';
		k->at += c == '-' || c == '+';
		k->state = PREFIX;
	} else if (k->state == PREFIX) {
		k->at += p->base == 16 && has_prefix(w) ? 2 : 0;
		k->state = DIGITS;
	} else if (digit < p->base) {
		k->value = k->value * p->base + digit;
		k->at++;
	} else {
		return 1;
	}
	return 0;
}

uint64_t rt_strtoll(void *work, const char *s, uint64_t caps, uint64_t base)
{
	struct parse p = { s, rt_cap(caps, 1), base < 36 ? base : 36, work };

	rt_clear(work);
	rt_loop(p.cap + 2, parse_step, &p);
	return p.w->minus ? 0 - p.w->value : p.w->value;
}
