/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Activity of the system: what sar and mpstat count. arg0 is the increment, arg1 is 0. */
#include "base/arch/arch.h"
#include "providers/registry.h"
#include "providers/site/bio.h"
#include "providers/site/site.h"
#include "providers/site/syscalls.h"

#define ADDS(number) .arg = { number, "0" }
static const struct arg_desc increment[] = { { .native = "uint64_t" }, { .native = "uint64_t *" }, { 0 } };
#define COUNT .arg = increment

#define ENTERS(calls) SITES({ "sys_enter", .when = calls, ADDS("1") }), COUNT
/* Results are numbers of bytes. */
#define TRANSFERS(calls) SITES({ "sys_exit", .when = "_raw1 > 0 && (" calls " || " COPIES ")", ADDS("_raw1") }), COUNT
#define QUEUED(condition) SITES({ "block_bio_queue", .when = condition, ADDS("1") }), COUNT

#define PREV SITE_TASK(1)
/* A new process, not a thread or a thread of the kernel; with its parent's memory: vfork(), posix_spawn(). */
#define PROCESS SITE_TASK(1) "->pid == " SITE_TASK(1) "->tgid && " SITE_TASK(1) "->mm != 0"
#define SHARES SITE_TASK(1) "->mm == " SITE_TASK(0) "->mm"

/* contention_begin: _raw1 are flags: 1 spins, 2 reads, 4 writes, 32 a mutex. A mutex spins before it sleeps. */
#define CONTENDS(condition) SITES({ "contention_begin", .when = condition, ADDS("1") }), COUNT

/* A signal for an exception of the processor that is not a page fault: SIGILL, SIGTRAP, SIGBUS, SIGFPE. */
#define EXCEPTION "(_raw0 == 4 || _raw0 == 5 || _raw0 == 7 || _raw0 == 8) && (uint64_t)_raw1 > 1 && " \
	"((struct kernel_siginfo *)_raw1)->si_code > 0 && ((struct kernel_siginfo *)_raw1)->si_code < 0x80 && " \
	"_raw2 == (int64_t)curthread"

#define NO_TICKS "Linux does not count by a clock here: sample with profile-N"
#define NO_UFS "Linux has no UFS; sdt has tracepoints of ext4, btrfs and xfs"
#define NO_TTY "Linux has no tracepoint in terminals; where it has kprobes, fbt has functions such as n_tty_read"
#define NO_SERIAL "Linux has no tracepoint in serial ports: see sdt:::irq_handler_entry"
#define MODULES "/proc/modules"

static const struct site_row rows[] = {
	{ .name = "bawrite", QUEUED(BIO_WRITE " && !(" BIO_DIRECT ") && !(" BIO_SYNC ")") },
	{ .name = "bread", QUEUED(BIO_READ " && !(" BIO_DIRECT ")") },
	{ .name = "bwrite", QUEUED(BIO_WRITE " && !(" BIO_DIRECT ")") },
	{ .name = "canch", .never = NO_TTY },
	{ .name = "cpu_ticks_idle", .never = NO_TICKS },
	{ .name = "cpu_ticks_kernel", .never = NO_TICKS },
	{ .name = "cpu_ticks_user", .never = NO_TICKS },
	{ .name = "cpu_ticks_wait", .never = NO_TICKS },
	/* the thread that moves, not the one that wakes it */
	{ .name = "cpumigrate", SITES({ "sched_migrate_task", .task = "_raw0", .task_word = 0, ADDS("1") }), COUNT },
	/* not at the switch, where it might come before sched:::on-cpu; -1: leaves an idle state */
	{ .name = "idlethread", SITES({ "cpu_idle", .when = "(int32_t)_raw0 != -1", ADDS("1") }), COUNT },
	{ .name = "intrblk", .never = "Linux's interrupt handlers do not block; those that are threads (irq/...) "
		"are in sched:::off-cpu" },
	{ .name = "inv_swtch", SITES({ "sched_switch", .when = PREV "->pid && (_raw0 & 1 || " PREV "->__state == 0)",
		ADDS("1") }), COUNT },
	{ .name = "lread", SITES({ "block_touch_buffer", ADDS("1") }), COUNT },
	{ .name = "lwrite", SITES({ "block_dirty_buffer", ADDS("1") }), COUNT },
	{ .name = "mdmint", .never = NO_SERIAL },
	{ .name = "modload", SITES({ "module_load", .needs = MODULES, ADDS("1") }), COUNT },
	{ .name = "modunload", SITES({ "module_free", .needs = MODULES, ADDS("1") }), COUNT },
	{ .name = "msg", ENTERS(MESSAGES) },
	{ .name = "mutex_adenters", CONTENDS("(_raw1 & 33) == 33") },
	{ .name = "namei", .never = "Linux has no tracepoint for it; where it has kprobes, fbt::filename_lookup:entry "
		"and fbt::path_openat:entry" },
	{ .name = "nthreads", SITES({ "sched_process_fork", ADDS("1") }), COUNT },
	{ .name = "outch", .never = NO_TTY },
	{ .name = "phread", QUEUED(BIO_READ " && " BIO_DIRECT) },
	{ .name = "phwrite", QUEUED(BIO_WRITE " && " BIO_DIRECT) },
	{ .name = "procovf", SITES({ "sys_exit", .when = "_raw1 == -11 && " FORK, ADDS("1") }), COUNT },
	{ .name = "pswitch", SITES({ "sched_switch", ADDS("1") }), COUNT },
	{ .name = "rawch", .never = NO_TTY },
	{ .name = "rcvint", .never = NO_SERIAL },
	{ .name = "readch", TRANSFERS(READS) },
	{ .name = "rw_rdfails", CONTENDS("_raw1 & 2") },
	{ .name = "rw_wrfails", CONTENDS("_raw1 & 4") },
	{ .name = "sema", ENTERS(SEMAPHORES) },
	{ .name = "sysexec", ENTERS(EXEC) },
	{ .name = "sysfork", SITES({ "sched_process_fork", .when = PROCESS " && !(" SHARES ")", ADDS("1") }), COUNT },
	{ .name = "sysread", ENTERS(READS) },
	{ .name = "sysvfork", SITES({ "sched_process_fork", .when = PROCESS " && " SHARES, ADDS("1") }), COUNT },
	{ .name = "syswrite", ENTERS(WRITES) },
#if ARCH_HAS_FAULT_TRACEPOINTS
	{ .name = "trap", SITES({ "page_fault_user", ADDS("1") }, { "page_fault_kernel", ADDS("1") },
		{ "signal_generate", .when = EXCEPTION, ADDS("1") }), COUNT },
#else
	{ .name = "trap", .never = "on this processor, Linux has no tracepoint at exceptions: see vminfo:::as_fault" },
#endif
	{ .name = "ufsdirblk", .never = NO_UFS },
	{ .name = "ufsiget", .never = NO_UFS },
	{ .name = "ufsinopage", .never = NO_UFS },
	{ .name = "ufsipage", .never = NO_UFS },
	{ .name = "wait_ticks_io", .never = NO_TICKS },
	{ .name = "writech", TRANSFERS(WRITES) },
	{ .name = "xcalls", SITES({ "csd_queue_cpu", ADDS("1") }), COUNT, .has = FACT_CPU_CALLED },
#if ARCH_HAS_IPI_TRACEPOINTS
	/* on the CPU that is called */
	{ .name = "xcalls", SITES({ "call_function_entry", ADDS("1") }, { "call_function_single_entry", ADDS("1") }),
	  COUNT, .lacks = FACT_CPU_CALLED },
#endif
	{ .name = "xmtint", .never = NO_SERIAL },
};

static const struct provider_sites sysinfo_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows,
};

const struct provider provider_sysinfo = {
	.name = "sysinfo", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late,
	.provide = site_provide, .args = site_args, .sites = &sysinfo_sites, .ctx = site_ctx,
	.attach = site_attach, .detach = site_detach,
	.matching = &(const struct provider_matching){ .exists = site_exists },
};
