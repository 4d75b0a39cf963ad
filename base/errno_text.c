/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/errno_text.h"

#include <errno.h>
#include <string.h>

const char *errno_text(int err)
{
	if (err == EMFILE)
		return "too many open files: the limit on descriptors (ulimit -n) is too low";
	if (err == ENFILE)
		return "too many open files in the system";
	return strerror(err);
}
