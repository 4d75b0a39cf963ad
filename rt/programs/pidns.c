/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program that says how deep the PID name space of the current thread is nested (engine/bpf/pidns_level.h). */
#include "rt/programs/kernel.h"

NUMBER(task_thread_pid);

/* Returns the level; 0: the initial name space. */
int program_pidns_level(void *ctx)
{
	(void)ctx;
	return (int)kernel_u32(kernel_u64(bpf_get_current_task() + K(task_thread_pid)) + K(pid_level));
}
