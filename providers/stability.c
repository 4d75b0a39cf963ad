/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/provider.h"

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
