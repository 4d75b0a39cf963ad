/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hardware breakpoints: perf events of the type PERF_TYPE_BREAKPOINT. Some para-virtualised machines open them and
 * never fire them, so a breakpoint is trusted only after one has fired.
 *
 * Ownership: the caller's. Errors: -errno.
 */
#ifndef PROVIDERS_BREAKPOINT_H
#define PROVIDERS_BREAKPOINT_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Returns the attribute, disabled, of a breakpoint that fires in user mode only. kind: HW_BREAKPOINT_X, _W or _RW. */
struct perf_event_attr breakpoint_attr(unsigned kind, uint64_t addr, uint64_t length);

/*
 * Tries a breakpoint of this kind on code or data of this process, in the calling thread. Returns 1 if it fires; 0 if
 * it can be opened, but does not fire; -errno if it cannot be opened. Takes about 0.1 ms.
 */
int breakpoint_fires(unsigned kind);

#endif
