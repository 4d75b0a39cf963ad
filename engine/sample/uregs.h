/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers of a process from perf events, in the order of struct pt_regs; and those of a stopped thread, in the order
 * of perf events.
 *
 * Ownership: nothing is kept. Errors: none; registers that perf does not provide are 0.
 */
#ifndef ENGINE_SAMPLE_UREGS_H
#define ENGINE_SAMPLE_UREGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UREGS_MOST = 40 };

/* The registers to request (perf_event_attr.sample_regs_user). */
uint64_t uregs_mask(void);
/* Converts sampled registers, which are those of `mask`, in order. Returns the number of words in `out`. */
uint32_t uregs_take(uint64_t mask, const uint64_t *regs, uint64_t out[UREGS_MOST]);
/* Stores the registers of a stopped thread (n bytes of NT_PRSTATUS, aligned) as a perf sample has them: those of
 * `mask`, in the order of their numbers. Returns the mask of those that exist. *bits: of a word, 64 or 32; 0: not
 * known. */
enum { UREGS_PERF = 64 };
uint64_t uregs_stopped(const void *regs, size_t n, uint64_t mask, uint64_t out[UREGS_PERF], unsigned *bits);
/* The words of struct pt_regs of a stopped 64-bit thread. Returns their number. */
uint32_t uregs_words(const void *regs, size_t n, uint64_t out[UREGS_MOST]);
/* True if perf provides this word of struct pt_regs. */
bool uregs_has(int64_t word);

#endif
