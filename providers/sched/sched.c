/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scheduler events. sched_switch(preempted, prev, next) runs as prev. A thread that stays runnable returns to a run
 * queue there; the next one is taken from it. As in DTrace's documentation, a running thread is on no queue.
 */
#include "base/arch/arch.h"
#include "providers/registry.h"
#include "providers/site/site.h"

#define PREV SITE_TASK(1)
#define NEXT SITE_TASK(2)
#define TASK SITE_TASK(0)

/* True if prev returns to its queue: it was preempted, or is still runnable. Idle threads are on no queue. */
#define RUNNABLE PREV "->pid && (_raw0 & 1 || " PREV "->__state == 0)"
/* A thread moves from one run queue to another; this happens only while it waits there. */
#define QUEUED TASK "->on_rq == 2"

#define YIELD "_raw1 == " ARCH_D_YIELD " && !" ARCH_D_COMPAT

/* The clock tick of a CPU is a timer, identified by the function that it calls. An idle CPU has none. */
#define TICK(function) { "hrtimer_expire_entry", \
			 .when = "(uint64_t)((struct hrtimer *)_raw0)->function == (uint64_t)&`" function, \
			 .arg = { "(uint64_t)curthread", "(uint64_t)curthread" } }

#define LWP { .native = "struct task_struct *", .mapped = "lwpsinfo_t *" }
#define PROCESS { .native = "struct task_struct *", .mapped = "psinfo_t *" }
#define CPU { .native = "processorid_t", .mapped = "cpuinfo_t *" }

static const struct site_row rows[] = {
	{ .name = "change-pri", SITES({ "sched_pi_setprio", .arg = { "_raw0", "_raw0",
		"139 - (_raw1 && " SITE_TASK(1) "->prio < " TASK
		"->normal_prio ? " SITE_TASK(1) "->prio : " TASK "->normal_prio)" } }),
	  ARGUMENTS(LWP, PROCESS, { .native = "int" }) },
	{ .name = "dequeue", SITES(
		{ "sched_switch", .when = NEXT "->pid", .arg = { "_raw2", "_raw2", NEXT "->thread_info.cpu" } },
		{ "sched_migrate_task", .when = QUEUED, .arg = { "_raw0", "_raw0", TASK "->thread_info.cpu" } }),
	  ARGUMENTS(LWP, PROCESS, CPU) },
	{ .name = "enqueue", SITES(
		{ "sched_wakeup", .when = "!" TASK "->on_cpu", .arg = { "_raw0", "_raw0", TASK "->thread_info.cpu",
			"0" } },
		{ "sched_wakeup_new", .arg = { "_raw0", "_raw0", TASK "->thread_info.cpu", "0" } },
		{ "sched_switch", .when = RUNNABLE, .arg = { "_raw1", "_raw1", PREV "->thread_info.cpu", "0" } },
		{ "sched_migrate_task", .when = QUEUED, .arg = { "_raw0", "_raw0", "_raw1", "0" } }),
	  ARGUMENTS(LWP, PROCESS, CPU, { .native = "int" }) },
	{ .name = "off-cpu", SITES({ "sched_switch", .arg = { "_raw2", "_raw2" } }), ARGUMENTS(LWP, PROCESS) },
	{ .name = "on-cpu", SITES({ "sched_switch", .task = "_raw2", .task_word = 2 }) },
	{ .name = "preempt", SITES({ "sched_switch", .when = RUNNABLE }) },
	{ .name = "remain-cpu", SITES({ "sched_exit_tp", .when = "!(_raw0 & 1)" }), .has = FACT_CPU_KEPT },
	{ .name = "sleep", SITES({ "sched_switch", .when = "!(_raw0 & 1) && " PREV "->__state & 3" }) },
	{ .name = "surrender", SITES({ "sys_enter", .when = YIELD,
	  .arg = { "(uint64_t)curthread", "(uint64_t)curthread" } }),
	  ARGUMENTS(LWP, PROCESS) },
	{ .name = "tick", SITES(TICK("tick_nohz_handler")), ARGUMENTS(LWP, PROCESS), .lacks = FACT_TICK_SCHED_TIMER },
	{ .name = "tick", SITES(TICK("tick_sched_timer")), ARGUMENTS(LWP, PROCESS), .has = FACT_TICK_SCHED_TIMER },
	{ .name = "wakeup", SITES({ "sched_waking", .arg = { "_raw0", "_raw0" } }), ARGUMENTS(LWP, PROCESS) },
	{ .name = "cpucaps-refused", .never = "Linux has no CPU caps that could refuse" },
	{ .name = "cpucaps-sleep", .never = "Linux has no CPU caps" },
	{ .name = "cpucaps-wakeup", .never = "Linux has no CPU caps" },
};

static const struct provider_sites sched_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows,
};

const struct provider provider_sched = {
	.name = "sched", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late,
	.provide = site_provide, .args = site_args, .sites = &sched_sites, .ctx = site_ctx,
	.attach = site_attach, .detach = site_detach,
	.matching = &(const struct provider_matching){ .exists = site_exists },
};
