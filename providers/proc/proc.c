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
	{ "create", { { "sched_process_fork", .when = LEADER(1), .arg = { "_raw1" } } }, { PROCESS }, NULL, 0, 0 },
	{ "exec", { { "sys_enter", .when = EXEC, .arg = { PATH } } }, { { .native = "userland char *" } }, NULL, 0, 0 },
	{ "exec-failure", { { "sys_exit", .when = "_raw1 < 0 && " EXEC, .arg = { "-_raw1" } } }, { NUMBER }, NULL, 0,
	  0 },
	{ "exec-success", { { .at = "sched_process_exec" } }, { { .native = NULL } }, NULL, 0, 0 },
	{ "exit", { { "sched_process_exit", .when = "_raw1 & 0xff", .arg = { HOW } } }, { NUMBER }, NULL,
	  FACT_EXIT_LAST, 0 },
	/* two threads that end at once may both see no live thread: neither has left the process yet */
	{ "exit", { { "sched_process_exit", .when = SITE_TASK(0) "->signal->live.counter == 0",
		.once = SITE_TASK(0) "->signal->nr_threads > 1", .arg = { HOW } } },
	  { NUMBER }, NULL, 0, FACT_EXIT_LAST },
	{ "fault", { { "signal_generate", .when = FAULT, .arg = { FAULT_CODE, "_raw1" } } }, { NUMBER, SIGINFO }, NULL,
	  0, 0 },
	{ "lwp-create", { { "sched_process_fork", .arg = { "_raw1", "_raw1" } } }, { LWP, PROCESS }, NULL, 0, 0 },
	{ "lwp-exit", { { .at = "sched_process_exit" } }, { { .native = NULL } }, NULL, 0, 0 },
	{ "lwp-start", { { "sys_exit", .when = "_raw1 == 0 && " FORK } }, { { .native = NULL } }, NULL, 0, 0 },
	{ "signal-clear", { { "sys_exit", .when = "_raw1 > 0 && " SIGWAIT, .arg = { "_raw1" } } }, { NUMBER }, NULL, 0,
	  0 },
	{ "signal-discard", { { "signal_generate", .when = "(int)_raw4 == 1", .arg = { SIGNALLED } } },
	  { LWP, PROCESS, NUMBER }, NULL, 0, 0 },
	{ "signal-handle", { { "signal_deliver", .when = HANDLER " != 1 && (!(" IS_END ") || " DEADLY " != 0)",
		.arg = { IS_END " ? " DEADLY " : _raw0", "_raw1", HANDLER } } },
	  { NUMBER, SIGINFO, { .native = "uintptr_t" } }, NULL, 0, 0 },
	{ "signal-send", { { "signal_generate", .arg = { SIGNALLED } } }, { LWP, PROCESS, NUMBER }, NULL, 0, 0 },
	{ "start", { { "sys_exit", .when = "_raw1 == 0 && curthread->pid == curthread->tgid && " FORK } },
	  { { .native = NULL } }, NULL, 0, 0 },
};

static const struct provider_sites proc_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows,
};

const struct provider provider_proc = {
	.name = "proc", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .args = site_args,
	.sites = &proc_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
