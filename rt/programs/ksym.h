/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes of a text, with its NUL: a name of the kernel has up to 512. Ownership: none. Errors: none. */
#ifndef RT_PROGRAMS_KSYM_H
#define RT_PROGRAMS_KSYM_H

enum { KSYM_TEXT = 1024 };

#endif
