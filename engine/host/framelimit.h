/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many frames of a stack the kernel collects. What can fail: nothing; 127 where the kernel does not say. */
#ifndef ENGINE_HOST_FRAMELIMIT_H
#define ENGINE_HOST_FRAMELIMIT_H

unsigned frame_limit(void);

#endif
