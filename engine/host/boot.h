/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ID of the current boot, which the kernel chooses at each boot. Ownership: nothing is kept. Errors: none; an
 * unknown ID is all zeros. */
#ifndef ENGINE_HOST_BOOT_H
#define ENGINE_HOST_BOOT_H

#include <stdint.h>

void boot_id(uint8_t id[16]);

#endif
