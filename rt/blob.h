/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF objects: ELF files in memory. Ownership: static data. Errors: none. */
#ifndef RT_BLOB_H
#define RT_BLOB_H

#include <stdint.h>

extern const uint8_t rt_library[], rt_library_end[];	/* functions that scripts call (rt/bpf.c) */
extern const uint8_t rt_programs[], rt_programs_end[];	/* whole programs (rt/programs/) */

#endif
