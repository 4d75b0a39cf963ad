/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process's registers as perf events give them, in the order of struct pt_regs.
 *
 * Ownership: nothing is kept. Errors: none; what perf does not give is 0.
 */
#ifndef ENGINE_SAMPLE_UREGS_H
#define ENGINE_SAMPLE_UREGS_H

#include <stdbool.h>
#include <stdint.h>

enum { UREGS_MOST = 40 };

/* Which registers to ask for (perf_event_attr.sample_regs_user). */
uint64_t uregs_mask(void);
/* Registers that were sampled, those of `mask`, one after the other. Returns how many words *out has. */
uint32_t uregs_take(uint64_t mask, const uint64_t *regs, uint64_t out[UREGS_MOST]);
/* Does perf give this word of struct pt_regs? */
bool uregs_has(int64_t word);

#endif
