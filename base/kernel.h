/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The running kernel's version. It says little of what a kernel can do, because distributions take over parts of later
 * ones: first try it, or ask the kernel's type information (providers/fact.h).
 *
 * Ownership: nothing is owned. Errors: none.
 */
#ifndef BASE_KERNEL_H
#define BASE_KERNEL_H

/* The version as KERNEL_VERSION() of linux/version.h packs it; UINT_MAX if the kernel's release is not a version. */
unsigned kernel_version(void);

#endif
