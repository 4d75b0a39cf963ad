/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PTRACE_SEIZE that a signal ends. It waits until the thread's process has executed a program, and that may wait until
 * this thread lets all others of the process end. Ownership: none. Errors: see seize_thread.
 */
#ifndef ENGINE_SAMPLE_SEIZE_H
#define ENGINE_SAMPLE_SEIZE_H

#include <stdint.h>

/* Traces a thread with these options (PTRACE_O_*). Returns 0 or the error of ptrace(2); EAGAIN: a signal that
 * seize_end handles came before. */
int seize_thread(uint32_t tid, uintptr_t options);
/* The handler of the signal. Otherwise it does nothing. */
void seize_end(int signal);

#endif
