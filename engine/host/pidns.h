/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The name space of process IDs that this process is in.
 * Who owns what: nothing is kept. What can fail: nothing; without /proc it is taken for the machine's first one.
 */
#ifndef ENGINE_HOST_PIDNS_H
#define ENGINE_HOST_PIDNS_H

#include <stdint.h>

/* Its inode and device; 0: the first one, where the kernel's own numbers are right. */
uint32_t pidns_inode(uint64_t *dev);

#endif
