/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/pidns.h"

#include <sys/stat.h>

#define FIRST_PIDNS 0xEFFFFFFCu		/* number of the initial namespace in the kernel (PROC_PID_INIT_INO) */

uint32_t pidns_inode(uint64_t *dev)
{
	struct stat st;

	*dev = 0;
	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == FIRST_PIDNS)
		return 0;
	*dev = st.st_dev;
	return (uint32_t)st.st_ino;
}
