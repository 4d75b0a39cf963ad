/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The running kernel's version.
 *
 * Ownership: nothing is owned. Errors: none.
 */
#ifndef BASE_KERNEL_H
#define BASE_KERNEL_H

/* The version as KERNEL_VERSION() of linux/version.h packs it; UINT_MAX if the kernel's release is not a version. */
unsigned kernel_version(void);

#endif
