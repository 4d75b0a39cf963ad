/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D expressions for sites at the tracepoints of system calls (providers/site/site.h). The words of the context are the
 * address of struct pt_regs, then the number of the call (sys_enter) or its result (sys_exit). A 32-bit process
 * (COMPAT) uses another table of numbers. The numbers: arch/.../syscalls/ and include/uapi/asm-generic/unistd.h of the
 * kernel.
 *
 * Ownership: constants. Errors: none.
 */
#ifndef PROVIDERS_SITE_SYSCALLS_H
#define PROVIDERS_SITE_SYSCALLS_H

#include "base/arch/arch.h"

#define REGS "((struct pt_regs *)_raw0)"
/* Expressions that are true if the call's number N is one of these. */
#define ONE_OF1(n, a) n " == " #a
#define ONE_OF2(n, a, b) ONE_OF1(n, a) " || " ONE_OF1(n, b)
#define ONE_OF4(n, a, b, c, d) ONE_OF2(n, a, b) " || " ONE_OF2(n, c, d)
#define ONE_OF5(n, a, b, c, d, e) ONE_OF4(n, a, b, c, d) " || " ONE_OF1(n, e)
#define ONE_OF3(n, a, b, c) ONE_OF2(n, a, b) " || " ONE_OF1(n, c)
/* By the tables of 64-bit and of 32-bit processes. */
#define CALL(of64, of32) "(" COMPAT " ? " of32 " : " of64 ")"

#define COMPAT ARCH_D_COMPAT
#include ARCH_SYSCALLS

#endif
