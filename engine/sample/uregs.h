/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers of a process from perf events, in the order of struct pt_regs.
 *
 * Ownership: nothing is kept. Errors: none; registers that perf does not provide are 0.
 */
#ifndef ENGINE_SAMPLE_UREGS_H
#define ENGINE_SAMPLE_UREGS_H

#include <stdbool.h>
#include <stdint.h>

enum { UREGS_MOST = 40 };

/* The registers to request (perf_event_attr.sample_regs_user). */
uint64_t uregs_mask(void);
/* Converts sampled registers, which are those of `mask`, in order. Returns the number of words in `out`. */
uint32_t uregs_take(uint64_t mask, const uint64_t *regs, uint64_t out[UREGS_MOST]);
/* True if perf provides this word of struct pt_regs. */
bool uregs_has(int64_t word);

#endif
