/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/kernel.h"

#include <limits.h>
#include <linux/version.h>
#include <stdio.h>
#include <sys/utsname.h>

unsigned kernel_version(void)
{
	struct utsname u;
	unsigned major, minor;

	if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return UINT_MAX;
	return KERNEL_VERSION(major, minor, 0);
}
