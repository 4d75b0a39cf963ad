/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits for locks of the kernel. The kernel reports contention_begin(lock, flags) when a thread begins to wait, again
 * if it then waits in another way, and contention_end(lock, ret). The probes fire at the end, as in DTrace.
 *
 * The state of a wait (in the prelude) belongs to a probe, a lock and a thread. Interrupts use the thread that they
 * interrupt, but never wait for the same lock: that wait would not end. The exception is a lock that begins with the
 * spinlock that protects it (struct semaphore): a thread that is woken up may spin there, at the same address.
 */
#include "providers/registry.h"
#include "providers/site/site.h"

/* Flags: LCB_F_SPIN 1, LCB_F_READ 2, LCB_F_WRITE 4, LCB_F_PERCPU 16, LCB_F_MUTEX 32. */
#define FLAGS(mask) "(_raw1 & " #mask ")"
#define SPINS FLAGS(39) " == 1"			/* for a spinlock */
#define SPINS_RW FLAGS(1) " && " FLAGS(6)	/* for an rwlock_t */
#define SLEEPS_RW "!" FLAGS(1) " && " FLAGS(6)	/* for a semaphore for readers and writers */
#define SPINS_MUTEX FLAGS(33) " == 33"		/* for a mutex whose owner is running */
#define SLEEPS FLAGS(7) " == 0"			/* for a mutex or a semaphore */

/* The probes, as keys of the state. */
#define BLOCK "1"
#define SPIN "2"
#define SPINLOCK "3"
#define RW "4"
#define RWLOCK "5"

/*
 * since: when the current wait began; before: how long earlier ones of the same acquisition took; took: the result, for
 * the arguments. Programs of a probe do not interrupt each other on a CPU.
 */
#define WAIT(probe) "[" probe ", _raw0, (uint64_t)curthread]"
#define SINCE(probe) "_lock_since" WAIT(probe)
#define BEFORE(probe) "_lock_before" WAIT(probe)
#define INNER(probe) "_lock_inner" WAIT(probe)
#define TOOK(probe) "_lock_took[" probe ", cpu]"
#define PASSED(probe) "timestamp - " SINCE(probe)

/* A wait that a signal or a time limit ends does not acquire the lock. */
#define ACQUIRED "(int)_raw1 == 0"
#define ARGS(probe) { "_raw0", TOOK(probe) }

/* Their conditions compute times. */
#define BEGINS "contention_begin", .timed = true
#define ENDS "contention_end", .timed = true

/* Locks for which threads wait in only one way. */
#define BEGIN(probe, kind) { BEGINS, .when = kind " && (" SINCE(probe) " = timestamp, 0)" }
#define TAKE(probe) TOOK(probe) " = " PASSED(probe) ", " SINCE(probe) " = 0"
#define END(probe) { ENDS, .when = SINCE(probe) " && (" TAKE(probe) ", " ACQUIRED ")", \
	.arg = ARGS(probe) }

/* Threads wait for a mutex in two ways in turn; only the last wait has an end. */
#define ADD(probe) BEFORE(probe) " = " BEFORE(probe) " + (" SINCE(probe) " ? " PASSED(probe) " : 0)"
#define TURN(probe, this, other) { BEGINS, .when = this " ? (" SINCE(probe) " = timestamp, 0) : " \
	SINCE(probe) " && (" other " ? (" ADD(probe) ", " SINCE(probe) " = 0, 0) : (" INNER(probe) " = 1, 0))" }
#define TAKE_SUM(probe) ADD(probe) ", " TOOK(probe) " = " BEFORE(probe) ", " SINCE(probe) " = 0, " BEFORE(probe) " = 0"
#define END_TURNS(probe) { ENDS, .when = "(" SINCE(probe) " || " BEFORE(probe) ") && (" INNER(probe) \
	" ? (" INNER(probe) " = 0, 0) : (" TAKE_SUM(probe) ", " ACQUIRED "))", .arg = ARGS(probe) }

/*
 * Locks for readers and writers: `before` has what is known when the wait begins. Bit 0: a reader waits; the rest is
 * the counter of an rw_semaphore. There bit 0 is set if a writer has it; from bit 8 on, it counts the readers.
 */
#define COUNTER "((struct rw_semaphore *)_raw0)->count.counter"
#define BEGIN_RW(probe, kind, holders) { BEGINS, .when = kind " && (" SINCE(probe) " = timestamp, " \
	BEFORE(probe) " = " FLAGS(2) " >> 1" holders ", 0)" }
#define HOW(probe) "_lock_how[" probe ", cpu]"
#define END_RW(probe, ...) { ENDS, .when = SINCE(probe) " && (" TAKE(probe) ", " HOW(probe) " = " \
	BEFORE(probe) ", " BEFORE(probe) " = 0, " ACQUIRED ")", \
	.arg = { "_raw0", TOOK(probe), HOW(probe) " & 1", ## __VA_ARGS__ } }

#define ARG(type) { .native = type }
#define UNCONTENDED "Linux reports a lock only when a thread waits for it; where the kernel has kprobes, fbt traces " \
	"the functions of locks"

static const struct site_row rows[] = {
	{ .name = "adaptive-block", SITES(TURN(BLOCK, SLEEPS, SPINS_MUTEX), END_TURNS(BLOCK)),
	  ARGUMENTS(ARG("struct mutex *"), ARG("uint64_t")) },
	{ .name = "adaptive-spin", SITES(TURN(SPIN, SPINS_MUTEX, SLEEPS), END_TURNS(SPIN)),
	  ARGUMENTS(ARG("struct mutex *"), ARG("uint64_t")) },
	{ .name = "rw-block", SITES(BEGIN_RW(RW, SLEEPS_RW, " | (" FLAGS(24) " ? 0 : " COUNTER " << 1)"),
			END_RW(RW, HOW(RW) " >> 1 & 1", HOW(RW) " >> 9")),
	  ARGUMENTS(ARG("struct rw_semaphore *"), ARG("uint64_t"), ARG("int"), ARG("int"), ARG("uint64_t")) },
	{ .name = "rw-spin", SITES(BEGIN_RW(RWLOCK, SPINS_RW, ""), END_RW(RWLOCK)),
	  ARGUMENTS(ARG("struct qrwlock *"), ARG("uint64_t"), ARG("int")) },
	{ .name = "spin-spin", SITES(BEGIN(SPINLOCK, SPINS), END(SPINLOCK)),
	  ARGUMENTS(ARG("struct qspinlock *"), ARG("uint64_t")) },
	{ .name = "adaptive-acquire", .never = UNCONTENDED }, { .name = "adaptive-release", .never = UNCONTENDED },
	{ .name = "rw-acquire", .never = UNCONTENDED }, { .name = "rw-release", .never = UNCONTENDED },
	{ .name = "spin-acquire", .never = UNCONTENDED }, { .name = "spin-release", .never = UNCONTENDED },
	{ .name = "rw-downgrade", .never = UNCONTENDED },
	{ .name = "rw-upgrade", .never = "on Linux a reader cannot become the writer" },
	{ .name = "thread-spin", .never = "Linux has no thread locks; a thread's spinlocks are those of spin-spin" },
};

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.args = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
};

/* Functions that sleep or wait for locks are next to each other: .sched.text and .spinlock.text. */
static const struct provider_sites lockstat_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
	.inside = "(uint64_t)&`__sched_text_start", .outside = "(uint64_t)&`__lock_text_end",
};

const struct provider provider_lockstat = {
	.name = "lockstat", .attr = &attr, .enumerate = site_enumerate, .late = site_late, .provide = site_provide,
	.args = site_args, .sites = &lockstat_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
