/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/uregs.h"

#include <asm/perf_regs.h>

#include "base/arch/arch.h"

/* By word of struct pt_regs: perf's number of the register, or -1. */
static const int8_t words[] = ARCH_PERF_REGS;

enum { WORDS = sizeof words / sizeof words[0] };

uint64_t uregs_mask(void)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < WORDS; i++)
		if (words[i] >= 0)
			mask |= 1ull << words[i];
	return mask;
}

uint32_t uregs_take(uint64_t mask, const uint64_t *regs, uint64_t out[UREGS_MOST])
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t bit = words[i] < 0 ? 0 : 1ull << words[i];

		out[i] = mask & bit ? regs[__builtin_popcountll(mask & (bit - 1))] : 0;
	}
	return WORDS;
}

bool uregs_has(int64_t word)
{
	return word >= 0 && word < WORDS && words[word] >= 0;
}
