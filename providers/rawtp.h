/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Raw tracepoints: the attach points of syscall, sdt, sched and proc. Unlike programs on tracepoint perf events, these
 * programs do not prevent samples of the profile provider.
 *
 * Ownership: the caller owns the descriptor; closing it detaches the program. Errors: rawtp_open returns -errno with a
 * sentence in reason[n].
 */
#ifndef PROVIDERS_RAWTP_H
#define PROVIDERS_RAWTP_H

#include <stddef.h>

/* Attaches the program to a tracepoint (NULL: the one for which it was loaded). Returns a descriptor, or -errno. */
int rawtp_open(const char *name, int prog_fd, char *reason, size_t n);

#endif
