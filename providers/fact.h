/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the running kernel has, where kernels differ: its type information (BTF) decides, not its version, because
 * kernels of distributions have parts of later ones. A fact is found when it is first needed and then remembered: a
 * search takes 0.2 to 4 ms.
 *
 * Ownership: nothing is owned. Errors: a kernel whose type information cannot be read has none of them.
 */
#ifndef PROVIDERS_FACT_H
#define PROVIDERS_FACT_H

#include <stdbool.h>
#include <stdint.h>

enum kernel_fact {
	FACT_NONE,			/* always true */
#define FACT(name, kind, what, parameters) FACT_##name,
#include "providers/fact.def"
#undef FACT
	FACTS
};

struct kernel_facts {
	const char *path;		/* of the type information; NULL: the running kernel's. Tests set another */
	uint32_t known, held;		/* a bit for each fact */
};

bool fact_holds(struct kernel_facts *f, enum kernel_fact which);

#endif
