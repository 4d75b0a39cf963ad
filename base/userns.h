/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user name space of this process. Errors: none. */
#ifndef BASE_USERNS_H
#define BASE_USERNS_H

#include <stdbool.h>

/* True if it is known not to be the initial one, so that capabilities do not count for tracing. */
bool userns_other(void);

#endif
