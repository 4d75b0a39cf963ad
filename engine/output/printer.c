/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/printer.h"

const struct printer *printer_number(unsigned i)
{
	static const struct printer *const printers[] = {
#define FORMAT(word) &printer_##word,
#include "engine/run/formats.def"
	};

	return printers[i];
}
