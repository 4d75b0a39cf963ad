/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the stack of a thread to that of its goroutine, by made structures of Go: each change, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "rt/go.h"
#include "tests/lib/walker.h"

uint64_t unwind_go(struct unwind_slot *s, uint64_t number);

enum { RULE = RULES_FIRST, WORDS = 512, R15 = 15 };
enum { BASE = 0x10000, TLS = BASE + 64, M = BASE + 256, G0 = BASE + 1024, G = BASE + 2048, FIRST = BASE + 3072,
       SECOND = BASE + 3584, PC = 0x401234, OUTER = 0x405678, DEPTH = 40, PLACE = 48 };

struct go_memory {
	uint64_t word[WORDS];
	uint64_t bp, curg;		/* offsets */
};

static uint64_t *at(struct go_memory *m, uint64_t addr)
{
	return &m->word[(addr - BASE) / 8];
}

/* A thread on its own stack (FIRST) that runs G, whose stack is SECOND. */
static void memory_make(struct go_memory *m, bool newer)
{
	memset(m->word, 0, sizeof m->word);
	m->bp = newer ? GO_BUF_BP_NEW : GO_BUF_BP;
	m->curg = newer ? GO_M_CURG_NEW : GO_M_CURG;
	*at(m, TLS + (uint64_t)GO_TLS) = G0;
	*at(m, G0 + GO_G_M) = *at(m, G + GO_G_M) = M;
	*at(m, M + GO_M_G0) = G0;
	*at(m, M + m->curg) = G;
	*at(m, G + GO_G_HI) = SECOND + 512;
	*at(m, G + GO_G_SCHED + GO_BUF_SP) = SECOND;
	*at(m, G + GO_G_SCHED + GO_BUF_PC) = PC;
	*at(m, G + GO_G_SCHED + GO_BUF_G) = G;
	*at(m, G + GO_G_SCHED + m->bp) = SECOND + 64;
	*at(m, FIRST) = G;
	*at(m, FIRST + PLACE) = G;
	*at(m, FIRST + PLACE - 8) = 512;
	*at(m, SECOND + DEPTH - 8) = OUTER;
	*at(m, G0 + GO_G_SCHED + GO_BUF_SP) = SECOND;
}

static long memory_read(void *arg, void *dst, uint64_t from, uint32_t size)
{
	struct go_memory *m = arg;

	if (from < BASE || from - BASE > sizeof m->word - size)
		return -1;
	memcpy(dst, (const char *)m->word + (from - BASE), size);
	return 0;
}

static struct unwind_slot *step(struct walker *w, struct go_memory *m, enum go_change change, uint64_t known)
{
	struct unwind_slot *s = w->slot[0];

	w->read = memory_read;
	w->arg = m;
	w->fsbase = TLS;
	map_unwind.rule[RULE] = (struct unwind_bpf_rule){ .kind = UNWIND_GO, .reg = (uint8_t)change, .off = DEPTH,
							  .add = PLACE };
	memset(s, 0, offsetof(struct unwind_slot, cache));
	s->reg[UNWIND_REG_SP] = FIRST;
	s->reg[UNWIND_REG_PC] = PC;
	s->known = known;
	s->word = 8;
	s->how = UNWIND_NENDS;
	unwind_go(s, RULE);
	return s;
}

static const struct {
	uint64_t pc, sp;
	bool fp;
} callers[GO_NCHANGES] = {
	[GO_SYSTEMSTACK] = { OUTER, SECOND + DEPTH, false },
	[GO_MCALL] = { PC, SECOND, true },
	[GO_MORESTACK] = { PC, SECOND, true },
	[GO_ASMCGOCALL] = { OUTER, SECOND + DEPTH, false },
	[GO_CGOCALLBACK] = { OUTER, SECOND + DEPTH, false },
};

static void test_changes(void **state)
{
	struct walker *w = walker_open();
	struct go_memory m;

	(void)state;
	for (unsigned i = 0; i < 2 * GO_NCHANGES; i++) {
		enum go_change change = i / 2;
		struct unwind_slot *s;

		memory_make(&m, i & 1);
		s = step(w, &m, change, ~0ull);
		assert_int_equal(s->how, UNWIND_NENDS);
		assert_int_equal(s->reg[UNWIND_REG_PC], callers[change].pc);
		assert_int_equal(s->reg[UNWIND_REG_SP], callers[change].sp);
		assert_int_equal(s->known >> UNWIND_REG_FP & 1, callers[change].fp);
		assert_false(s->exact);
	}
	walker_close(w);
}

/* A thread that has no goroutine, or another one than before, is complete. */
static void test_left(void **state)
{
	struct walker *w = walker_open();
	struct go_memory m;

	(void)state;
	memory_make(&m, false);
	assert_int_equal(step(w, &m, GO_MORESTACK, ~(1ull << R15))->how, UNWIND_COMPLETE);
	*at(&m, FIRST) = G0;
	assert_int_equal(step(w, &m, GO_MCALL, ~0ull)->how, UNWIND_COMPLETE);
	*at(&m, M + m.curg) = 0;
	assert_int_equal(step(w, &m, GO_MORESTACK, ~0ull)->how, UNWIND_COMPLETE);
	assert_int_equal(step(w, &m, GO_MCALL, ~0ull)->how, UNWIND_COMPLETE);
	assert_int_equal(step(w, &m, GO_SYSTEMSTACK, ~0ull)->how, UNWIND_BROKEN);
	assert_int_equal(step(w, &m, GO_ASMCGOCALL, ~0ull)->how, UNWIND_BROKEN);
	walker_close(w);
}

/* The words that the walk uses, each damaged: it ends, or goes on as before if the word does not matter; the words of a
 * caller itself may be any. */
static void test_damaged(void **state)
{
	static const uint64_t values[] = { 0, 1, BASE, G0, G + 8, UINT64_MAX };
	struct walker *w = walker_open();
	struct go_memory m;

	(void)state;
	for (unsigned i = 0; i < 2 * GO_NCHANGES * WORDS * 6; i++) {
		uint64_t k = i / (2 * GO_NCHANGES) / 6, addr = BASE + k * 8;
		enum go_change change = i / 2 % GO_NCHANGES;
		struct unwind_slot *s;

		memory_make(&m, i & 1);
		m.word[k] = values[i / (2 * GO_NCHANGES) % 6];
		s = step(w, &m, change, ~0ull);
		if (s->how != UNWIND_NENDS)
			continue;
		if (addr == SECOND + DEPTH - 8 || (addr >= G + GO_G_SCHED && addr <= G + GO_G_SCHED + GO_BUF_BP) ||
		    addr == G + GO_G_HI || addr == FIRST + PLACE - 8 || addr == G0 + GO_G_SCHED ||
		    (addr == FIRST + PLACE && !m.word[k]))
			continue;
		assert_int_equal(s->reg[UNWIND_REG_PC], callers[change].pc);
		assert_int_equal(s->reg[UNWIND_REG_SP], callers[change].sp);
	}
	walker_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes), cmocka_unit_test(test_left), cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
