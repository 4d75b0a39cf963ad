/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/uregs.h"

#include <asm/perf_regs.h>
#include <string.h>

#include "base/arch/arch.h"

/* By word of struct pt_regs: perf's number of the register, or -1. */
static const int8_t words[] = ARCH_PERF_REGS;
static const int8_t compat_words[] = ARCH_COMPAT_REGS;

enum { WORDS = sizeof words / sizeof words[0], COMPAT_WORDS = sizeof compat_words / sizeof compat_words[0] };

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

uint64_t uregs_stopped(const void *regs, size_t n, uint64_t mask, uint64_t out[UREGS_PERF], unsigned *bits)
{
	bool compat = n < WORDS * sizeof(uint64_t);
	unsigned nwords = compat ? COMPAT_WORDS : WORDS, k = 0;
	uint64_t value[UREGS_PERF], have = 0;

	*bits = !compat ? 64 : n / 4 >= COMPAT_WORDS ? 32 : 0;
	for (unsigned i = 0; *bits && i < nwords; i++) {
		int reg = compat ? compat_words[i] : words[i];

		if (reg < 0)
			continue;
		value[reg] = compat ? ((const uint32_t *)regs)[i] : ((const uint64_t *)regs)[i];
		have |= 1ull << reg;
	}
	have &= mask;
	for (int reg = 0; reg < UREGS_PERF; reg++)
		if (have >> reg & 1)
			out[k++] = value[reg];
	return have;
}

uint32_t uregs_words(const void *regs, size_t n, uint64_t out[UREGS_MOST])
{
	if (n < WORDS * sizeof *out)
		return 0;
	memcpy(out, regs, WORDS * sizeof *out);
	return WORDS;
}

bool uregs_has(int64_t word)
{
	return word >= 0 && word < WORDS && words[word] >= 0;
}
