/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probes. Layouts of pthread_mutex_t and pthread_rwlock_t: sysdeps/nptl/bits/struct_mutex.h and
 * sysdeps/x86/nptl/bits/struct_rwlock.h of glibc; they are part of its ABI, as static initialisers contain them.
 */
#include <stddef.h>
#include <string.h>

#include "base/arch/arch.h"
#include "providers/plockstat/plockstat.h"

#define ARG0 ARCH_D_ARG0
#define ARG1 ARCH_D_ARG1
#define RESULT ARCH_D_RESULT
#define CALLER ARCH_D_CALLER
#define IS_FUTEX "(int)_raw1 == " ARCH_D_FUTEX " && !" ARCH_D_COMPAT
#define CALL_ARG0 ARCH_D_CALL_ARG0
#define CALL_ARG1 ARCH_D_CALL_ARG1
#define CUR_WRITER "24"

/* ---- functions ---- */
#define MUTEX "mutex"
#define COND "cond"
#define READ "read"
#define WRITE "write"
#define UNLOCK "unlock"
#define RWUNLOCK "rwunlock"
#define RETURN(kind) kind ":return"

static const char *const mutex_functions[] = {
	"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock", NULL
};
static const char *const cond_functions[] = {
	"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", NULL
};
static const char *const read_functions[] = {
	"pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock",
	"pthread_rwlock_clockrdlock", NULL
};
static const char *const write_functions[] = {
	"pthread_rwlock_wrlock", "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock",
	"pthread_rwlock_clockwrlock", NULL
};
static const char *const unlock_functions[] = { "pthread_mutex_unlock", NULL };
static const char *const rwunlock_functions[] = { "pthread_rwlock_unlock", NULL };

static const struct plock_place places[] = {
	{ MUTEX, mutex_functions, false }, { RETURN(MUTEX), mutex_functions, true },
	{ COND, cond_functions, false }, { RETURN(COND), cond_functions, true },
	{ READ, read_functions, false }, { RETURN(READ), read_functions, true },
	{ WRITE, write_functions, false }, { RETURN(WRITE), write_functions, true },
	{ UNLOCK, unlock_functions, false }, { RWUNLOCK, rwunlock_functions, false },
};

const struct plock_place *plock_place_of(const char *kind)
{
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strcmp(places[i].kind, kind))
			return &places[i];
	return NULL;
}

/* ---- the state of a thread in a function ---- */
/* The lock; bit 0: for a writer; bit 1: the thread has begun to sleep. Each probe has a variable of its own, because
 * the order of programs at one instruction is not defined. All of them set the same address of the caller. */
#define FROM "self->_plock_from"
#define BEGIN(kind, v, value) { .at = kind, .ctx = IR_C_UPROBE, \
	.when = "(self->" v " = " value ", " FROM " = " CALLER ", 0)" }
#define LOCK(v) "self->" v " & ~3ull"
#define IS_WRITER(v) "self->" v " & 1"
#define ASLEEP(v) "self->" v " & 2"
#define FORGET(kind, v) { .at = RETURN(kind), .ctx = IR_C_UPROBE, .when = "self->" v " && (self->" v " = 0, 0)" }

/* FUTEX_WAIT 0, FUTEX_LOCK_PI 6, FUTEX_WAIT_BITSET 9, FUTEX_LOCK_PI2 13: on one of the first words of the lock. */
#define SLEEPS(v) "self->" v " && !(" ASLEEP(v) ") && " IS_FUTEX " && " CALL_ARG0 " - (" LOCK(v) ") < 16 && " \
	"0x2241 >> (" CALL_ARG1 " & 127) & 1"
/* The assignment's value is not 0. */
#define FALLS_ASLEEP(v, result) SLEEPS(v) " && (self->" v " = self->" v " | 2, " result ")"
#define FUTEX(v, result, ...) { .at = "sys_enter", .ctx = IR_C_RAWTP, .when = FALLS_ASLEEP(v, result), ## __VA_ARGS__ }

/* ---- fields of locks ---- */
#define FIELD(lock, off) "*(userland uint32_t *)(" lock " + " off ")"
#define COUNT(lock) FIELD(lock, "4")
#define OWNER(lock) FIELD(lock, "8")
#define KIND(lock) FIELD(lock, "16")
/* The thread's ID in its innermost name space, which owners of locks are compared with. */
#define SELF "curthread->thread_pid->numbers[curthread->thread_pid->level].nr"
#define IS_RECURSIVE(lock) "(" KIND(lock) " & 3) == 1"
/* How often a recursive mutex is locked, minus 1; 0: it is another mutex. */
#define DEPTH(lock) IS_RECURSIVE(lock) " ? " COUNT(lock) " - 1 : 0"
/* Plain and adaptive mutexes do not check who unlocks them; others refuse it. */
#define MAY_UNLOCK(lock) "((" KIND(lock) " & 127) == 0 || (" KIND(lock) " & 127) == 3 || " OWNER(lock) " == " SELF ")"

/* ---- results: 130 is EOWNERDEAD, with which the lock is acquired ---- */
#define ACQUIRED "(" RESULT " == 0 || " RESULT " == 130)"
/* pthread_cond_wait() has its mutex again whatever the result, except EPERM: then it has not released it. */
#define COND_ACQUIRED RESULT " != 1"
#define END(kind, v, condition, ...) { .at = RETURN(kind), .ctx = IR_C_UPROBE, .when = "self->" v " && " condition, \
	.arg = { LOCK(v), __VA_ARGS__ } }

#define LOCK_ARG { .native = "userland void *" }
#define INT_ARG { .native = "int" }
#define SPINS "glibc spins only for adaptive mutexes, inside its functions"

const struct plock_row plock_rows[] = {
	{ .name = "mutex-acquire", {
		BEGIN(MUTEX, "_plock_ma", ARG0), BEGIN(COND, "_plock_ma", ARG1),
		END(MUTEX, "_plock_ma", ACQUIRED, DEPTH("(" LOCK("_plock_ma") ")"), "0", FROM),
		END(COND, "_plock_ma", COND_ACQUIRED, "0", "0", FROM),
	  }, { LOCK_ARG, INT_ARG, INT_ARG } },
	{ .name = "mutex-block", {
		BEGIN(MUTEX, "_plock_mb", ARG0), BEGIN(COND, "_plock_mb", ARG1),
		FUTEX("_plock_mb", "1", .arg = { LOCK("_plock_mb"), "0", "0", FROM }),
		FORGET(MUTEX, "_plock_mb"), FORGET(COND, "_plock_mb"),
	  }, { LOCK_ARG } },
	{ .name = "mutex-blocked", {
		BEGIN(MUTEX, "_plock_md", ARG0), BEGIN(COND, "_plock_md", ARG1), FUTEX("_plock_md", "0"),
		END(MUTEX, "_plock_md", ASLEEP("_plock_md"), ACQUIRED, "0", FROM),
		END(COND, "_plock_md", ASLEEP("_plock_md"), "1", "0", FROM),
	  }, { LOCK_ARG, INT_ARG }, .first = true },
	{ .name = "mutex-error", {
		BEGIN(MUTEX, "_plock_me", ARG0), END(MUTEX, "_plock_me", "!" ACQUIRED, RESULT, "0", FROM),
	  }, { LOCK_ARG, INT_ARG } },
	{ .name = "mutex-release", {
		{ .at = UNLOCK, .ctx = IR_C_UPROBE, .when = MAY_UNLOCK(ARG0),
		  .arg = { ARG0, DEPTH(ARG0), "0", CALLER } },
		{ .at = COND, .ctx = IR_C_UPROBE, .when = MAY_UNLOCK(ARG1),
		  .arg = { ARG1, "0", "0", CALLER } },
	  }, { LOCK_ARG, INT_ARG } },
	{ .name = "rw-acquire", {
		BEGIN(READ, "_plock_ra", ARG0), BEGIN(WRITE, "_plock_ra", ARG0 " | 1"),
		END(READ, "_plock_ra", ACQUIRED, "0", "0", FROM),
		END(WRITE, "_plock_ra", ACQUIRED, "1", "0", FROM),
	  }, { LOCK_ARG, INT_ARG } },
	{ .name = "rw-block", {
		BEGIN(READ, "_plock_rb", ARG0), BEGIN(WRITE, "_plock_rb", ARG0 " | 1"),
		FUTEX("_plock_rb", "1", .arg = { LOCK("_plock_rb"), IS_WRITER("_plock_rb"), "0", FROM }),
		FORGET(READ, "_plock_rb"), FORGET(WRITE, "_plock_rb"),
	  }, { LOCK_ARG, INT_ARG } },
	{ .name = "rw-blocked", {
		BEGIN(READ, "_plock_rd", ARG0), BEGIN(WRITE, "_plock_rd", ARG0 " | 1"), FUTEX("_plock_rd", "0"),
		END(READ, "_plock_rd", ASLEEP("_plock_rd"), "0", ACQUIRED, FROM),
		END(WRITE, "_plock_rd", ASLEEP("_plock_rd"), "1", ACQUIRED, FROM),
	  }, { LOCK_ARG, INT_ARG, INT_ARG }, .first = true },
	{ .name = "rw-error", {
		BEGIN(READ, "_plock_re", ARG0), BEGIN(WRITE, "_plock_re", ARG0 " | 1"),
		END(READ, "_plock_re", "!" ACQUIRED, "0", RESULT, FROM),
		END(WRITE, "_plock_re", "!" ACQUIRED, "1", RESULT, FROM),
	  }, { LOCK_ARG, INT_ARG, INT_ARG } },
	{ .name = "rw-release", {
		{ .at = RWUNLOCK, .ctx = IR_C_UPROBE, .arg = { ARG0, FIELD(ARG0, CUR_WRITER) " != 0", "0", CALLER } },
	  }, { LOCK_ARG, INT_ARG } },
	{ .name = "mutex-spin", .never = SPINS }, { .name = "mutex-spun", .never = SPINS },
	{ .name = NULL },
};
