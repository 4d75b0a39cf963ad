/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void boot_id(uint8_t id[16])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char text[64] = "", digits[3] = "";
	unsigned n = 0;

	memset(id, 0, 16);
	if (f && !fgets(text, sizeof text, f))
		text[0] = '\0';
	if (f)
		fclose(f);
	for (const char *p = text; *p && p[1] && n < 16; p++) {
		if (*p == '-')
			continue;
		memcpy(digits, p++, 2);
		id[n++] = (uint8_t)strtoul(digits, NULL, 16);
	}
}
