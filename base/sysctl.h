/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers in /proc/sys/kernel. Errors: none. */
#ifndef BASE_SYSCTL_H
#define BASE_SYSCTL_H

/* The number in /proc/sys/kernel/`name`, or `missing` if it cannot be read. */
int sysctl_number(const char *name, int missing);

#endif
