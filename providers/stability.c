/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/provider.h"

#include <string.h>
#include <strings.h>

static const char *const stabilities[] = {
	[ST_INTERNAL] = "Internal", [ST_PRIVATE] = "Private", [ST_OBSOLETE] = "Obsolete", [ST_EXTERNAL] = "External",
	[ST_UNSTABLE] = "Unstable", [ST_EVOLVING] = "Evolving", [ST_STABLE] = "Stable", [ST_STANDARD] = "Standard",
};

static const char *const classes[] = {
	[SC_UNKNOWN] = "Unknown", [SC_CPU] = "CPU", [SC_PLATFORM] = "Platform", [SC_GROUP] = "Group", [SC_ISA] = "ISA",
	[SC_COMMON] = "Common",
};

const char *stability_name(uint8_t st)
{
	return st < sizeof stabilities / sizeof *stabilities ? stabilities[st] : "Unknown";
}

const char *stability_class_name(uint8_t sc)
{
	return sc < sizeof classes / sizeof *classes ? classes[sc] : "Unknown";
}

/* The index of the word at *s, which ends with `end`; moves *s past it. */
static bool parse_word(const char **s, char end, const char *const *words, size_t n, uint8_t *number)
{
	size_t len = strcspn(*s, "/");

	if ((*s)[len] != end)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (strncasecmp(*s, words[i], len) || words[i][len])
			continue;
		*number = (uint8_t)i;
		*s += len + 1;
		return true;
	}
	return false;
}

bool stability_parse(const char *s, struct attr *a)
{
	enum { NSTABILITIES = sizeof stabilities / sizeof *stabilities, NCLASSES = sizeof classes / sizeof *classes };

	return parse_word(&s, '/', stabilities, NSTABILITIES, &a->name) &&
	       parse_word(&s, '/', stabilities, NSTABILITIES, &a->data) &&
	       parse_word(&s, '\0', classes, NCLASSES, &a->class);
}
