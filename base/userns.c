/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/userns.h"

#include <sys/stat.h>

/* The inode number of the initial user name space (PROC_USER_INIT_INO). */
#define FIRST_USERNS 0xEFFFFFFDu

bool userns_other(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != FIRST_USERNS;
}
