/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exit status 0 if kernel tests can run here; else 1 and the reason. */
#include <stdio.h>

#include "tests/lib/kernel.h"

int main(void)
{
	char why[128];

	if (kernel_can_trace(why, sizeof why))
		return 0;
	puts(why);
	return 1;
}
