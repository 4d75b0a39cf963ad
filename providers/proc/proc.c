/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creation and end of processes and threads, and signals. */
#include "providers/registry.h"
#include "providers/site/site.h"
#include "providers/site/syscalls.h"

#define LEADER(word) SITE_TASK(word) "->pid == " SITE_TASK(word) "->tgid"
#define SIGNALLED "_raw2", "_raw2", "_raw0"
/* True if the processor caused the signal: the kernel reports that (si_code > 0) for the current thread. SIGILL 4,
 * SIGTRAP 5, SIGBUS 7, SIGFPE 8, SIGSEGV 11 */
#define FAULT "(uint64_t)_raw1 > 1 && ((struct kernel_siginfo *)_raw1)->si_code > 0 && " \
	"((struct kernel_siginfo *)_raw1)->si_code < 0x80 && _raw2 == (int64_t)curthread && " \
	"(_raw0 == 4 || _raw0 == 5 || _raw0 == 7 || _raw0 == 8 || _raw0 == 11)"
/* FLTILL 1, FLTBPT 3, FLTACCESS 5, FLTBOUNDS 6, FLTFPE 9 */
#define FAULT_CODE "(_raw0 == 4 ? 1 : _raw0 == 5 ? 3 : _raw0 == 7 ? 5 : _raw0 == 8 ? 9 : 6)"
/*
 * How the process ended: CLD_EXITED 1, CLD_KILLED 2, CLD_DUMPED 3. If the whole group exits (SIGNAL_GROUP_EXIT 4), the
 * group's exit code overrides the firing thread's.
 */
#define CODE "(" SITE_TASK(0) "->signal->flags & 4 ? " SITE_TASK(0) "->signal->group_exit_code : " \
	SITE_TASK(0) "->exit_code)"
#define HOW "(" CODE " & 0x80 ? 3 : " CODE " & 0x7f ? 2 : 1)"

/*
 * The kernel ends the other threads of a process with a SIGKILL without details, also on exit() and exec(), and all
 * threads if a signal's default action is to end the process: the low bits of the exit code are that signal.
 */
#define IS_END "_raw0 == 9 && _raw1 == 0"
#define DEADLY "(curthread->signal->flags & 4 ? curthread->signal->group_exit_code & 0x7f : 0)"
#define HANDLER "(uint64_t)((struct k_sigaction *)_raw2)->sa.sa_handler"

#define LWP { .native = "struct task_struct *", .mapped = "lwpsinfo_t *" }
#define PROCESS { .native = "struct task_struct *", .mapped = "psinfo_t *" }
#define SIGINFO { .native = "struct kernel_siginfo *", .mapped = "siginfo_t *" }
#define NUMBER { .native = "int" }

static const struct site_row rows[] = {
	{ .name = "create", SITES({ "sched_process_fork", .when = LEADER(1), .arg = { "_raw1" } }),
	  ARGUMENTS(PROCESS) },
	{ .name = "exec", SITES({ "sys_enter", .when = EXEC, .arg = { PATH } }),
	  ARGUMENTS({ .native = "userland char *" }) },
	{ .name = "exec-failure", SITES({ "sys_exit", .when = "_raw1 < 0 && " EXEC, .arg = { "-_raw1" } }),
	  ARGUMENTS(NUMBER) },
	{ .name = "exec-success", SITES({ .at = "sched_process_exec" }) },
	{ .name = "exit", SITES({ "sched_process_exit", .when = "_raw1 & 0xff", .arg = { HOW } }),
	  ARGUMENTS(NUMBER), .has = FACT_EXIT_LAST },
	/* two threads that end at once may both see no live thread: neither has left the process yet */
	{ .name = "exit", SITES({ "sched_process_exit", .when = SITE_TASK(0) "->signal->live.counter == 0",
		.once = SITE_TASK(0) "->signal->nr_threads > 1", .arg = { HOW } }),
	  ARGUMENTS(NUMBER), .lacks = FACT_EXIT_LAST },
	{ .name = "fault", SITES({ "signal_generate", .when = FAULT, .arg = { FAULT_CODE, "_raw1" } }),
	  ARGUMENTS(NUMBER, SIGINFO) },
	{ .name = "lwp-create", SITES({ "sched_process_fork", .arg = { "_raw1", "_raw1" } }), ARGUMENTS(LWP, PROCESS) },
	{ .name = "lwp-exit", SITES({ .at = "sched_process_exit" }) },
	{ .name = "lwp-start", SITES({ "sys_exit", .when = "_raw1 == 0 && " FORK }) },
	{ .name = "signal-clear", SITES({ "sys_exit", .when = "_raw1 > 0 && " SIGWAIT, .arg = { "_raw1" } }),
	  ARGUMENTS(NUMBER) },
	{ .name = "signal-discard", SITES({ "signal_generate", .when = "(int)_raw4 == 1", .arg = { SIGNALLED } }),
	  ARGUMENTS(LWP, PROCESS, NUMBER) },
	{ .name = "signal-handle", SITES({ "signal_deliver",
		.when = HANDLER " != 1 && (!(" IS_END ") || " DEADLY " != 0)",
		.arg = { IS_END " ? " DEADLY " : _raw0", "_raw1", HANDLER } }),
	  ARGUMENTS(NUMBER, SIGINFO, { .native = "uintptr_t" }) },
	{ .name = "signal-send", SITES({ "signal_generate", .arg = { SIGNALLED } }), ARGUMENTS(LWP, PROCESS, NUMBER) },
	{ .name = "start", SITES({ "sys_exit", .when = "_raw1 == 0 && curthread->pid == curthread->tgid && " FORK }) },
};

static const struct provider_sites proc_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows,
};

const struct provider provider_proc = {
	.name = "proc", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .args = site_args,
	.sites = &proc_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
