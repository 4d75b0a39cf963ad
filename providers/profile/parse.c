/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "providers/profile/profile.h"

#define SECOND 1000000000ull
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ns 0: a rate, not a duration */
static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "", 0 }, { "hz", 0 },
	{ "nsec", 1 }, { "ns", 1 },
	{ "usec", 1000 }, { "us", 1000 },
	{ "msec", 1000000 }, { "ms", 1000000 },
	{ "sec", SECOND }, { "s", SECOND },
	{ "min", 60 * SECOND }, { "m", 60 * SECOND },
	{ "hour", 3600 * SECOND }, { "h", 3600 * SECOND },
	{ "day", 86400 * SECOND }, { "d", 86400 * SECOND },
};

static const struct unit *unit_find(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (!strcasecmp(units[i].name, name))
			return &units[i];
	}
	return NULL;
}

/* False if it exceeds the longest interval. */
static bool number_value(const char *text, const char *end, uint64_t *v)
{
	for (*v = 0; text < end; text++) {
		unsigned digit = (unsigned)(*text - '0');

		if (*v > ((uint64_t)INT64_MAX - digit) / 10)
			return false;
		*v = *v * 10 + digit;
	}
	return true;
}

static int refuse_interval(char *reason, size_t n, const char *text)
{
	snprintf(reason, n, "%s", text);
	return -1;
}

int profile_parse_interval(const char *text, uint64_t *ns, char *reason, size_t n)
{
	const char *end = text + strspn(text, "0123456789");
	const struct unit *unit;
	uint64_t v;
	bool fits;

	if (end == text || end[strspn(end, LETTERS)])
		return refuse_interval(reason, n, "not a number with a unit");
	unit = unit_find(end);
	fits = number_value(text, end, &v);
	if (fits && !v)
		return refuse_interval(reason, n, "not a number with a unit: the number must be positive");
	if (!unit) {
		snprintf(reason, n,
			 "unknown unit \"%.32s\": known units are ns us ms s m h d hz, nsec usec msec sec min hour day",
			 end);
		return -1;
	}
	if (!fits || (unit->ns && v > (uint64_t)INT64_MAX / unit->ns))
		return refuse_interval(reason, n, "the interval is too long: at most 2^63-1 ns");
	*ns = unit->ns ? v * unit->ns : SECOND / v;
	if (*ns < PROFILE_FLOOR_NS) {
		snprintf(reason, n, "interval %" PRIu64 " ns is below the %" PRIu64 " us floor", *ns,
			 (uint64_t)PROFILE_FLOOR_NS / 1000);
		return -1;
	}
	return 0;
}
