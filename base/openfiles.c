/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/openfiles.h"

#include <sys/resource.h>

uint64_t openfiles_raise(uint64_t need)
{
	struct rlimit r, more;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return UINT64_MAX;
	more = (struct rlimit){ need < r.rlim_max ? need : r.rlim_max, r.rlim_max };
	return more.rlim_cur <= r.rlim_cur || setrlimit(RLIMIT_NOFILE, &more) ? r.rlim_cur : more.rlim_cur;
}
