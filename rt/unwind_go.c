/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From one of Go's stacks to the one on which the code was called (rt/go.h). Used by unwind.c.
 *
 * A pointer that does not lead back ends the walk. A goroutine that is not the thread's any more has no part in the
 * stack: it is complete without.
 */
#include "rt/go_thread.h"
#include "rt/unwind.h"

GLOBAL uint64_t unwind_go(struct unwind_slot *s, uint64_t number);

/* The caller is on another stack: its return address, its stack pointer, its frame pointer. 0: that is not known. */
INLINE void go_settle(struct unwind_slot *s, uint64_t pc, uint64_t sp, uint64_t fp)
{
	s->reg[UNWIND_REG_FP] = fp;
	s->known = 1 << UNWIND_REG_SP | 1 << UNWIND_REG_PC | (fp ? 1 << UNWIND_REG_FP : 0);
	s->by_table = 1;
	if (!sp)
		s->how = UNWIND_BROKEN;
	settle(s, pc, sp, true);
	s->exact = 0;
}

/* The caller of a function with a frame of `depth` bytes, the return address included. */
INLINE void go_return(struct unwind_slot *s, uint64_t sp, uint64_t depth, uint64_t fp)
{
	go_settle(s, sp ? unwind_word(s, sp + depth - 8) : 0, sp ? sp + depth : 0, fp);
}

INLINE void go_systemstack(struct unwind_slot *s, const struct go_thread *t, uint64_t depth)
{
	uint64_t sp = go_word(t->g + GO_G_SCHED + GO_BUF_SP), fp = go_word(t->g + t->bp);

	if (!sp && s->exact) {		/* it is about to return, on the old stack */
		sp = s->reg[UNWIND_REG_SP];
		fp = 0;
	}
	go_return(s, sp, depth, depth == 8 ? fp : 0);
}

INLINE void go_asmcgocall(struct unwind_slot *s, const struct go_thread *t, uint64_t at, uint64_t depth)
{
	uint64_t g = unwind_word(s, at), sp = unwind_word(s, at - 8);

	if (g && g == t->g)
		sp = go_word(g + GO_G_HI) - sp;
	else if (g)
		sp = 0;
	go_return(s, s->exact ? 0 : sp, depth, 0);
}

INLINE void go_cgocallback(struct unwind_slot *s, const struct go_thread *t, uint64_t depth)
{
	uint64_t sp = s->go_sp ? s->go_sp : go_word(go_word(t->m + GO_M_G0) + GO_G_SCHED + GO_BUF_SP);

	s->go_sp = sp ? unwind_word(s, sp) : 0;
	go_return(s, sp, depth, sp ? unwind_word(s, sp + depth - 16) : 0);
}

/* Has the thread left the goroutine that called mcall or morestack? */
INLINE bool go_left(struct unwind_slot *s, const struct go_thread *t, uint64_t kind)
{
	if (kind == GO_MORESTACK)
		return !t->g || !(s->known >> 15 & 1);
	return kind == GO_MCALL && (!t->g || unwind_word(s, s->reg[UNWIND_REG_SP]) != t->g);
}

uint64_t unwind_go(struct unwind_slot *s, uint64_t number)
{
	const struct unwind_bpf_rule *r = &map_unwind.rule[number & (UNWIND_RULES - 1)];
	uint64_t depth = (uint32_t)r->off, kind = r->reg, g;
	struct go_thread t;

	if (!s)
		return 0;
	g = go_current(thread_data());
	if (kind == GO_ASMCGOCALL && !g)	/* it was not found */
		g = unwind_word(s, s->reg[UNWIND_REG_SP] + (uint32_t)r->add);
	t = go_thread(g);
	if (!t.m)
		s->how = UNWIND_BROKEN;
	else if (go_left(s, &t, kind))
		s->how = s->fault ? UNWIND_UNREADABLE : s->exact ? UNWIND_BROKEN : UNWIND_COMPLETE;
	else if (!t.g)
		s->how = UNWIND_BROKEN;
	else if (kind == GO_SYSTEMSTACK)
		go_systemstack(s, &t, depth);
	else if (kind == GO_ASMCGOCALL)
		go_asmcgocall(s, &t, s->reg[UNWIND_REG_SP] + (uint32_t)r->add, depth);
	else if (kind == GO_CGOCALLBACK)
		go_cgocallback(s, &t, depth);
	else
		go_settle(s, go_word(t.g + GO_G_SCHED + GO_BUF_PC), go_word(t.g + GO_G_SCHED + GO_BUF_SP),
			  go_word(t.g + t.bp));
	return 0;
}
