/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `dtr why` has counted, by thread: times in states, and waits with what ended them.
 *
 * Ownership: the arena. Errors: -1 after a message.
 */
#ifndef CMD_DTR_WHY_TABLE_H
#define CMD_DTR_WHY_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "cmd/dtr/why/state.h"

struct dtr;

/* Two times of a thread in one state are one, whatever their detail. */
struct why_time {
	struct why_state state;
	int64_t ns;
};

/* A process ID << 32 | a thread's: a thread. Smaller numbers: an interrupt (why_interrupt_text). */
typedef uint64_t why_id;

/* How often, and for how long in all, a thread was blocked in a state until `by` woke it. */
struct why_wait {
	const struct why_thread *thread;
	struct why_state state;
	uint64_t object;		/* address of the lock; 0: none */
	why_id by;
	bool by_waited;			/* the waker had been blocked meanwhile: */
	struct why_state by_last;
	int64_t ns, times;
};

struct why_thread {
	why_id id;
	const char *name;		/* NULL: unknown */
	VEC(struct why_sum { uint32_t state; int64_t ns; }) sums;	/* as counted */
	VEC(struct why_time) times;	/* the longest first */
	int64_t of_class[WHY_CLASSES];
	int64_t whole;			/* ns: the sum of the times */
};

struct why_table {
	struct arena *arena;
	int64_t elapsed;		/* ns */
	VEC(struct why_thread *) threads;	/* the busiest first, `counted` of them; then those that are only known
					 * to have woken others */
	size_t counted;
	VEC(struct why_wait) waits;	/* the longest first */
	/* Before the session: the threads of the target and their states. */
	VEC(struct why_before { why_id id; const char *name; uint32_t state; }) before;
	bool command;			/* a command: its threads have no time before their first event */
};

/* Reads from /proc what the threads of a process do now. A process that has ended has none. */
void why_look(struct why_table *t, pid_t pid);
void why_look_all(struct why_table *t);	/* of all processes */
/* Fills the table from the aggregations of the session, which has ended. only: a thread; 0: all. */
int why_read(struct why_table *t, struct dtr *session, pid_t only);
/* The name of a thread that was seen; NULL: unknown. */
const char *why_name(const struct why_table *t, why_id id);
/* Appends what an interrupt was: "a timer". */
void why_interrupt_text(struct buf *out, why_id by);

#endif
