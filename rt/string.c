/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* strlen, substr, strchr, strrchr. */
#include "rt/rt.h"
#include "rt/word.h"

uint64_t rt_strlen(const char *s, uint64_t caps)
{
	return rt_scan(s, rt_cap(caps, 0), 0, 0, false);
}

/* As in DTrace, a negative index counts from the end, and a negative n leaves -n bytes at the end. Only these need the
 * length; otherwise it is enough to scan up to the index. */
uint64_t rt_substr(char *dst, const char *s, uint64_t caps, uint64_t index, uint64_t n)
{
	int64_t from = (int32_t)index, left = (int32_t)n, len;
	uint64_t cap = rt_cap(caps, 1), upto = cap, part = (uint64_t)from;

	RT_OPAQUE(part);
	if (from >= 0 && left >= 0 && part < cap)
		upto = part;
	len = (int64_t)rt_scan_near(s, cap, upto);
	if (from < 0) {
		from += len;
		if (from < 0 && from + left > 0) {
			left += from;
			from = 0;
		}
	}
	if (from < 0 || from >= len)
		return 0;
	if (left < 0)
		left += len - from;
	return left > 0 ? rt_part(dst, s, caps, (uint64_t)from, (uint64_t)left) : 0;
}

/* Copies s from offset `from` on; nothing if `from` is outside s. */
static inline uint64_t tail(char *dst, const char *s, uint64_t caps, uint64_t from)
{
	return rt_part(dst, s, caps, from, -1ull >> 1);
}

uint64_t rt_strchr(char *dst, const char *s, uint64_t caps, uint64_t ch)
{
	uint64_t cap = rt_cap(caps, 1), at = rt_scan(s, cap, 0, ch & 0xff, false);

	/* the scan also stops at the NUL; the rest from there is empty */
	return tail(dst, s, caps, at);
}

uint64_t rt_strrchr(char *dst, const char *s, uint64_t caps, uint64_t ch)
{
	uint64_t cap = rt_cap(caps, 1);

	return tail(dst, s, caps, rt_scan_back(s, cap, rt_scan(s, cap, 0, 0, false), ch & 0xff, false));
}
