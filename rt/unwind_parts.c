/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of stacks that are handed over (unwind.h): what the copy in the handover does not contain, because the stack is
 * deep, or because a signal handler runs on another stack. Which memory is copied is only a guess: user space uses the
 * words that it needs, and a stack lacks frames if one is missing. Used by unwind.c.
 */
#include "rt/unwind.h"

GLOBAL uint64_t unwind_part(struct unwind_slot *s, uint64_t i);
GLOBAL uint64_t unwind_parts_choose(struct unwind_slot *s);
GLOBAL uint64_t unwind_parts(struct unwind_slot *s, uint64_t flags);

#define PARTS_BYTES (UNWIND_PARTS * (uint64_t)UNWIND_COPY)
enum { DEEPEST = 64 << 20 };		/* a distance from the end of a stack that is not part of the stack */
enum { RING_USED = 0 };			/* BPF_RB_AVAIL_DATA */

/* Copies part number i, page by page. */
uint64_t unwind_part(struct unwind_slot *s, uint64_t i)
{
	struct unwind_stack_part *p;

	if (!s || i >= s->nparts)
		return 0;
	p = ring_reserve(&map_unwind_ring, sizeof *p + UNWIND_COPY, 0);
	if (!p)
		return 0;
	p->number = s->parts;
	p->time = time_ns();
	p->pid = s->space.pid;
	p->why = UNWIND_PART;
	p->addr = s->parts_from + i * UNWIND_COPY;
	p->pages = 0;
	UNROLL
	for (uint64_t k = 0; k < UNWIND_COPY / PAGE; k++)
		if (!read_user(p->stack + k * PAGE, PAGE, (void *)(p->addr + k * PAGE)))
			p->pages |= 1ull << k;
	ring_submit(p, 0);
	return 0;
}

/* True if the thread runs on its alternate signal stack. */
static inline bool on_other_stack(uint64_t sp)
{
	uint64_t start = 0, size = 0;

	if (!map_unwind.signal_stack || !map_unwind.signal_size)
		return false;
	read_kernel(&start, sizeof start, (void *)(task() + map_unwind.signal_stack));
	read_kernel(&size, sizeof size, (void *)(task() + map_unwind.signal_size));
	return sp - start <= size;
}

/* The end of the thread's own stack, or 0. */
static inline uint64_t own_end(void)
{
	uint64_t id = pid_tgid();

	return (uint32_t)id == id >> 32 ? first_stack_end() : thread_data();
}

/* Chooses what the copy of UNWIND_COPY bytes does not contain: s->nparts parts from s->parts_from on. */
uint64_t unwind_parts_choose(struct unwind_slot *s)
{
	uint64_t sp, end, from;

	if (!s)
		return 0;
	s->nparts = 0;
	if (!regs_take(s))
		return 0;
	sp = s->reg[UNWIND_REG_SP];
	if (stack_left(sp) + UNWIND_BELOW <= UNWIND_COPY_MEDIUM)
		return 0;
	end = own_end();
	if (on_other_stack(sp)) {
		s->parts_from = ((end + PAGE - 1) & ~(PAGE - 1)) - UNWIND_PARTS_OTHER * (uint64_t)UNWIND_COPY;
		s->nparts = end > PARTS_BYTES ? UNWIND_PARTS_OTHER : 0;
		return 0;
	}
	from = ((sp - UNWIND_BELOW) & ~(PAGE - 1)) + UNWIND_COPY;
	if (end <= from || end - from > DEEPEST)
		return 0;
	s->parts_from = from;
	s->nparts = (end - from + UNWIND_COPY - 1) / UNWIND_COPY;
	return 0;
}

/* Sends the parts of a stack that is going to be handed over, if its frames are wanted. Stores their number in
 * s->parts; 0: there are none. */
uint64_t unwind_parts(struct unwind_slot *s, uint64_t flags)
{
	if (!s)
		return 0;
	s->parts = 0;
	if (flags & UNWIND_NOW)
		return 0;
	unwind_parts_choose(s);
	/* half of the ring is for stacks without parts */
	if (!s->nparts || ring_query(&map_unwind_ring, RING_USED) > UNWIND_RING / 2)
		return 0;
	s->parts = __sync_fetch_and_add(&map_unwind.parts, 1) + 1;
	UNROLL
	for (uint64_t i = 0; i < UNWIND_PARTS; i++)
		unwind_part(s, i);
	return 0;
}
