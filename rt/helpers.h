/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's helper functions (bpf-helpers(7)), as libbpf declares them, without the kernel's headers. Only for files
 * that clang -target bpf compiles.
 * Ownership: none. Errors: as the kernel's.
 */
#ifndef RT_HELPERS_H
#define RT_HELPERS_H

#include <stdint.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int32_t __s32;
typedef int64_t __s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

#include <bpf/bpf_helpers.h>

#endif
