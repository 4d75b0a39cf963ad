/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Virtual memory: page faults, I/O of pages, the page daemon. arg0 is the increment, arg1 is 0. */
#include <linux/perf_event.h>

#include "base/arch/arch.h"
#include "providers/registry.h"
#include "providers/site/bio.h"
#include "providers/site/site.h"

/* The number of events or of pages that a firing adds. */
#define ADDS(number) .arg = { number, "0" }
static const struct arg_desc increment[] = { { .native = "uint64_t" }, { .native = "uint64_t *" }, { 0 } };
#define COUNT .arg = increment

/*
 * Page faults of x86: _raw0 is the address, _raw1 the registers, _raw2 the processor's error code (1: the page is
 * present, 2: a write). A read of memory that must not fault, as tracing programs do, is not a fault of the thread.
 */
#define USER_ADDRESS "_raw0 >= 0 && !curthread->pagefault_disabled"
#define ABSENT "!(_raw2 & 1)"
#define PROTECTED_WRITE "(_raw2 & 3) == 3"
/*
 * A write to a protected page is a copy if a page is allocated before the thread leaves the exception. The registers of
 * an exception have no number of a system call: so an allocation in a later system call is not mistaken for it.
 */
#define WRITTEN "_vm_written[(uint64_t)curthread]"
#define NOTE_WRITE "(" PROTECTED_WRITE " ? (" WRITTEN " = _raw1) : " WRITTEN " ? (" WRITTEN " = 0) : 0) && 0"
#define IN_WRITE WRITTEN " && (int)((struct pt_regs *)" WRITTEN ")->orig_ax == -1"

/*
 * Allocations: _raw0 is the page, _raw1 the order, _raw2 the flags. Pages of processes are movable (0x8), zeroed by the
 * allocator (0x100), or if they are huge, later (then with 0x80000). The page cache uses 0x1000 or 0x10000. gfp_types.h
 */
#define PAGES "(1 << (uint32_t)_raw1)"
#define ZEROED "(int32_t)_raw1 >= 0 && curthread->mm != 0 && " \
	"((uint32_t)_raw1 ? (_raw2 & 0x80008) == 0x80008 : (_raw2 & 0x108) == 0x108)"
#define COPIED "(_raw2 & 0x11108) == 0x8"

/* I/O of pages. */
#define QUEUED(condition, number) SITES({ "block_bio_queue", .when = condition, ADDS(number) }), COUNT

/* Inactive pages that were examined: _raw1 their number, _raw2 those that are free now, _raw5: they are of files. */
#define EXAMINED(condition, number) SITES({ "mm_vmscan_lru_shrink_inactive", .when = condition, ADDS(number) }), COUNT

#define NO_EXEC "Linux does not distinguish pages of programs from those of other files: see fspgin, fspgout and fsfree"

static const struct site_row rows[] = {
	{ .name = "anonfree", EXAMINED("_raw2 && !(int)_raw5", "_raw2") },
	{ .name = "anonpgin", QUEUED(BIO_READ " && " BIO_OF_SWAP, BIO_PAGES) },
	{ .name = "anonpgout", QUEUED(BIO_WRITE " && " BIO_OF_SWAP, BIO_PAGES) },
#if ARCH_HAS_FAULT_TRACEPOINTS
	{ .name = "as_fault", SITES({ "page_fault_user", .when = ABSENT, ADDS("1") },
		{ "page_fault_kernel", .when = ABSENT " && " USER_ADDRESS, ADDS("1") }), COUNT },
	{ .name = "cow_fault", SITES({ "page_fault_user", .when = NOTE_WRITE },
		{ "page_fault_kernel", .when = USER_ADDRESS " && (" NOTE_WRITE ")" },
		{ "mm_page_alloc", .when = COPIED " && " IN_WRITE " && (" WRITTEN " = 0) == 0", ADDS(PAGES) }),
	  COUNT },
#else
	{ .name = "as_fault", SITES({ "page-faults", PERF_COUNT_SW_PAGE_FAULTS, ADDS("1") }), COUNT },
	{ .name = "cow_fault", .never = "on this processor, Linux has no tracepoint at page faults; "
		"fbt::wp_page_copy:entry counts copies, where the kernel has kprobes" },
#endif
	{ .name = "dfree", EXAMINED("_raw2", "_raw2") },
	{ .name = "execfree", .never = NO_EXEC },
	{ .name = "execpgin", .never = NO_EXEC },
	{ .name = "execpgout", .never = NO_EXEC },
	{ .name = "fsfree", EXAMINED("_raw2 && (int)_raw5", "_raw2") },
	{ .name = "fspgin", QUEUED(BIO_READ " && " BIO_OF_FILE, BIO_PAGES) },
	{ .name = "fspgout", QUEUED(BIO_WRITE " && " BIO_OF_FILE, BIO_PAGES) },
	{ .name = "hat_fault", .never = "Linux has no separate layer for the hardware's page tables: see as_fault" },
#if ARCH_HAS_FAULT_TRACEPOINTS
	{ .name = "kernel_asflt", SITES({ "page_fault_kernel", .when = "_raw0 < 0", ADDS("1") }), COUNT },
#else
	{ .name = "kernel_asflt", .never = "on this processor, Linux has no tracepoint at page faults of the kernel" },
#endif
	{ .name = "maj_fault", SITES({ "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, ADDS("1") }), COUNT },
	{ .name = "pgfrec", .never = "Linux does not take back pages from its list of free pages" },
	{ .name = "pgin", QUEUED(BIO_READ, "1") },
	{ .name = "pgout", QUEUED(BIO_WRITE, "1") },
	{ .name = "pgpgin", QUEUED(BIO_READ, BIO_PAGES) },
	{ .name = "pgpgout", QUEUED(BIO_WRITE, BIO_PAGES) },
	{ .name = "pgrec", SITES({ "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, ADDS("1") }), COUNT },
	{ .name = "pgrrun", SITES({ "mm_vmscan_kswapd_wake", ADDS("1") }), COUNT },
	{ .name = "pgswapin", QUEUED(BIO_READ " && " BIO_OF_SWAP, BIO_PAGES) },
	{ .name = "pgswapout", QUEUED(BIO_WRITE " && " BIO_OF_SWAP, BIO_PAGES) },
	/* a signal of the processor that says: the mapping forbids it (SEGV_ACCERR), or its key does (SEGV_PKUERR) */
	{ .name = "prot_fault", SITES({ "signal_generate", .when = "_raw0 == 11 && (uint64_t)_raw1 > 1 && "
		"(((struct kernel_siginfo *)_raw1)->si_code == 2 || ((struct kernel_siginfo *)_raw1)->si_code == 4)",
		ADDS("1") }), COUNT },
	{ .name = "rev", .never = "Linux's page daemon has lists of pages, not a clock with a hand: see scan" },
	{ .name = "scan", EXAMINED("_raw1", "_raw1") },
	{ .name = "softlock", .never = "Linux locks pages without faulting on them" },
	{ .name = "swapin", QUEUED(BIO_READ " && " BIO_OF_SWAP, "1") },
	{ .name = "swapout", QUEUED(BIO_WRITE " && " BIO_OF_SWAP, "1") },
	{ .name = "zfod", SITES({ "mm_page_alloc", .when = ZEROED, ADDS(PAGES) }), COUNT },
};

static const struct provider_sites vminfo_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
};

const struct provider provider_vminfo = {
	.name = "vminfo", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .provide = site_provide,
	.args = site_args, .sites = &vminfo_sites, .clock = &site_clock, .ctx = site_ctx, .attach = site_attach,
	.detach = site_detach,
};
