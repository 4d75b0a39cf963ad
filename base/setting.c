/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/setting.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool setting_digits(const char *s, uint64_t *v, const char **end)
{
	const char *p = s;

	for (*v = 0; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
			return false;
	*end = p;
	return p != s;
}

bool setting_size(const char *s, uint64_t *v)
{
	static const char units[] = "kmgt";
	const char *end, *u;

	if (!setting_digits(s, v, &end))
		return false;
	if (!*end)
		return true;
	u = strchr(units, tolower((unsigned char)*end));
	if (!u || end[1])
		return false;
	return !__builtin_mul_overflow(*v, 1ull << 10 * (u - units + 1), v);
}

bool setting_bool(const char *s, uint64_t *v)
{
	const char *end;
	static const char *const words[2][7] = {
		{ "0", "no", "off", "false", "disable", "disabled", "unset" },
		{ "1", "yes", "on", "true", "enable", "enabled", "set" },
	};

	for (*v = 0; *v < 2; ++*v)
		for (size_t i = 0; i < 7; i++)
			if (!strcasecmp(s, words[*v][i]))
				return true;
	if (!setting_digits(s, v, &end) || *end)
		return false;
	*v = *v != 0;
	return true;
}
