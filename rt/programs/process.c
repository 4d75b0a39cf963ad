/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that follow processes: those that maintain the table of families (engine/bpf/families.h), and those that
 * report that a process has executed a program, or that its dynamic linker has loaded files (engine/bpf/processes.h).
 */
#include "rt/programs/kernel.h"
#include "rt/programs/process.h"

extern uint16_t map_families[];		/* by process ID */
extern char map_processes;

/* Offsets in task_struct and signal_struct. */
NUMBER(task_pid);
NUMBER(task_tgid);
NUMBER(task_thread_pid);
NUMBER(task_signal);
NUMBER(signal_live);

/* The process that is meant, or the family if this is not 0; the signal that stops it, or 0. */
NUMBER(process);
NUMBER(family);
NUMBER(stop);
NUMBER(program_counter);		/* its offset in struct pt_regs */

/* The number of a process's family; 0: none. */
static inline uint16_t *family_of(uint32_t pid)
{
	return &map_families[pid & (PROCESS_IDS - 1)];
}

/* The new process has not run yet. ctx: the current thread, the new one. */
int program_family_fork(const uint64_t *ctx)
{
	uint64_t task = ctx[1];
	uint32_t child = kernel_u32(task + K(task_tgid));
	struct thread_ids ids;
	uint16_t family;

	if (!current_ids(&ids))
		return 0;
	family = *family_of(ids.tgid);
	if (!family)
		return 0;
	if (kernel_u32(task + K(task_pid)) != child)
		return 0;	/* a thread */
	if (K(pidns_ino) && !id_in_name_space(kernel_u64(task + K(task_thread_pid)), &child))
		return 0;
	*family_of(child) = family;
	return 0;
}

int program_family_exit(const uint64_t *ctx)
{
	struct thread_ids ids;
	uint16_t *family;

	(void)ctx;
	if (!current_ids(&ids))
		return 0;
	family = family_of(ids.tgid);
	if (!*family)
		return 0;
	/* other threads may still run */
	if (!kernel_u32(kernel_u64(bpf_get_current_task() + K(task_signal)) + K(signal_live)))
		*family = 0;
	return 0;
}

/* Whether the current process is meant; its ID in *pid. */
static inline bool is_followed(uint32_t *pid)
{
	struct thread_ids ids;

	if (!current_ids(&ids))
		return false;
	*pid = ids.tgid;
	return K(family) ? *family_of(ids.tgid) == K(family) : ids.tgid == K(process);
}

/* The signal comes before the report is visible: the consumer answers it with SIGCONT. Without room for the report, the
 * process is not stopped. */
static inline void report_process(uint32_t pid)
{
	struct process_report *r = bpf_ringbuf_reserve(&map_processes, sizeof *r, 0);

	if (!r)
		return;
	r->pid = pid;
	if (K(stop))
		bpf_send_signal(K(stop));
	bpf_ringbuf_submit(r, FORCE_WAKEUP);
}

int program_process_exec(void *ctx)
{
	uint32_t pid;

	(void)ctx;
	if (is_followed(&pid))
		report_process(pid);
	return 0;
}

/* Reports only if the linker has finished: the word that says so is at a known distance from the instruction. */
int program_process_linker(void *ctx)
{
	uint64_t pc = kernel_u64((uint64_t)ctx + K(program_counter));
	uint32_t pid, busy = 0;

	if (!is_followed(&pid))
		return 0;
	bpf_probe_read_user(&busy, sizeof busy, (const void *)(pc + bpf_get_attach_cookie(ctx)));
	if (!busy)
		report_process(pid);
	return 0;
}
