/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The start of every kernel test: can this process load BPF programs and open perf events?
 * Nothing is left behind; nothing can fail.
 */
#ifndef TESTS_LIB_KERNEL_H
#define TESTS_LIB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* True if so; else `why` says what is missing. Tries it instead of checking user IDs. */
bool kernel_can_trace(char *why, size_t n);

/* First line of a kernel test's main(): prints TAP's "1..0 # SKIP why" and returns true if the test has to be
 * skipped. */
bool kernel_skip(void);
/* The same for tests of what needs the kernel's type information. */
bool kernel_skip_untyped(void);
/* True if the kernel shows its type information. */
bool kernel_typed(void);

/* Starts a child that spins on `cpu` (-1: anywhere) until it is killed; returns its PID when it spins. It dies with its
 * parent. */
pid_t spin_start(int cpu);
/* Ends and reaps a child started here. */
void spin_stop(pid_t pid);

#endif
