/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library with probes of the same provider. */
#include "prov.h"

void plugin(int i);

/* Arguments in memory and registers, some of which the program has nowhere. The text is on the stack: a page of the
 * file that the process has not used yet could not be read. */
void plugin(int i)
{
	char text[] = "plugin";

	PROV_START(i, text);
	PROV_NINE(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9);
	PROV_ALL_KINDS((char)-i, 200, (short)-i, 65000, -i, 4000000000u, -1, 1);
}
