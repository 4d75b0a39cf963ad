/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What differs between processors: one file for each, with the same names. Offsets are those in struct pt_regs as
 * programs of the kernel see it (bpf_user_pt_regs_t), in bytes; on arm64 it continues with orig_x0 and the number of
 * the call (arch/arm64/include/asm/ptrace.h of the kernel).
 * Plain data. Errors: none.
 */
#ifndef BASE_ARCH_ARCH_H
#define BASE_ARCH_ARCH_H

#if defined(__x86_64__)
#include "base/arch/x86_64.h"
#elif defined(__aarch64__)
#include "base/arch/aarch64.h"
#else
#error "dtr knows x86-64 and arm64"
#endif

#endif
