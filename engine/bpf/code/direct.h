/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads from kernel addresses by an instruction of BPF: a function of the kernel, bpf_rdonly_cast() (Linux 6.2), makes
 * a pointer of any number. The kernel checks each load through such a pointer and gives 0 where it would fault.
 *
 * Ownership: none. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_DIRECT_H
#define ENGINE_BPF_CODE_DIRECT_H

#include "lang/prog.h"

/* `loads`, or zeros if the kernel refuses a program that uses them (no JIT compiler, no privilege), or if the JIT
 * compiler of the processor is not known to refuse the addresses of processes. */
struct kernel_loads direct_loads(const struct kernel_loads *loads);

#endif
