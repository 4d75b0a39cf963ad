/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A strict reader of pprof profiles for tests: decompresses and decodes them without dtr's code, and prints them as
 * text. Who owns what: the caller's buffer. What can fail: the profile; the reason is returned.
 */
#ifndef TESTS_LIB_PROFILE_H
#define TESTS_LIB_PROFILE_H

#include "base/buf.h"

/*
 * A line for each type of sample ("type @ count"), then for each sample: its frames from the root with semicolons
 * between, objects behind '@', its values and labels; "time", "duration" and "period" in ns, where they are there;
 * "main" and the first mapping. NULL, or what is wrong with the profile.
 */
const char *profile_show(struct buf *out, const void *gz, size_t size);

#endif
