/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a stopped thread (ptrace(2)) shows: its registers and the top of its stack. See tracer.h.
 *
 * Ownership: the caller owns the buffer of the stack. Errors: stopped_read returns false if the thread has ended.
 */
#ifndef ENGINE_SAMPLE_STOPPED_H
#define ENGINE_SAMPLE_STOPPED_H

#include <sys/user.h>

#include "engine/sample/captures.h"
#include "engine/sample/tasks.h"

struct stopped_counts {
	uint64_t stops;			/* threads stopped for a sample */
	uint64_t asleep;		/* of these, threads that had just begun to sleep */
	uint64_t repeated;		/* of these, system calls made again instead of returning EINTR */
	uint64_t interrupted;		/* of these, system calls that returned EINTR */
};

struct stopped {
	struct user_regs_struct regs;	/* `bytes` of NT_PRSTATUS */
	size_t bytes;
	uint64_t pc, sp;
	uint8_t *stack;			/* room for `room` bytes, of which `size` are filled in */
	uint32_t room, size;
};

/* Reads the data of a stopped thread. If it had begun to sleep in a system call that the stop would end with EINTR,
 * prepares it to make the call again. */
bool stopped_read(struct stopped *s, const struct task *t, struct stopped_counts *counts);
/* Stores what is wanted in a capture with room for s->size bytes of data. */
void stopped_store(const struct stopped *s, const struct source_want *w, struct captured *c);

#endif
