/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library with probes of the same provider. */
#include "prov.h"

void plugin(int i);

void plugin(int i)
{
	PROV_START(i, "plugin");
}
