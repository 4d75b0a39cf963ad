/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/uregs.h"

#include <asm/perf_regs.h>

/* By word of struct pt_regs: perf's number of the register, or -1. */
static const int8_t words[] = {
#if defined(__x86_64__)
	PERF_REG_X86_R15, PERF_REG_X86_R14, PERF_REG_X86_R13, PERF_REG_X86_R12, PERF_REG_X86_BP, PERF_REG_X86_BX,
	PERF_REG_X86_R11, PERF_REG_X86_R10, PERF_REG_X86_R9, PERF_REG_X86_R8, PERF_REG_X86_AX, PERF_REG_X86_CX,
	PERF_REG_X86_DX, PERF_REG_X86_SI, PERF_REG_X86_DI, -1, PERF_REG_X86_IP, PERF_REG_X86_CS, PERF_REG_X86_FLAGS,
	PERF_REG_X86_SP, PERF_REG_X86_SS,
#elif defined(__aarch64__)
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
	PERF_REG_ARM64_LR, PERF_REG_ARM64_SP, PERF_REG_ARM64_PC, -1,
#else
	-1,
#endif
};

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
