/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr's own description of the kernel's structures (rt/task.c), for engines that lay them out themselves, on kernels
 * without type information. Ownership: static data. Errors: none.
 */
#ifndef RT_TYPES_H
#define RT_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* The BTF, *n bytes. */
const uint8_t *rt_types(size_t *n);

#endif
