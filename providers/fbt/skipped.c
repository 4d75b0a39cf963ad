/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of the kernel that patterns leave out. */
#include <string.h>

#include "providers/fbt/fbt.h"

static const char *const skipped[] = {
	/* what programs of probes call, and what runs them: such firings would be lost as nested */
	"bpf_*", "__bpf_*", "___bpf_*", "*kprobe_multi*", "trace_call_bpf", "bsearch", "migrate_disable",
	"migrate_enable", "array_map_*", "percpu_array_map_*", "htab_*", "__htab_*", "*pcpu_freelist*",
	"task_storage_*", "irq_work_queue", "ktime_get_*fast_ns", "copy_from_kernel_nofault*",
	"copy_from_user_nofault", "strncpy_from_*_nofault", "get_perf_callchain", "perf_callchain_*", "unwind_*",
	"__unwind_start", "*orc_find*", "get_stack_info", "stack_access_ok", "*kernel_text_address",
	"is_*_text_address",
	/* RCU, which runs before and after each program, and idle CPUs, on which it does not watch */
	"rcu_*", "__rcu_*", "srcu_*", "__srcu_*", "*default_idle", "arch_cpu_idle", "mwait_idle", "acpi_safe_halt",
	"acpi_processor_ffh_cstate_enter",
	/* probes and tracing themselves, and what changes the kernel's code */
	"*kprobe*", "*fprobe*", "*rethook*", "*ftrace*", "text_poke*", "poke_*", "arch_*text_poke*",
	/* non-maskable interrupts, breakpoints, entries to the kernel */
	"nmi_*", "*_nmi", "*_nmi_*", "exc_*", "irqentry_*", "ct_*", "context_tracking_*", "do_int3*", "notify_die",
	"atomic_notifier_call_chain",
};

bool fbt_is_skipped(const struct fbt_function *f)
{
	if (strcmp(f->module, "vmlinux"))
		return false;
	for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
		if (probe_glob(skipped[i], f->name))
			return true;
	return false;
}
