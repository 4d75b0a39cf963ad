/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plockstat - for which locks a program waits, how long it holds them
 *
 * usage: dtr plockstat [-A | -C | -H] [-e PERIOD] {PID | -c COMMAND | COMMAND ...}
 *
 * Prints a row for each mutex or readers/writer lock and function that wanted it: how often threads blocked (waited
 * asleep) for it, or held it, the mean and the sum of the times in nanoseconds, the lock and the function.
 *
 *   -A = $1=0		where threads block, and how long they hold locks (the default)
 *   -C = $1=1		only where they block
 *   -H = $1=2		only how long they hold locks
 *   -e PERIOD = $2	end after this time: 5 (seconds), 500ms (default: with the program)
 *   PID = -p PID
 *   [COMMAND] = -c COMMAND
 */
#pragma D option quiet
#pragma D option zdefs
#pragma D option tailreturn
#pragma D option defaultargs
#pragma D option argdefaults=0,1d
#pragma D option aggsortrev
#pragma D option dynvarsize=16m
/* The lock that the thread wants: 1: a mutex; 2, 3: for a reader, a writer; from where; since when it sleeps. */
self uint64_t lock, from, asleep;
self int kind;
/* By the address of a lock: how often the thread has it, since when, of which kind, from where. */
self int times[uint64_t], kinds[uint64_t];
self uint64_t since[uint64_t], caller[uint64_t];
inline string blocks = self->kind == 1 ? "mutex-block" : self->kind == 2 ? "reader-block" : "writer-block";
inline string holds = self->kinds[arg0] == 1 ? "mutex-hold" : self->kinds[arg0] == 2 ? "reader-hold" : "writer-hold";

pid$target::pthread_cond_wait:entry, pid$target::pthread_cond_timedwait:entry,
pid$target::pthread_cond_clockwait:entry	/* they release the mutex, and acquire it again */
/$1 != 1 && self->times[arg1]/
{
	@count["mutex-hold", arg1, uaddr(self->caller[arg1])] = count();
	@mean["mutex-hold", arg1, uaddr(self->caller[arg1])] = avg(timestamp - self->since[arg1]);
	@sum["mutex-hold", arg1, uaddr(self->caller[arg1])] = sum(timestamp - self->since[arg1]);
	self->times[arg1] = 0;
}

pid$target::pthread_mutex_unlock:entry, pid$target::pthread_rwlock_unlock:entry
/self->times[arg0] && --self->times[arg0] == 0/
{
	@count[holds, arg0, uaddr(self->caller[arg0])] = count();
	@mean[holds, arg0, uaddr(self->caller[arg0])] = avg(timestamp - self->since[arg0]);
	@sum[holds, arg0, uaddr(self->caller[arg0])] = sum(timestamp - self->since[arg0]);
	self->since[arg0] = self->caller[arg0] = self->kinds[arg0] = 0;
}

pid$target::pthread_mutex_lock:entry, pid$target::pthread_mutex_trylock:entry,
pid$target::pthread_mutex_timedlock:entry, pid$target::pthread_mutex_clocklock:entry
{ self->lock = arg0; self->kind = 1; }
pid$target::pthread_rwlock_rdlock:entry, pid$target::pthread_rwlock_tryrdlock:entry,
pid$target::pthread_rwlock_timedrdlock:entry, pid$target::pthread_rwlock_clockrdlock:entry
{ self->lock = arg0; self->kind = 2; }
pid$target::pthread_rwlock_wrlock:entry, pid$target::pthread_rwlock_trywrlock:entry,
pid$target::pthread_rwlock_timedwrlock:entry, pid$target::pthread_rwlock_clockwrlock:entry
{ self->lock = arg0; self->kind = 3; }
pid$target::pthread_cond_wait:entry, pid$target::pthread_cond_timedwait:entry,
pid$target::pthread_cond_clockwait:entry { self->lock = arg1; self->kind = 1; }
pid$target::pthread_mutex_lock:entry, pid$target::pthread_mutex_trylock:entry,
pid$target::pthread_mutex_timedlock:entry, pid$target::pthread_mutex_clocklock:entry,
pid$target::pthread_rwlock_rdlock:entry, pid$target::pthread_rwlock_tryrdlock:entry,
pid$target::pthread_rwlock_timedrdlock:entry, pid$target::pthread_rwlock_clockrdlock:entry,
pid$target::pthread_rwlock_wrlock:entry, pid$target::pthread_rwlock_trywrlock:entry,
pid$target::pthread_rwlock_timedwrlock:entry, pid$target::pthread_rwlock_clockwrlock:entry,
pid$target::pthread_cond_wait:entry, pid$target::pthread_cond_timedwait:entry,
pid$target::pthread_cond_clockwait:entry { self->from = ucaller; self->asleep = 0; }

syscall::futex:entry	/* FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2: on a word of the lock */
/self->lock && !self->asleep && arg0 - self->lock < 48 && 1 << (arg1 & 63) & 0x2241/
{
	self->asleep = timestamp;
}

pid$target::pthread_mutex_lock:return, pid$target::pthread_mutex_trylock:return,
pid$target::pthread_mutex_timedlock:return, pid$target::pthread_mutex_clocklock:return,
pid$target::pthread_rwlock_rdlock:return, pid$target::pthread_rwlock_tryrdlock:return,
pid$target::pthread_rwlock_timedrdlock:return, pid$target::pthread_rwlock_clockrdlock:return,
pid$target::pthread_rwlock_wrlock:return, pid$target::pthread_rwlock_trywrlock:return,
pid$target::pthread_rwlock_timedwrlock:return, pid$target::pthread_rwlock_clockwrlock:return,
pid$target::pthread_cond_wait:return, pid$target::pthread_cond_timedwait:return,
pid$target::pthread_cond_clockwait:return
/$1 != 2 && self->lock && self->asleep/
{
	@count[blocks, self->lock, uaddr(self->from)] = count();
	@mean[blocks, self->lock, uaddr(self->from)] = avg(timestamp - self->asleep);
	@sum[blocks, self->lock, uaddr(self->from)] = sum(timestamp - self->asleep);
}

pid$target::pthread_cond_wait:return, pid$target::pthread_cond_timedwait:return,
pid$target::pthread_cond_clockwait:return { self->kind = -1; }	/* whatever the result, the mutex is acquired */
pid$target::pthread_mutex_lock:return, pid$target::pthread_mutex_trylock:return,
pid$target::pthread_mutex_timedlock:return, pid$target::pthread_mutex_clocklock:return,
pid$target::pthread_rwlock_rdlock:return, pid$target::pthread_rwlock_tryrdlock:return,
pid$target::pthread_rwlock_timedrdlock:return, pid$target::pthread_rwlock_clockrdlock:return,
pid$target::pthread_rwlock_wrlock:return, pid$target::pthread_rwlock_trywrlock:return,
pid$target::pthread_rwlock_timedwrlock:return, pid$target::pthread_rwlock_clockwrlock:return,
pid$target::pthread_cond_wait:return, pid$target::pthread_cond_timedwait:return,
pid$target::pthread_cond_clockwait:return	/* 130: EOWNERDEAD */
/$1 != 1 && self->lock && (self->kind < 0 || (int)arg1 == 0 || (int)arg1 == 130) && self->times[self->lock]++ == 0/
{
	self->since[self->lock] = timestamp;
	self->caller[self->lock] = self->from;
	self->kinds[self->lock] = self->kind < 0 ? 1 : self->kind;
}
pid$target::pthread_mutex_lock:return, pid$target::pthread_mutex_trylock:return,
pid$target::pthread_mutex_timedlock:return, pid$target::pthread_mutex_clocklock:return,
pid$target::pthread_rwlock_rdlock:return, pid$target::pthread_rwlock_tryrdlock:return,
pid$target::pthread_rwlock_timedrdlock:return, pid$target::pthread_rwlock_clockrdlock:return,
pid$target::pthread_rwlock_wrlock:return, pid$target::pthread_rwlock_trywrlock:return,
pid$target::pthread_rwlock_timedwrlock:return, pid$target::pthread_rwlock_clockwrlock:return,
pid$target::pthread_cond_wait:return, pid$target::pthread_cond_timedwait:return,
pid$target::pthread_cond_clockwait:return { self->lock = 0; self->asleep = 0; }

tick-$2 { exit(0); }
END
{
	printf("  COUNT    MEAN ns      TOTAL ns %-12s %-16s %s\n", "EVENT", "LOCK", "CALLER");
	printa("%@7d %@10d %@13d %-12s %-16p %A\n", @count, @mean, @sum);
}
