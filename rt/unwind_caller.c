/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which addresses are return addresses (unwind.h): those in code of a file that follow a call, and any in memory whose
 * code was generated, because interpreters there push return addresses themselves, as V8's own functions do. Used by
 * unwind.c.
 */
#include "rt/callsite.h"
#include "rt/unwind.h"

GLOBAL uint64_t unwind_callsite(struct unwind_slot *s, uint64_t pc, uint64_t rule);
GLOBAL uint64_t unwind_exact(struct unwind_slot *s, uint64_t pc);

/* Does code that calls rt_sigreturn(2) begin at an address? */
static inline bool sigreturn_at(uint64_t pc)
{
	uint64_t first = 0;
	uint8_t last = 0;

	if (read_user(&first, sizeof first, (void *)pc) || first != CALLSITE_SIGRETURN_FIRST)
		return false;
	read_user(&last, sizeof last, (void *)(pc + sizeof first));
	return callsite_sigreturn(first, last);
}

/* Coroutines begin with an address that does not follow a call. If a table leads to it, it is the outermost one. A
 * goroutine's is found by the frame pointer, which is 0 there. */
static inline uint64_t entry_rule(struct unwind_slot *s, uint64_t before, uint64_t first)
{
	bool outermost = s->known >> UNWIND_REG_FP & 1 && !s->reg[UNWIND_REG_FP];

	return s->by_table || (outermost && callsite_goexit(before, first)) ? RULES_END : stop(s, UNWIND_INVALID);
}

/* The rule to use for a return address in code of a file that has `rule`; UNWIND_CHECKED: always. Code that is not in
 * memory, as often after a fork, is not checked. */
uint64_t unwind_callsite(struct unwind_slot *s, uint64_t pc, uint64_t rule)
{
	uint64_t before, kind, first = 0;
	uint8_t last = 0;

	if (!s)
		return 0;
	if (read_user(&before, sizeof before, (void *)(pc - CALLSITE_BYTES)) || callsite_call(before))
		return rule | UNWIND_CHECKED;
	kind = map_unwind.rule[rule & (UNWIND_RULES - 1)].kind;
	if (kind == UNWIND_END || kind == UNWIND_SIGNAL || kind == UNWIND_OTHER)
		return rule | UNWIND_CHECKED;
	read_user(&first, sizeof first, (void *)pc);
	read_user(&last, sizeof last, (void *)(pc + sizeof first));
	if (s->word == 8 && callsite_sigreturn(first, last))
		return RULES_SIGRETURN | UNWIND_CHECKED;
	return kind == UNWIND_NONE ? entry_rule(s, before, first) : stop(s, UNWIND_INVALID);
}

/* The rule for the instruction before a return address. UNWIND_RULES: there is none, or it is no return address; then
 * the walk ends. */
uint64_t unwind_caller(struct unwind_slot *s, uint64_t pc)
{
	struct unwind_remembered *r;
	uint64_t rule;

	if (!s)
		return 0;
	r = remembered(s, pc - 1);
	if (r->pc == pc - 1 && r->id == s->space.id && r->rule & UNWIND_CHECKED)
		return r->rule & (UNWIND_RULES - 1);
	rule = unwind_rule(s, pc - 1);
	if (rule >= UNWIND_RULES || rule == RULES_NOWHERE)
		return rule;
	if (rule == RULES_GENERATED || pc - s->space.runtime < s->space.own)
		rule |= UNWIND_CHECKED;
	else
		rule = unwind_callsite(s, pc, rule);
	if (rule & UNWIND_CHECKED)
		r->rule = (uint32_t)rule;
	return rule >= UNWIND_CHECKED ? rule & (UNWIND_RULES - 1) : rule;
}

/* The same without a call, if it is remembered, as most are. */
static inline uint64_t caller_rule(struct unwind_slot *s, uint64_t pc)
{
	const struct unwind_remembered *r = remembered(s, pc - 1);

	if (r->pc == pc - 1 && r->id == s->space.id && r->rule & UNWIND_CHECKED)
		return r->rule & (UNWIND_RULES - 1);
	return unwind_caller(s, pc);
}

/* The rule for the next instruction of a thread, of which all registers are known. A thread that has just begun has no
 * caller on its stack. The tables of glibc have a gap from the system call on that makes threads: the rule before it is
 * that of the caller. The code to which a signal handler returns may have no table. */
uint64_t unwind_exact(struct unwind_slot *s, uint64_t pc)
{
	uint64_t rule, before = 0;

	if (!s)
		return 0;
	rule = unwind_rule(s, pc);
	if (rule >= UNWIND_RULES || s->word != 8 || (rule != RULES_NONE && s->reg[UNWIND_REG_RESULT]))
		return rule;
	read_user(&before, sizeof before, (void *)(pc - CALLSITE_BYTES));
	if (!s->reg[UNWIND_REG_RESULT] && callsite_thread(before, s->reg[UNWIND_REG_SECOND] == s->reg[UNWIND_REG_SP]))
		return RULES_END;
	if (rule != RULES_NONE)
		return rule;
	if (sigreturn_at(pc) || sigreturn_at(pc - CALLSITE_SYSCALL) || sigreturn_at(pc - CALLSITE_SIGRETURN))
		return RULES_SIGRETURN;
	return callsite_syscall(before) ? unwind_rule(s, pc - CALLSITE_INSN - 1) : rule;
}
