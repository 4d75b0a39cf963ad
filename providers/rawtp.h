/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Raw tracepoints: the attach points of syscall, sdt, sched and proc. A program there keeps no sample of the profile
 * provider from running, as one on a perf event's tracepoint would.
 *
 * Ownership: a descriptor belongs to who opened it; closing it detaches.
 * Errors: opening: -errno and a sentence in `why`.
 */
#ifndef PROVIDERS_RAWTP_H
#define PROVIDERS_RAWTP_H

#include <stddef.h>

/* Runs the program at a tracepoint (NULL: the one that it was loaded for) from now on. A descriptor, or -errno. */
int rawtp_open(const char *name, int prog_fd, char *why, size_t n);

#endif
