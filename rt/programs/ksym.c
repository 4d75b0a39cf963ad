/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program that names an address of the kernel (engine/bpf/ksyms.h). */
#include "rt/programs/ksym.h"
#include "rt/programs/kernel.h"

extern char map_ksym_text[], map_ksym_format[];

/* The address is the first word of the context. */
int program_ksym(const uint64_t *ctx)
{
	uint64_t addr = ctx[0];

	bpf_snprintf(map_ksym_text, KSYM_TEXT, map_ksym_format, &addr, sizeof addr);
	return 0;
}
