/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The PID namespace of this process.
 * Ownership: nothing is kept. Errors: none; without /proc the initial one is assumed.
 */
#ifndef ENGINE_HOST_PIDNS_H
#define ENGINE_HOST_PIDNS_H

#include <stdint.h>

/* Returns its inode number and stores its device. Returns 0 in the initial namespace, where the kernel's own IDs are
 * valid. */
uint32_t pidns_inode(uint64_t *dev);

#endif
