/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Network addresses as text. */
#include "rt/rt.h"
#include "rt/word.h"

struct out_work {
	uint64_t at;
	uint64_t n;		/* bytes, or groups of 16 bits, of the address */
	uint64_t run, runlen;	/* the current run of zero groups */
	uint64_t best, bestlen;	/* the longest run, printed as "::" */
};

struct inet_out {
	char *dst;
	uint64_t cap;
	const uint8_t *addr;
	struct out_work *w;
};

static inline void put(struct inet_out *o, uint64_t c)
{
	uint64_t at = o->w->at;

	if (at >= o->cap - 1)
		return;
	o->dst[rt_bound(at)] = (char)c;
	o->w->at = at + 1;
}

static inline void put_hex(struct inet_out *o, uint64_t digit)
{
	put(o, digit < 10 ? '0' + digit : 'a' - 10 + digit);
}

static inline uint64_t group(const struct inet_out *o, uint64_t i)
{
	const uint8_t *p = o->addr + 2 * rt_bound(i);

	return (uint64_t)p[0] << 8 | p[1];
}

static long dotted_step(uint64_t i, void *state)
{
	struct inet_out *o = state;
	uint64_t at = (uint32_t)i, b;

	if (at >= 4)
		return 1;
	b = o->addr[rt_bound(at)];
	if (at)
		put(o, '.');
	if (b > 99)
		put(o, '0' + b / 100);
	if (b > 9)
		put(o, '0' + b / 10 % 10);
	put(o, '0' + b % 10);
	return 0;
}

uint64_t rt_inet4(char *dst, void *work, const char *addr, uint64_t caps)
{
	struct inet_out o = { .dst = dst, .cap = rt_cap(caps, 0), .addr = (const uint8_t *)addr, .w = work };

	rt_clear(work);
	rt_loop(4, dotted_step, &o);
	return 0;
}

/* Finds the longest run of zero groups, the first of several. */
static long run_step(uint64_t i, void *state)
{
	struct inet_out *o = state;
	uint64_t at = (uint32_t)i;

	if (at >= o->w->n || at >= 8)
		return 1;
	if (group(o, at)) {
		o->w->runlen = 0;
		return 0;
	}
	if (!o->w->runlen)
		o->w->run = at;
	o->w->runlen++;
	if (o->w->runlen > o->w->bestlen) {
		o->w->best = o->w->run;
		o->w->bestlen = o->w->runlen;
	}
	return 0;
}

static long group_step(uint64_t i, void *state)
{
	struct inet_out *o = state;
	uint64_t at = (uint32_t)i, g, end = o->w->best + o->w->bestlen;

	if (at >= o->w->n || at >= 8)
		return 1;
	if (o->w->bestlen && at >= o->w->best && at < end) {
		if (at == o->w->best) {
			put(o, ':');
			put(o, ':');
		}
		return 0;
	}
	if (at && !(o->w->bestlen && at == end))
		put(o, ':');
	g = group(o, at);
	if (g > 0xfff)
		put_hex(o, g >> 12);
	if (g > 0xff)
		put_hex(o, g >> 8 & 15);
	if (g > 0xf)
		put_hex(o, g >> 4 & 15);
	put_hex(o, g & 15);
	return 0;
}

/* True if the address embeds an IPv4 address: ::ffff:a.b.c.d, or ::a.b.c.d other than :: and ::1. */
static inline bool embedded(uint64_t high, uint64_t low)
{
	uint64_t marker = low & 0xffffffff, v4 = low >> 32;	/* little-endian */

	return !high && (marker == 0xffff0000 || (!marker && v4 && v4 != 0x01000000));
}

/* whole: print an embedded IPv4 address after its IPv6 part; otherwise print it alone. */
uint64_t rt_inet6(char *dst, void *work, const char *addr, uint64_t caps, uint64_t whole)
{
	struct inet_out o = { .dst = dst, .cap = rt_cap(caps, 0), .addr = (const uint8_t *)addr, .w = work };
	bool v4 = embedded(rt_load(addr), rt_load(addr + 8));

	rt_clear(work);
	o.w->n = v4 ? 6 : 8;
	if (!v4 || whole) {
		rt_loop(8, run_step, &o);
		if (o.w->bestlen < 2)
			o.w->bestlen = 0;	/* RFC 5952, 4.2.2 */
		rt_loop(8, group_step, &o);
	}
	if (!v4)
		return 0;
	if (whole && o.w->best + o.w->bestlen != 6)
		put(&o, ':');
	o.addr += 12;
	rt_loop(4, dotted_step, &o);
	return 0;
}

struct inet_link {
	struct inet_out *o;
	uint64_t cap;
};

static long link_step(uint64_t i, void *state)
{
	const struct inet_link *k = state;
	struct inet_out *o = k->o;
	uint64_t at = (uint32_t)i, b;

	if (at >= o->w->n || at >= k->cap)
		return 1;
	b = o->addr[rt_bound(at)];
	if (at)
		put(o, ':');
	put_hex(o, b >> 4);
	put_hex(o, b & 15);
	return 0;
}

uint64_t rt_link(char *dst, void *work, const char *addr, uint64_t caps, uint64_t n)
{
	struct inet_out o = { .dst = dst, .cap = rt_cap(caps, 0), .addr = (const uint8_t *)addr, .w = work };
	struct inet_link k = { &o, rt_cap(caps, 2) };

	rt_clear(work);
	o.w->n = n;
	rt_loop(k.cap, link_step, &k);
	return 0;
}
