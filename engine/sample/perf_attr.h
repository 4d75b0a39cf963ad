/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes that all perf events of a session with samples share.
 * Ownership: plain data. Errors: see perf_try_unwind.
 */
#ifndef ENGINE_SAMPLE_PERF_ATTR_H
#define ENGINE_SAMPLE_PERF_ATTR_H

#include <linux/perf_event.h>

#include <stdint.h>

/* The trailer of every record that is not a sample (sample_id in perf_event_open(2), as perf_attr_init requests it). */
struct perf_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
	uint64_t id;
};

/* Sets the common attributes. */
void perf_attr_init(struct perf_event_attr *a);
/* Requests data for unwinding: registers and `bytes` of the stack. */
void perf_attr_unwind(struct perf_event_attr *a, uint32_t bytes);
/* Checks whether events support these data. Returns 0 or -errno. */
int perf_try_unwind(uint32_t bytes);

#endif
