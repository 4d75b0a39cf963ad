/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The run-time library's BPF object: an ELF file in memory. Ownership: static data. Errors: none. */
#ifndef RT_BLOB_H
#define RT_BLOB_H

#include <stdint.h>

extern const uint8_t rt_blob[], rt_blob_end[];

#endif
