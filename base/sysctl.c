/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/sysctl.h"

#include <stdio.h>

int sysctl_number(const char *name, int missing)
{
	char path[128];
	FILE *f;
	int v;

	snprintf(path, sizeof path, "/proc/sys/kernel/%s", name);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%d", &v) != 1)
		v = missing;
	if (f)
		fclose(f);
	return v;
}
