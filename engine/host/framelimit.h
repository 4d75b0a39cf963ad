/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The number of frames that the kernel collects (kernel.perf_event_max_stack); 127 if it cannot be read. Errors:
 * none. */
#ifndef ENGINE_HOST_FRAMELIMIT_H
#define ENGINE_HOST_FRAMELIMIT_H

unsigned frame_limit(void);

#endif
