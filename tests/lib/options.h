/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of the compiler in tests. */
#ifndef TESTS_LIB_OPTIONS_H
#define TESTS_LIB_OPTIONS_H

#include "engine/run/options.h"

/* The defaults without numbered cells; tests of these set aggsize. */
static inline struct d_options test_options(void)
{
	struct options o;

	options_init(&o);
	o.d.aggsize = 0;
	return o.d;
}

#endif
