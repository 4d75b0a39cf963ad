/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library's BPF object: an ELF file in memory. Nobody owns it, nothing can fail. */
#ifndef RT_BLOB_H
#define RT_BLOB_H

#include <stdint.h>

extern const uint8_t rt_blob[], rt_blob_end[];

#endif
