/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks the current thread's user stack by unwinding tables (unwind.h), as BPF. Tests compile it for this machine, too.
 *
 * Helpers are what costs: the stack is copied in pieces (the window), and frames are read from the copy. Most return
 * addresses have been seen before, so each CPU remembers their rules.
 *
 * Everything in a slot is unknown to the verifier when it is read again, so each index is bounded where it is used.
 */
#include <stdbool.h>
#include <stddef.h>

#include "rt/callsite.h"
#include "rt/unwind.h"
#include "rt/unwind_helpers.h"
#include "rt/word.h"

/* The kernel verifies functions that are not static once, not at each call (engine/bpf/load/subs.c describes them). It
 * does not know that their first argument is never NULL. */
#define GLOBAL __attribute__((noinline))
GLOBAL uint64_t unwind_rule(struct unwind_slot *s, uint64_t pc);
GLOBAL uint64_t unwind_caller(struct unwind_slot *s, uint64_t pc);
GLOBAL uint64_t unwind_up(struct unwind_slot *s, uint64_t number);
GLOBAL uint64_t unwind_space(struct unwind_slot *s);
GLOBAL uint64_t unwind_hand_over(struct unwind_slot *s, uint64_t frames, uint64_t flags);
GLOBAL uint64_t unwind_finish(struct unwind_slot *s, uint64_t max, uint64_t flags);
GLOBAL uint64_t unwind_walk(struct unwind_slot *s, uint64_t max, uint64_t flags);

enum {
	CS_MODE = 3, CS_32 = 0x23,
	LOWEST = 4096,			/* no code is mapped below this address */
	OWNERS = 131072,		/* words of the table of owners (PROG_OWNERS) */
};
/* Each function that is called has a stack frame of its own; there are 512 bytes in all. */
#define INLINE static inline __attribute__((always_inline))
#define PAGE 4096ull
#define ALL_REGS ((1ull << UNWIND_REGS) - 1)

/* Keeps the compiler from turning arithmetic into branches, of which the verifier would follow each. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* ~0 if a < b, 0 if not. Both are below 2^63. */
static inline uint64_t below(uint64_t a, uint64_t b)
{
	uint64_t m = (uint64_t)((int64_t)(a - b) >> 63);

	OPAQUE(m);
	return m;
}

#include "rt/unwind_word.c"

/* ---- tables ---- */
static inline const uint8_t *chunk_of(uint32_t number)
{
	uint32_t zero = 0;
	void *inner;

	if (!number)
		return map_unwind_first;
	inner = map_lookup(&map_unwind_chunks, &number);
	return inner ? map_lookup(inner, &zero) : NULL;
}

static inline uint64_t chunk64(const uint8_t *chunk, uint64_t at)
{
	return *(const uint64_t *)(chunk + (at & (UNWIND_CHUNK - 8)));
}

static inline uint64_t chunk32(const uint8_t *chunk, uint64_t word)
{
	return *(const uint32_t *)(chunk + (word * 4 & (UNWIND_CHUNK - 4)));
}

/* The number of mappings that start at or before pc. */
static inline uint64_t mappings_before(const uint8_t *chunk, const struct unwind_space *sp, uint64_t pc)
{
	uint64_t pos = 0;

	UNROLL
	for (uint64_t step = UNWIND_MAPPINGS / 2; step; step /= 2) {
		uint64_t probe = pos + step, start;

		start = chunk64(chunk, sp->at + (probe - 1) * sizeof(struct unwind_mapping));
		pos += step & ~(below(sp->n, probe) | below(pc, start));
		OPAQUE(pos);
	}
	return pos;
}

/* The number of the last row at or before an offset in a page: rows [first, end). */
static inline uint64_t row_at(const uint8_t *chunk, uint64_t first, uint64_t end, uint64_t low)
{
	uint64_t pos = first, step = UNWIND_PAGE / 2;

	UNROLL
	for (int i = 0; i < UNWIND_PAGE_BITS + 1; i++) {
		uint64_t probe = pos + step;

		pos += step & ~(below(end, probe) | below(low, chunk32(chunk, probe - 1) >> 24));
		OPAQUE(pos);
		step = step > 1 ? step / 2 : 1;
	}
	return pos - 1;
}

static inline uint64_t stop(struct unwind_slot *s, uint64_t how)
{
	s->how = how;
	return UNWIND_RULES;
}

/* The rule for an offset in a piece; UNWIND_RULES: none, the walk ends. */
static inline uint64_t piece_rule(struct unwind_slot *s, uint64_t number, uint64_t off)
{
	struct unwind_piece *p = &map_unwind.piece[number & (UNWIND_PIECES - 1)];
	uint32_t *used = &map_unwind.used[number & (UNWIND_PIECES - 1)];
	uint64_t page = off >> UNWIND_PAGE_BITS, index;
	uint32_t state = *(volatile uint32_t *)&p->state;	/* before the rest, which is valid if it is loaded */
	const uint8_t *chunk;

	s->missing = number;
	if (!number)
		return RULES_GENERATED;
	if (state == UNWIND_PIECE_ABSENT)
		return stop(s, UNWIND_NO_PIECE);
	if (state != UNWIND_PIECE_LOADED || page >= *(volatile uint32_t *)&p->pages)
		return RULES_NONE;
	index = *(volatile uint32_t *)&p->index;
	if (*used != (uint32_t)map_unwind.epoch)
		*used = (uint32_t)map_unwind.epoch;
	chunk = chunk_of(*(volatile uint32_t *)&p->chunk);
	if (!chunk)
		return stop(s, UNWIND_NO_PIECE);
	return chunk32(chunk, row_at(chunk, chunk32(chunk, index + page), chunk32(chunk, index + page + 1),
				     off & (UNWIND_PAGE - 1))) & 0xffffff;
}

/* The rule for an address. */
static inline uint64_t rule_find(struct unwind_slot *s, uint64_t pc)
{
	const uint8_t *chunk = chunk_of(s->space.chunk);
	uint64_t at;

	if (!chunk)
		return stop(s, UNWIND_NO_SPACE);
	at = mappings_before(chunk, &s->space, pc);
	if (!at)
		return RULES_NOWHERE;
	at = s->space.at + (at - 1) * sizeof(struct unwind_mapping);
	if (pc >= chunk64(chunk, at + offsetof(struct unwind_mapping, end)))
		return RULES_NOWHERE;
	return piece_rule(s, chunk64(chunk, at + offsetof(struct unwind_mapping, piece)),
			  pc - chunk64(chunk, at) + chunk64(chunk, at + offsetof(struct unwind_mapping, off)));
}

static inline struct unwind_remembered *remembered(struct unwind_slot *s, uint64_t pc)
{
	uint64_t hash = pc * 0x9e3779b97f4a7c15ull >> 48;

	return &s->cache[hash & (UNWIND_CACHE - 1)];
}

/* The rule for the instruction at an address. UNWIND_RULES: none, the walk ends. */
uint64_t unwind_rule(struct unwind_slot *s, uint64_t pc)
{
	struct unwind_remembered *r;
	uint64_t rule;

	if (!s)
		return 0;
	r = remembered(s, pc);
	if (r->pc == pc && r->id == s->space.id)
		return r->rule & (UNWIND_RULES - 1);
	rule = rule_find(s, pc);
	if (rule >= UNWIND_RULES)
		return UNWIND_RULES;
	r->pc = pc;
	r->id = s->space.id;
	r->rule = (uint32_t)rule;
	return rule;
}

#include "rt/unwind_caller.c"

/* ---- a step ---- */
static inline uint64_t narrow(const struct unwind_slot *s, uint64_t v)
{
	return s->word == 4 ? v & UINT32_MAX : v;
}

/* Replaces the frame by the caller's, of which all but pc and sp have been set. Stacks grow down. */
static inline void settle(struct unwind_slot *s, uint64_t pc, uint64_t sp, bool other_stack)
{
	if (s->fault)
		s->how = UNWIND_UNREADABLE;
	else if (pc < LOWEST)
		s->how = pc ? UNWIND_BROKEN : UNWIND_COMPLETE;
	else if (!other_stack && sp <= s->reg[UNWIND_REG_SP])
		s->how = UNWIND_BROKEN;
	s->reg[UNWIND_REG_PC] = pc;
	s->reg[UNWIND_REG_SP] = sp;
	s->exact = other_stack;
}

static inline void up_pointer(struct unwind_slot *s)
{
	uint64_t fp = s->reg[UNWIND_REG_FP], pc;

	if (!(s->known >> UNWIND_REG_FP & 1) || (fp && (fp & (s->word - 1) || fp < s->reg[UNWIND_REG_SP]))) {
		s->how = UNWIND_BROKEN;
		return;
	}
	if (!fp) {		/* the ABI marks the outermost frame this way; other code may have any value there */
		s->how = s->exact ? UNWIND_BROKEN : UNWIND_COMPLETE;
		return;
	}
	pc = unwind_word(s, fp + s->word);
	s->reg[UNWIND_REG_FP] = unwind_word(s, fp);
	s->known = 1 << UNWIND_REG_FP | 1 << UNWIND_REG_SP | 1 << UNWIND_REG_PC;
	s->by_table = 0;
	settle(s, pc, fp + 2 * s->word, false);
}

#define TAKE(reg_, at_) (s->reg[reg_] = unwind_word(s, base + (at_) * s->word))

/* The registers that the kernel saved when it called a signal handler: struct sigcontext. */
static inline void up_signal(struct unwind_slot *s, uint64_t base)
{
	uint64_t pc, sp;

	if (s->word == 4) {
		TAKE(13, 4), TAKE(12, 5), TAKE(6, 6), TAKE(3, 8), TAKE(1, 9), TAKE(2, 10), TAKE(0, 11);
		sp = unwind_word(s, base + 7 * 4);
		pc = unwind_word(s, base + 14 * 4);
	} else {
		TAKE(8, 0), TAKE(9, 1), TAKE(10, 2), TAKE(11, 3), TAKE(12, 4), TAKE(13, 5), TAKE(14, 6), TAKE(15, 7);
		TAKE(5, 8), TAKE(4, 9), TAKE(6, 10), TAKE(3, 11), TAKE(1, 12), TAKE(0, 13), TAKE(2, 14);
		sp = unwind_word(s, base + 15 * 8);
		pc = unwind_word(s, base + 16 * 8);
	}
	s->known = ALL_REGS;
	settle(s, pc, sp, true);
}

/* A register that cannot be read may never be needed. Returns `known` with it or without. */
static inline uint64_t saved_reg(struct unwind_slot *s, int64_t off, unsigned reg, uint64_t known, uint64_t cfa,
	uint64_t fp)
{
	uint64_t base = cfa ^ ((cfa ^ fp) & -((uint64_t)off & 1));

	if (off == UNWIND_SAME)
		return known;
	known &= ~(1ull << reg);
	if (off == UNWIND_LOST)
		return known;
	s->reg[reg] = stack_word(s, base + ((uint64_t)off & ~1ull));
	known |= (s->fault ^ 1) << reg;
	s->fault = 0;
	return known;
}

/* Many functions save no register: their rules have two UNWIND_SAME in each word. */
static inline bool saves_none(const struct unwind_bpf_rule *r)
{
	const uint32_t *two = (const uint32_t *)r->saved, none = UNWIND_SAME << 16 | UNWIND_SAME;

	return !((two[0] ^ none) | (two[1] ^ none) | (two[2] ^ none));
}

static inline void up_cfa(struct unwind_slot *s, const struct unwind_bpf_rule *r, uint64_t cfa)
{
	uint64_t pc = stack_word(s, cfa + (uint64_t)(int64_t)r->ra), known = s->known;
	uint64_t fp = s->reg[UNWIND_REG_FP] & -(known >> UNWIND_REG_FP & 1);	/* 0 cannot be read */
	uint64_t fault = s->fault;

	if (!saves_none(r)) {
		s->fault = 0;
		known = saved_reg(s, r->saved[0], 6, known, cfa, fp);
		known = saved_reg(s, r->saved[1], 3, known, cfa, fp);
		known = saved_reg(s, r->saved[2], 12, known, cfa, fp);
		known = saved_reg(s, r->saved[3], 13, known, cfa, fp);
		known = saved_reg(s, r->saved[4], 14, known, cfa, fp);
		known = saved_reg(s, r->saved[5], 15, known, cfa, fp);
		s->fault = fault;
	}
	s->known = known & (1 << 3 | 1 << UNWIND_REG_FP | 1 << UNWIND_REG_SP | 0xf << 12 | 1 << UNWIND_REG_PC);
	s->by_table = 1;
	if (r->reg == UNWIND_REG_OLD_SP)	/* may be that of another stack */
		s->reg[UNWIND_REG_SP] = 0;
	settle(s, pc, cfa, false);
}

static inline void up_rule(struct unwind_slot *s, uint64_t number)
{
	const struct unwind_bpf_rule *r = &map_unwind.rule[number & (UNWIND_RULES - 1)];
	uint64_t kind = r->kind, cfa;

	if (kind == UNWIND_NONE) {
		up_pointer(s);
		return;
	}
	if (kind == UNWIND_END || kind >= UNWIND_OTHER) {
		s->how = kind == UNWIND_END ? UNWIND_COMPLETE : UNWIND_NO_RULE;
		return;
	}
	if (!(s->known >> (r->reg & 31) & 1)) {
		s->how = UNWIND_BROKEN;
		return;
	}
	cfa = narrow(s, s->reg[r->reg & 31] + (uint64_t)(int64_t)r->off);
	if (kind == UNWIND_SIGNAL) {
		up_signal(s, cfa);
		return;
	}
	if (kind == UNWIND_DEREF)
		cfa = narrow(s, unwind_word(s, cfa) + (uint64_t)(int64_t)r->add);
	if (kind == UNWIND_PLT && (s->reg[UNWIND_REG_PC] & 15) >= (uint64_t)(int64_t)r->add)
		cfa += s->word;
	up_cfa(s, r, cfa);
}

/* Returns 1 if unwind_go has to do it. */
uint64_t unwind_up(struct unwind_slot *s, uint64_t number)
{
	if (map_unwind.rule[number & (UNWIND_RULES - 1)].kind == UNWIND_GO)
		return 1;
	if (s)
		up_rule(s, number);
	return 0;
}

/* C libraries keep a thread's own data at the end of its stack. They are never inside of a stack. */
static inline uint64_t thread_data(void)
{
	uint64_t at = 0;

	if (map_unwind.fsbase)
		read_kernel(&at, sizeof at, (void *)(task() + map_unwind.fsbase));
	return at;
}

#include "rt/unwind_go.c"

struct walk {
	struct unwind_slot *slot;
};

static long walk_step(uint64_t i, void *state)
{
	struct unwind_slot *s = ((struct walk *)state)->slot;
	uint64_t pc = s->reg[UNWIND_REG_PC], rule;

	if (i >= UNWIND_DEPTH)
		return 1;
	rule = s->exact ? unwind_exact(s, pc) : caller_rule(s, pc);
	if (i && rule == RULES_NOWHERE)
		s->how = UNWIND_INVALID;
	if (s->how == UNWIND_INVALID)
		return 1;
	s->pc[i] = pc;
	if (s->interpreted)
		s->pc[UNWIND_SP + (i & (RT_PY_FRAMES - 1))] = s->reg[UNWIND_REG_SP];
	s->n = i + 1;
	if (rule < UNWIND_RULES && unwind_up(s, rule))
		unwind_go(s, rule);
	return s->how != UNWIND_NENDS;
}

/* ---- the beginning ---- */
static inline bool claim(struct unwind_slot *s)
{
	return !__sync_val_compare_and_swap(&s->busy, 0, 1);
}

static inline struct unwind_slot *slot_claim(void)
{
	struct unwind_slot *s;

	UNROLL
	for (uint32_t i = 0; i < UNWIND_LEVELS; i++) {
		uint32_t level = i;

		s = map_lookup(&map_unwind_slots, &level);
		if (s && claim(s)) {
			s->level = i;
			return s;
		}
	}
	__sync_fetch_and_add(&map_unwind.nested, 1);
	return NULL;
}

static inline uint32_t process(void)
{
	struct pidns_ids ids = { 0 };

	if (!map_unwind.pidns_ino)
		return (uint32_t)(pid_tgid() >> 32);
	ns_pid_tgid(map_unwind.pidns_dev, map_unwind.pidns_ino, &ids, sizeof ids);
	return ids.tgid;
}

/* Copies the process's space. Its mappings have changed if the table of owners has another word than then. */
uint64_t unwind_space(struct unwind_slot *s)
{
	uint32_t pid = process(), hash = pid * 0x9e3779b1u >> 16;
	uint64_t owner = map_owners[pid & (OWNERS - 1)];

	if (!s)
		return 0;
	s->space.pid = pid;
	s->space.id = 0;
	s->space.runtime = s->space.own = 0;
	UNROLL
	for (uint32_t i = 0; i < UNWIND_PROBES; i++) {
		volatile struct unwind_space *from = &map_unwind.space[(hash + i) & (UNWIND_SPACES - 1)];
		uint32_t id = from->id;

		if (from->pid != pid || !id)
			continue;
		s->space.owner = from->owner;
		s->space.chunk = from->chunk;
		s->space.at = from->at;
		s->space.n = from->n;
		s->space.runtime = from->runtime;
		s->space.layout = from->layout;
		s->space.own = from->own;
		if (from->id == id && s->space.owner == owner) {
			s->space.id = id;
			return 0;
		}
	}
	s->how = UNWIND_NO_SPACE;
	return 0;
}

/* A thread that runs the copy of a probed instruction is at that instruction, or after it. */
static inline void leave_uprobes(struct unwind_slot *s)
{
	const uint64_t longest = 16, page = 4096;
	uint64_t *pc = &s->reg[UNWIND_REG_PC], state = 0, addr = 0, copy = 0;

	if (*pc - map_unwind.uprobes >= page || !map_unwind.uprobe || !map_unwind.uprobe_addr)
		return;
	read_kernel(&state, sizeof state, (void *)(task() + map_unwind.uprobe));
	read_kernel(&addr, sizeof addr, (void *)(state + map_unwind.uprobe_addr));
	read_kernel(&copy, sizeof copy, (void *)(state + map_unwind.uprobe_slot));
	if (addr && *pc - copy < longest)
		*pc = addr + (*pc - copy);
}

/* The registers with which the thread entered the kernel. False: it has never been in user space. */
static inline bool regs_take(struct unwind_slot *s)
{
	const struct task_regs *r = task_regs(task_btf());
	uint64_t cs = r->cs;

	if ((cs & CS_MODE) != CS_MODE)
		return false;
	s->word = cs == CS_32 ? 4 : 8;
	s->reg[0] = r->ax, s->reg[1] = r->dx, s->reg[2] = r->cx, s->reg[3] = r->bx;
	s->reg[6] = r->bp, s->reg[7] = r->sp, s->reg[UNWIND_REG_PC] = r->ip;
	s->reg[12] = r->r12, s->reg[13] = r->r13;
	if (cs == CS_32) {
		s->reg[12] = r->si, s->reg[13] = r->di;
	} else {
		s->reg[4] = r->si, s->reg[5] = r->di, s->reg[8] = r->r8, s->reg[9] = r->r9;
		s->reg[10] = r->r10, s->reg[11] = r->r11, s->reg[14] = r->r14, s->reg[15] = r->r15;
	}
	s->known = ALL_REGS;
	s->exact = 1;
	leave_uprobes(s);
	return true;
}

/* ---- stacks that user space unwinds ---- */
/* An end of the stack, or 0. */
static inline uint64_t first_stack_end(void)
{
	uint64_t mm = 0, end = 0;

	if (!map_unwind.mm || !map_unwind.start_stack)
		return 0;
	read_kernel(&mm, sizeof mm, (void *)(task() + map_unwind.mm));
	read_kernel(&end, sizeof end, (void *)(mm + map_unwind.start_stack));
	return end;
}

/* The most bytes from sp to the end of its stack; more than UNWIND_COPY if they are not known. */
static inline uint64_t stack_left(uint64_t sp)
{
	uint64_t end = first_stack_end();

	if (end <= sp || end - sp > UNWIND_COPY)
		end = thread_data();
	return end > sp ? end - sp : UNWIND_COPY + 1;
}

#include "rt/unwind_parts.c"

/* Copies UNWIND_COPY bytes, page by page: the last one of the stack may be any. */
static inline uint64_t pages_copy(struct unwind_handover *h, uint64_t from)
{
	uint64_t first = PAGE - (from & (PAGE - 1)), done = first;

	if (read_user(h->stack, (uint32_t)first, (void *)from))
		return 0;
	UNROLL
	for (uint64_t i = 0; i < UNWIND_COPY / PAGE - 1; i++) {
		if (read_user(h->stack + first + i * PAGE, PAGE, (void *)(from + first + i * PAGE)))
			return done;
		done += PAGE;
	}
	return done;
}

static inline uint64_t stack_copy(struct unwind_handover *h, uint64_t from, uint64_t room, uint64_t left)
{
	if (room == UNWIND_COPY)
		return pages_copy(h, from);
	return left > room || read_user(h->stack, (uint32_t)left, (void *)from) ? 0 : left;
}

/* The part of a stack that is copied: bytes below and above the stack pointer. room: bytes for it, a constant. */
struct stack_part {
	uint64_t below, left, room;
};

/* Returns the number of the handover, or 0. */
INLINE uint64_t hand_over(struct unwind_slot *s, uint64_t frames, uint64_t flags, const struct stack_part *p)
{
	struct unwind_handover *h = ring_reserve(&map_unwind_ring, sizeof *h + p->room, 0);
	uint64_t number = 0;

	if (!h)
		return 0;
	if (!(flags & UNWIND_NOW))
		number = __sync_fetch_and_add(&map_unwind.number, 1) + 1;
	h->number = number;
	h->time = time_ns();
	h->pid = s->space.pid;
	h->why = (uint32_t)s->how;
	h->word = (uint32_t)s->word;
	h->frames = (uint32_t)frames;
	h->flags = flags;
	h->interpreted = s->sent;
	h->parts = s->parts;
	h->piece = (uint32_t)s->missing;
	UNROLL
	for (int i = 0; i < UNWIND_REGS; i++)
		h->reg[i] = s->reg[i];
	h->below = p->below;
	h->bytes = (uint32_t)stack_copy(h, s->reg[UNWIND_REG_SP] - p->below, p->room, p->left);
	ring_submit(h, 0);
	return number;
}

uint64_t unwind_hand_over(struct unwind_slot *s, uint64_t frames, uint64_t flags)
{
	struct stack_part small = { .room = UNWIND_COPY_SMALL }, medium = { .room = UNWIND_COPY_MEDIUM };
	struct stack_part large = { .room = UNWIND_COPY };
	uint64_t sp, below = UNWIND_BELOW, left, probe;

	if (!s || !regs_take(s))	/* again: the walk has changed them */
		return 0;
	sp = s->reg[UNWIND_REG_SP];
	if (read_user(&probe, sizeof probe, (void *)(sp - below)))
		below = 0;
	left = stack_left(sp) + below;
	small.below = medium.below = large.below = below;
	small.left = medium.left = large.left = left;
	if (left <= UNWIND_COPY_SMALL)
		return hand_over(s, frames, flags, &small);
	if (left <= UNWIND_COPY_MEDIUM)
		return hand_over(s, frames, flags, &medium);
	return hand_over(s, frames, flags, &large);
}

static inline bool wants_user_space(const struct unwind_slot *s, uint64_t flags)
{
	return s->how == UNWIND_NO_SPACE || s->how == UNWIND_NO_PIECE ||
	       (s->how == UNWIND_NO_RULE && !(flags & UNWIND_NOW));
}

/* Hands a stack over, if user space is to unwind it, or marks it. Returns the number of words in s->pc. */
uint64_t unwind_finish(struct unwind_slot *s, uint64_t max, uint64_t flags)
{
	uint64_t n, number;

	if (!s)
		return 0;
	if (wants_user_space(s, flags)) {
		unwind_parts(s, flags);
		number = unwind_hand_over(s, max, flags);
		if (number) {
			s->pc[0] = UNWIND_PENDING | (number & ~UNWIND_PENDING_MASK);
			return 1;
		}
		if (!(flags & UNWIND_NOW))
			s->end[UNWIND_LOST_HANDOVER]++;
	}
	n = s->n;
	if (flags & UNWIND_MARK && s->how != UNWIND_COMPLETE && n <= UNWIND_DEPTH)
		s->pc[n++] = UNWIND_CUT;
	return n;
}

/* Walks the stack of the current thread: at most `max` frames. unwind_finish does the rest. */
uint64_t unwind_walk(struct unwind_slot *s, uint64_t max, uint64_t flags)
{
	struct walk w = { s };

	if (!s)
		return 0;
	s->how = UNWIND_COMPLETE;
	s->n = s->fault = s->low = s->high = s->sent = s->space.runtime = s->go_sp = 0;
	s->interpreted = flags & UNWIND_INTERPRETED;
	if (!regs_take(s))
		return 0;
	s->how = UNWIND_NENDS;
	unwind_space(s);
	if (s->how == UNWIND_NENDS)
		rt_loop((uint32_t)max, walk_step, &w);
	s->end[s->how < UNWIND_NENDS ? s->how : UNWIND_FULL]++;
	return 0;
}

uint64_t rt_unwind(uint64_t *dst, uint64_t max, uint64_t flags)
{
	struct unwind_slot *s = slot_claim();
	uint64_t most = flags & UNWIND_MARK ? max - 1 : max, n;

	read_kernel(dst, (uint32_t)max * 8, NULL);	/* zeroes it */
	if (!s)
		return 0;
	unwind_walk(s, most, flags);
	n = unwind_finish(s, most, flags);
	if (n <= max)
		read_kernel(dst, (uint32_t)n * 8, s->pc);
	s->busy = 0;
	return n;
}

uint64_t rt_unwinddepth(uint64_t max)
{
	struct unwind_slot *s = slot_claim();
	uint64_t n;

	if (!s)
		return 0;
	unwind_walk(s, max, UNWIND_NOW);
	n = unwind_finish(s, max, UNWIND_NOW);
	if (wants_user_space(s, UNWIND_NOW))
		n = 0;		/* not known yet */
	s->busy = 0;
	return n;
}
