/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sampling by ptrace(2): a thread of this process traces the target's threads, those of its children included. In each
 * round it stops the threads that run and have used CPU time for a firing, reads their registers and the top of their
 * stacks, and lets them continue. A sample weighs the CPU time that its thread has used since the last one.
 *
 * PTRACE_INTERRUPT ends the sleep of a thread that begins to sleep at that moment. Most system calls then go on by
 * themselves; those that would return EINTR are made again by the tracer, unless a signal waits (signal(7), "never
 * restarted"). A time limit of theirs begins anew.
 *
 * A command that another thread of this process traces since its exec is taken over stopped, so that nothing of it is
 * missed.
 *
 * If this process dies, the kernel lets all threads run untraced.
 *
 * Ownership: the caller owns the captures; tracer_close ends everything else (idempotent).
 * Errors: tracer_open and tracer_start return -errno with the reason.
 */
#ifndef ENGINE_SAMPLE_TRACER_H
#define ENGINE_SAMPLE_TRACER_H

#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "engine/sample/captures.h"
#include "engine/sample/stopped.h"
#include "engine/sample/tasks.h"

struct tracer {
	const struct source_want *want;
	pid_t owner;			/* the process that has the thread */
	struct captures *out;
	struct tasks tasks;		/* of the tracing thread, while it runs */
	const uint64_t *interval;	/* of each rate, ns */
	unsigned nrates;
	uint64_t round;			/* ns between two rounds */
	_Atomic unsigned *slower;	/* by rate: a sample is taken when so many firings are due */
	_Atomic bool slowed;		/* that has changed, and with it the length of a round */
	_Atomic uint64_t stood;		/* for how long threads have stood still, ns */
	uint64_t seen;			/* when the present stop was reported */
	bool own;			/* the target is a child of this process */
	bool held;			/* it was traced since its exec, and comes stopped (dtr_traces) */
	bool found;			/* at least one thread is or was traced */
	uint64_t timed_at;		/* when the timer was started, whose periods are rounds */
	uint64_t due, searched;		/* when the next round is due; when threads were searched */
	uint32_t process;		/* the last one that a search has seen, and does it report its new threads? */
	bool reports;
	double *total;			/* by rate: firings due of the threads that have ended */
	uint64_t ended;			/* their number */
	unsigned short seed[3];
	int most_fd;			/* descriptors of threads are kept up to this number */
	struct stopped_counts counts;
	uint64_t unprivileged;		/* programs executed without the privileges of their files */
	uint64_t refused;		/* threads that could not be traced */
	pthread_t thread;
	sem_t searched_first;		/* what may be traced is traced */
	bool waits;			/* a thread cannot be traced yet, because its process executes a program */
	_Atomic bool stop;
	bool running, armed, timed;	/* the thread; its timer's signal has a handler; it has a timer */
	int signal;
	struct sigaction before;
	timer_t timer;
	uint8_t *stack;			/* copies of stacks: `room` bytes */
	uint32_t room;
};

/* Checks that the target may be traced. */
int tracer_open(struct tracer *t, const struct source_want *w, char *reason, size_t n);
/* Begins, and returns when all threads are traced that may be. `out` receives the items. interval: nrates of them,
 * which must stay valid. */
int tracer_start(struct tracer *t, struct captures *out, const uint64_t *interval, unsigned nrates, char *reason,
		 size_t n);
/* After tracer_start: a sample of this rate is taken when so many firings are due. Rounds are less often, too. */
void tracer_slow(struct tracer *t, unsigned rate, unsigned factor);
/* Ends it: the last items are in the captures, the target runs on. Idempotent. */
void tracer_stop(struct tracer *t);
void tracer_close(struct tracer *t);
/* After tracer_stop: the firings due of a rate. */
double tracer_due(const struct tracer *t, unsigned rate);

#endif
