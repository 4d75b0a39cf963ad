/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's stack walker, compiled for this machine, on hand-made stacks: it must find the frames that the unwinder
 * of user space finds, stay within its memory whatever the tables, mappings and stacks are, and hand over what it
 * cannot walk. test_walk_live.c uses the stacks of a process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/unwind/unwind.h"
#include "rt/callsite.h"
#include "tests/lib/cfimake.h"
#include "tests/lib/random.h"
#include "tests/lib/walker.h"

enum { TEXT = 0x10000, SIZE = 64, FUNCTIONS = 32, PAGE_BYTES = 4096, MOST = 64, CS_32 = 0x23, CS_64 = 0x33 };
#define STACK 0x7ffe0000ull

/* ---- memory ---- */
/* Bytes [low, high) are readable, whole pages; text: those from TEXT on. */
struct made_memory {
	uint64_t low, high;
	const uint8_t *bytes;
	const uint8_t *text;
};

static long memory_read(void *arg, void *dst, uint64_t from, uint32_t size)
{
	const struct made_memory *m = arg;

	if (m->text && from >= TEXT && from < TEXT + FUNCTIONS * SIZE && TEXT + FUNCTIONS * SIZE - from >= size) {
		memcpy(dst, m->text + (from - TEXT), size);
		return 0;
	}
	if (from < m->low || from > m->high || m->high - from < size)
		return -1;
	memcpy(dst, m->bytes + (from - m->low), size);
	return 0;
}

/* ---- random functions on random stacks ---- */
static struct object *made;	/* symbol_ops without an argument for it */

static bool made_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	(void)arg, (void)pid, (void)at;
	if (addr < TEXT || addr >= TEXT + FUNCTIONS * SIZE)
		return false;
	*out = (struct symbol_code){ .object = made, .path = "/made", .start = TEXT, .off = TEXT };
	return true;
}

static bool made_nowhere(void *arg, int64_t pid, uint64_t addr, uint64_t at)
{
	(void)arg, (void)pid, (void)at;
	return addr < TEXT || addr >= TEXT + FUNCTIONS * SIZE;
}

struct machine_regs {
	uint8_t sp, fp, pc, saved[6], nsaved;
	unsigned word;
};
static const struct machine_regs wide = { 7, 6, 16, { 3, 6, 12, 13, 14, 15 }, 6, 8 };
static const struct machine_regs narrow = { 4, 5, 8, { 3, 5, 6, 7 }, 4, 4 };

static size_t cfa_make(uint8_t *p, const struct machine_regs *m, uint64_t *r)
{
	uint8_t off = (uint8_t)(m->word * (1 + random_below(r, 7))), *begin = p;

	switch (random_below(r, 6)) {
	case 0:		/* the frame pointer */
		*p++ = DW_CFA_def_cfa, *p++ = m->fp, *p++ = (uint8_t)(2 * m->word);
		break;
	case 1:		/* in memory */
		*p++ = DW_CFA_def_cfa_expression, *p++ = 3, *p++ = (uint8_t)(DW_OP_breg0 + m->sp), *p++ = off;
		*p++ = DW_OP_deref;
		break;
	case 2:
		*p++ = DW_CFA_def_cfa_expression, *p++ = 5, *p++ = (uint8_t)(DW_OP_breg0 + m->fp), *p++ = 0;
		*p++ = DW_OP_deref, *p++ = DW_OP_plus_uconst, *p++ = off;
		break;
	case 3:		/* a procedure linkage table */
		*p++ = DW_CFA_def_cfa_expression, *p++ = 11, *p++ = (uint8_t)(DW_OP_breg0 + m->sp);
		*p++ = (uint8_t)m->word, *p++ = (uint8_t)(DW_OP_breg0 + m->pc), *p++ = 0, *p++ = DW_OP_lit15;
		*p++ = DW_OP_and, *p++ = DW_OP_lit11, *p++ = DW_OP_ge;
		*p++ = m->word == 8 ? DW_OP_lit3 : DW_OP_lit2, *p++ = DW_OP_shl, *p++ = DW_OP_plus;
		break;
	default:
		*p++ = DW_CFA_def_cfa, *p++ = m->sp, *p++ = off;
	}
	return (size_t)(p - begin);
}

/* A function that finds registers where compilers put them. */
static size_t function_make(uint8_t *p, const struct machine_regs *m, uint64_t *r)
{
	uint8_t *begin = p;

	p += cfa_make(p, m, r);
	for (unsigned i = 0; i < m->nsaved; i++) {
		switch (random_below(r, 5)) {
		case 0:
			*p++ = (uint8_t)(DW_CFA_offset | m->saved[i]), *p++ = (uint8_t)(2 + random_below(r, 6));
			break;
		case 1:
			*p++ = DW_CFA_expression, *p++ = m->saved[i], *p++ = 2, *p++ = (uint8_t)(DW_OP_breg0 + m->fp);
			*p++ = (uint8_t)(m->word * random_below(r, 4));
			break;
		case 2:
			*p++ = DW_CFA_undefined, *p++ = m->saved[i];
			break;
		}
	}
	return (size_t)(p - begin);
}

/* Code: calls, nops, what calls rt_sigreturn(2), anything. */
static uint8_t made_text[FUNCTIONS * SIZE];

static void text_make(uint64_t *r)
{
	static const uint8_t forms[][9] = {
		{ 0xe8 }, { 0xff, 0xd0 }, { 0x90 }, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 },
	};
	static const uint8_t sizes[] = { 5, 2, 1, 9 };

	for (size_t i = 0; i < sizeof made_text; i++)
		made_text[i] = (uint8_t)random_next(r);
	for (size_t at = 8; at + 9 < sizeof made_text; at += 9 + random_below(r, 4)) {
		unsigned form = random_below(r, 8) < 5 ? 0 : 1 + (unsigned)random_below(r, 3);

		memcpy(made_text + at, forms[form], sizes[form]);
	}
}

static void functions_make(struct buf *file, const struct machine_regs *m, uint64_t *r)
{
	struct buf eh = { 0 }, none = { 0 };

	cie_put(&eh, true, 8 * m->word);
	for (uint32_t i = 0; i < FUNCTIONS - 2; i++) {	/* the last ones have no table */
		uint8_t prog[128];

		fde_put(&eh, true, 8 * m->word, TEXT + i * SIZE, SIZE, prog, function_make(prog, m, r));
	}
	text_make(r);
	made = object_make_text(file, &eh, &none, 8 * m->word, TEXT, made_text, sizeof made_text);
	buf_free(&eh);
}

/* Most follow a call. */
static uint64_t address_make(uint64_t *r)
{
	uint64_t at = 8 + random_below(r, FUNCTIONS * SIZE - 8), before;

	for (unsigned i = 0; i < 4 * SIZE && random_below(r, 64); i++, at = at + 1 < FUNCTIONS * SIZE ? at + 1 : 8) {
		memcpy(&before, made_text + at - 8, sizeof before);
		if (callsite_call(before))
			break;
	}
	return TEXT + at;
}

/* Words that are return addresses, places on the stack, zero, or anything. */
static uint64_t value_make(uint64_t *r, uint64_t near)
{
	switch (random_below(r, 8)) {
	case 0:
		return random_below(r, 2) ? 0 : random_next(r) & UINT32_MAX;
	case 1: case 2:
		return near + 8 * random_below(r, 32);
	}
	return address_make(r);
}

static void stack_make(uint8_t *stack, size_t size, unsigned word, uint64_t *r)
{
	for (size_t i = 0; i < size; i += word) {
		uint64_t v = value_make(r, STACK + i);

		memcpy(stack + i, &v, word);
	}
}

static void regs_make(struct task_regs *t, const struct machine_regs *m, uint64_t *r)
{
	*t = (struct task_regs){ .cs = m->word == 8 ? CS_64 : CS_32, .sp = STACK, .bp = value_make(r, STACK),
		.ip = TEXT + random_below(r, FUNCTIONS * SIZE), .bx = value_make(r, STACK), .si = value_make(r, STACK),
		.di = value_make(r, STACK) };
	if (m->word == 8)
		t->r12 = value_make(r, STACK), t->r13 = t->r14 = t->r15 = value_make(r, STACK);
}

/* The same registers for the unwinder, in the order of perf's mask. */
static uint64_t regs_perf(const struct task_regs *t, const struct machine_regs *m, uint64_t out[UNWIND_REGS])
{
	const uint64_t wide_regs[] = { t->ax, t->dx, t->cx, t->bx, t->si, t->di, t->bp, t->sp, t->r8, t->r9, t->r10,
		t->r11, t->r12, t->r13, t->r14, t->r15, t->ip };
	const uint64_t narrow_regs[] = { t->ax, t->cx, t->dx, t->bx, t->sp, t->bp, t->si, t->di, t->ip };
	const struct unwind_machine *k = machine_of(8 * m->word);
	uint64_t mask = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < k->nregs; i++)
		mask |= 1ull << k->perf[i];
	for (unsigned bit = 0; bit < 64; bit++)
		for (unsigned i = 0; i < k->nregs; i++)
			if (k->perf[i] == bit)
				out[n++] = m->word == 8 ? wide_regs[i] : narrow_regs[i];
	return mask;
}

struct made_walk {
	struct walker *w;
	struct unwinder *u;
	const struct machine_regs *m;
	uint8_t stack[PAGE_BYTES];
	uint64_t frames, whole, invalid;
};

static void walk_compare(struct made_walk *x)
{
	struct made_memory memory = { STACK, STACK + sizeof x->stack, x->stack, made_text };
	uint64_t regs[UNWIND_REGS], mine[MOST], theirs[MOST], n, whole = map_unwind.number;
	struct unwind_start s = { .bits = 8 * x->m->word, .regs = (const uint8_t *)regs, .stack = x->stack,
				  .size = sizeof x->stack };
	uint64_t invalid = x->w->slot[0]->end[UNWIND_INVALID];
	struct unwind_stack stack = { .pc = theirs, .max = MOST };
	uint32_t k;

	x->w->read = memory_read;
	x->w->arg = &memory;
	s.mask = regs_perf(&x->w->regs, x->m, regs);
	whole = x->w->slot[0]->end[UNWIND_COMPLETE];
	n = rt_unwind(mine, MOST, UNWIND_NOW);
	whole = x->w->slot[0]->end[UNWIND_COMPLETE] - whole;
	k = unwinder_run(x->u, 1, 0, &s, &stack);
	assert_int_equal(n, k);
	assert_memory_equal(mine, theirs, n * sizeof *mine);
	assert_int_equal(whole, !stack.cut);
	x->frames += n;
	x->whole += whole;
	x->invalid += x->w->slot[0]->end[UNWIND_INVALID] - invalid;
}

static void random_walks(const struct machine_regs *m, uint64_t seed)
{
	enum { FILES = 100, STACKS = 200 };
	static const struct symbol_ops ops = { .code = made_code, .nowhere = made_nowhere };
	struct made_walk x = { .m = m };
	char why[160];

	for (int file = 0; file < FILES; file++) {
		struct buf b = { 0 };
		struct pack k;

		x.w = walker_open();
		x.u = unwinder_open(&ops, NULL, why, sizeof why);
		if (!x.u)
			skip();
		functions_make(&b, m, &seed);
		assert_true(pack_file(&k, made, &x.w->rules));
		walker_add(x.w, &k, TEXT, TEXT + FUNCTIONS * SIZE, 0);
		walker_publish(x.w);
		for (int i = 0; i < STACKS; i++) {
			stack_make(x.stack, sizeof x.stack, m->word, &seed);
			regs_make(&x.w->regs, m, &seed);
			walk_compare(&x);
		}
		assert_int_equal(x.w->slot[0]->end[UNWIND_NO_RULE], 0);
		pack_close(&k);
		unwinder_close(x.u);
		object_free(made);
		walker_close(x.w);
		buf_free(&b);
	}
	printf("# %llu frames, %llu whole stacks, %llu invalid addresses\n", (unsigned long long)x.frames,
	       (unsigned long long)x.whole, (unsigned long long)x.invalid);
	assert_true(4 * x.frames > 5 * FILES * STACKS);	/* the seeds are fixed */
	assert_true(x.whole > FILES && x.invalid > FILES);
}

static void test_64_bits(void **state)
{
	(void)state;
	random_walks(&wide, 1);
}

static void test_32_bits(void **state)
{
	(void)state;
	random_walks(&narrow, 2);
}

/* ---- windows ---- */
/* One function whose frames have two words. */
static void simple_open(struct walker *w, struct buf *file)
{
	static const uint8_t prog[] = { DW_CFA_def_cfa_offset, 16 };
	struct buf eh = { 0 }, none = { 0 };
	struct pack k;

	cie_put(&eh, true, 64);
	fde_put(&eh, true, 64, TEXT, SIZE, prog, sizeof prog);
	made = object_make(file, &eh, &none, 64);
	assert_true(pack_file(&k, made, &w->rules));
	walker_add(w, &k, TEXT, TEXT + SIZE, 0);
	walker_publish(w);
	pack_close(&k);
	buf_free(&eh);
}

static void simple_close(struct walker *w, struct buf *file)
{
	object_free(made);
	buf_free(file);
	walker_close(w);
}

/* Frames of two words in [low, high); a return address of 0 ends them if there is room for it. */
static void simple_stack(uint8_t *bytes, uint64_t sp, uint64_t words, bool end)
{
	uint64_t *v = (uint64_t *)(bytes + sp);

	for (uint64_t i = 0; i < words; i++)
		v[i] = i % 2 ? TEXT + 8 : 1;
	if (end)
		v[words - 1] = 0;
}

static void test_windows(void **state)
{
	static uint64_t bytes[3 * PAGE_BYTES / 8];
	struct made_memory memory = { STACK, STACK + sizeof bytes, (uint8_t *)bytes, NULL };
	struct walker *w = walker_open();
	struct buf file = { 0 };
	uint64_t pc[UNWIND_DEPTH];

	(void)state;
	simple_open(w, &file);
	w->read = memory_read;
	w->arg = &memory;
	for (uint64_t words = 1; words <= sizeof bytes / 8; words += words < 600 ? 1 : 37) {
		uint64_t frames = words / 2, *end = w->slot[0]->end, whole = end[UNWIND_COMPLETE],
			 cut = end[UNWIND_UNREADABLE], reads = w->reads;

		simple_stack((uint8_t *)bytes, sizeof bytes - 8 * words, words, !(words % 2));
		w->regs.sp = STACK + sizeof bytes - 8 * words;
		w->regs.ip = TEXT;
		/* an odd number of words: the last frame's return address is not readable */
		assert_int_equal(rt_unwind(pc, UNWIND_DEPTH, UNWIND_NOW), frames + words % 2);
		assert_int_equal(end[UNWIND_COMPLETE] - whole, !(words % 2));
		assert_int_equal(end[UNWIND_UNREADABLE] - cut, words % 2);
		for (uint64_t i = 1; i < frames; i++)
			assert_int_equal(pc[i], TEXT + 8);
		/* few calls: as many as there are windows, those at the end of memory, and the innermost code */
		assert_in_range(w->reads - reads, 1, 8 * words / (UNWIND_WINDOW - 64) + 8);
	}
	simple_close(w, &file);
}

/* ---- handovers ---- */
static void handover_check(struct walker *w, struct made_memory *m, uint64_t left, size_t room)
{
	const struct unwind_handover *h;
	uint64_t pc[MOST], want = left < UNWIND_COPY ? left : UNWIND_COPY, number = map_unwind.number;

	w->regs.sp = m->high - left;
	memset(pc, 0xff, sizeof pc);
	assert_int_equal(rt_unwind(pc, MOST, UNWIND_MARK), 1);
	assert_int_equal(pc[0], UNWIND_PENDING | (number + 1));
	assert_int_equal(pc[1], 0);
	h = w->handover;
	assert_true(h && w->submitted);
	assert_int_equal(w->handover_size, sizeof *h + room);
	assert_int_equal(h->number, number + 1);
	assert_int_equal(h->pid, WALKER_PID);
	assert_int_equal(h->word, 8);
	assert_true(h->flags & UNWIND_MARK && h->frames == MOST - 1);
	assert_true(h->below <= UNWIND_BELOW && h->bytes <= room);
	want = left + h->below < room ? left + h->below : room;
	assert_in_range(h->bytes, want - (room == UNWIND_COPY ? PAGE_BYTES : 0), want);
	assert_memory_equal(h->stack, m->bytes + (w->regs.sp - h->below - m->low), h->bytes);
	assert_int_equal(h->reg[UNWIND_REG_SP], w->regs.sp);
	assert_int_equal(h->reg[UNWIND_REG_PC], w->regs.ip);
	assert_int_equal(h->reg[3], w->regs.bx);
}

/* The end of the stack is known, by the process's first stack or by the thread's data. */
static void handovers_check(struct walker *w, struct made_memory *m)
{
	for (unsigned i = 0; i < 4; i++) {
		handover_check(w, m, 8 << i, UNWIND_COPY_SMALL);
		handover_check(w, m, UNWIND_COPY_SMALL - UNWIND_BELOW - 8 * i, UNWIND_COPY_SMALL);
		handover_check(w, m, UNWIND_COPY_SMALL + 8 * (i + 1), UNWIND_COPY_MEDIUM);
		handover_check(w, m, UNWIND_COPY_MEDIUM - UNWIND_BELOW - 8 * i, UNWIND_COPY_MEDIUM);
		handover_check(w, m, UNWIND_COPY_MEDIUM + 8 * (i + 1), UNWIND_COPY);
		handover_check(w, m, 40960 + 1000 * i, UNWIND_COPY);
		assert_int_equal(w->handover->why, UNWIND_NO_SPACE);
	}
}

static void test_handovers(void **state)
{
	enum { BYTES = 80 << 10 };
	uint8_t *bytes = calloc(1, BYTES);
	struct made_memory memory = { STACK, STACK + BYTES, bytes, NULL };
	struct walker *w = walker_open();
	uint64_t pc[MOST];

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	w->read = memory_read;
	w->arg = &memory;
	w->regs.bx = 33;
	w->regs.ip = TEXT;
	/* the process is not known */
	w->start_stack = memory.high;
	handovers_check(w, &memory);
	w->fsbase = STACK;		/* the first thread's data are elsewhere */
	handovers_check(w, &memory);
	w->start_stack = memory.high + (1 << 20);
	w->fsbase = memory.high;
	handovers_check(w, &memory);
	/* the file's table is not loaded */
	assert_int_equal(walker_absent(w, TEXT, TEXT + SIZE), 1);
	walker_publish(w);
	handover_check(w, &memory, 1000, UNWIND_COPY_SMALL);
	assert_int_equal(w->handover->why, UNWIND_NO_PIECE);
	assert_int_equal(w->handover->piece, 1);
	/* no room: what was found so far, marked as truncated, and counted */
	w->no_ring = true;
	assert_int_equal(rt_unwind(pc, MOST, UNWIND_MARK), 2);
	assert_int_equal(pc[0], TEXT);
	assert_int_equal(pc[1], UNWIND_CUT);
	assert_int_equal(w->slot[0]->end[UNWIND_LOST_HANDOVER], 1);
	assert_int_equal(rt_unwinddepth(MOST), 0);
	walker_close(w);
	free(bytes);
}

/* ---- signal frames of 32 bits ---- */
static void test_signal_32(void **state)
{
	enum { SPOT = 16 };
	uint32_t stack[PAGE_BYTES / 4] = { 0 };
	struct made_memory memory = { STACK, STACK + sizeof stack, (uint8_t *)stack, NULL };
	struct walker *w = walker_open();
	struct unwind_slot *s = w->slot[0];
	uint64_t pc[8];

	(void)state;
	walker_generated(w, 0x100000, 0x101000);
	walker_publish(w);
	w->read = memory_read;
	w->arg = &memory;
	w->regs = (struct task_regs){ .cs = CS_32, .sp = STACK, .ip = TEXT };
	map_unwind.rule[RULES_NOWHERE] = (struct unwind_bpf_rule){ .kind = UNWIND_SIGNAL, .reg = UNWIND_REG_SP,
								   .off = SPOT };
	for (uint32_t i = 0; i < 19; i++)
		stack[SPOT / 4 + i] = 0x100000 + i;
	assert_int_equal(rt_unwind(pc, 2, UNWIND_NOW), 2);
	assert_int_equal(pc[1], 0x100000 + 14);
	/* after the second step, in which nothing could be read */
	assert_int_equal(s->end[UNWIND_UNREADABLE] + s->end[UNWIND_BROKEN] + s->end[UNWIND_FULL], 1);
	walker_close(w);
}

/* ---- anything ---- */
static long noise_read(void *arg, void *dst, uint64_t from, uint32_t size)
{
	uint64_t *r = arg;
	uint8_t *p = dst;

	if (from >> 47 || (from / PAGE_BYTES * 0x9e3779b97f4a7c15ull >> 60) == 3)
		return -1;
	for (uint32_t i = 0; i + 8 <= size; i += 8) {
		uint64_t v = random_below(r, 2) ? from + random_below(r, 512) : random_next(r) >> random_below(r, 64);

		memcpy(p + i, &v, 8);
	}
	return 0;
}

static void noise_put(void *p, size_t n, uint64_t *r)
{
	uint8_t *bytes = p;

	for (size_t i = 0; i + 4 <= n; i += 4) {
		uint32_t v = (uint32_t)(random_next(r) >> random_below(r, 64));

		memcpy(bytes + i, &v, 4);
	}
}

static void noise_regs(struct task_regs *t, uint64_t *r)
{
	noise_put(t, sizeof *t, r);
	t->cs = random_below(r, 4) ? CS_64 : CS_32;
	t->sp = random_below(r, 8) ? random_next(r) & 0x7ffffffffff8 : ~0ull - random_below(r, 64);
	t->bp = t->sp + random_below(r, 256);
}

static void noise_rules(uint64_t *r)
{
	for (uint32_t i = 0; i < UNWIND_RULES; i++) {
		struct unwind_bpf_rule *x = &map_unwind.rule[i];

		if (random_below(r, 3)) {	/* something like a rule */
			noise_put(x, sizeof *x, r);
			x->kind = (uint8_t)random_below(r, UNWIND_NKINDS + 1);
			x->off = (int32_t)random_below(r, 64);
			x->ra = -8;
		}
	}
}

/* Random mappings that lead to random tables. */
static void noise_space(uint64_t *r)
{
	struct unwind_space *s = &map_unwind.space[(WALKER_PID * 0x9e3779b1u >> 16) & (UNWIND_SPACES - 1)];

	noise_put(map_unwind_first, UNWIND_CHUNK, r);
	noise_put(map_unwind.piece, sizeof map_unwind.piece, r);
	for (uint32_t i = 0; i < UNWIND_PIECES; i++) {
		map_unwind.piece[i].state = UNWIND_PIECE_LOADED;
		map_unwind.piece[i].chunk = random_below(r, 8) ? 0 : (uint32_t)random_next(r);
	}
	*s = (struct unwind_space){ .pid = WALKER_PID, .id = (uint32_t)random_next(r) | 1,
				    .at = (uint32_t)random_next(r) & (UNWIND_CHUNK - 8),
				    .n = (uint32_t)random_next(r) >> random_below(r, 32) };
}

/* One mapping of all memory, so that each address has a row. */
static void noise_wide(struct walker *w)
{
	w->nmappings = 0;
	w->used = UNWIND_CHUNK / 2;
	w->npieces = 1;
	walker_absent(w, 0, 1ull << 62);
	walker_publish(w);
	map_unwind.piece[1] = (struct unwind_piece){ .state = UNWIND_PIECE_LOADED, .pages = UINT32_MAX };
}

static void test_noise(void **state)
{
	enum { ROUNDS = 40, WALKS = 100, CALLS = 100 };
	uint64_t r = 3, pc[UNWIND_DEPTH], n, frames = 0, most = 0;
	struct walker *w = walker_open();

	(void)state;
	w->read = noise_read;
	w->arg = &r;
	for (int round = 0; round < ROUNDS; round++) {
		noise_rules(&r);
		noise_space(&r);
		if (round % 2)
			noise_wide(w);
		for (int i = 0; i < WALKS; i++) {
			uint64_t max = 1 + random_below(&r, UNWIND_DEPTH), reads = w->reads;

			noise_regs(&w->regs, &r);
			n = rt_unwind(pc, max, random_below(&r, 4));
			assert_true(n <= max);
			assert_true(w->reads - reads <= CALLS * (w->slot[0]->n + 1));
			assert_int_equal(w->slot[0]->busy, 0);
			frames += n;
			most = n > most ? n : most;
		}
	}
	printf("# %llu frames, at most %llu\n", (unsigned long long)frames, (unsigned long long)most);
	assert_true(frames > ROUNDS * WALKS);
	walker_close(w);
}

/* A frame pointer that leads to itself, or down. */
static void test_cycles(void **state)
{
	uint64_t stack[PAGE_BYTES / 8] = { 0 }, pc[UNWIND_DEPTH];
	struct made_memory memory = { STACK, STACK + sizeof stack, (uint8_t *)stack, NULL };
	struct walker *w = walker_open();
	const uint64_t *end = w->slot[0]->end;

	(void)state;
	walker_generated(w, TEXT - SIZE, TEXT + SIZE);
	walker_publish(w);
	w->read = memory_read;
	w->arg = &memory;
	for (unsigned to = 0; to < PAGE_BYTES / 8; to++) {
		for (unsigned i = 0; i < PAGE_BYTES / 8; i += 2)
			stack[i] = STACK + 8 * to, stack[i + 1] = TEXT;
		w->regs = (struct task_regs){ .cs = CS_64, .sp = STACK, .bp = STACK + 8 * 10, .ip = TEXT };
		assert_in_range(rt_unwind(pc, UNWIND_DEPTH, UNWIND_NOW), 1, 3);
		assert_true(end[UNWIND_BROKEN] + end[UNWIND_UNREADABLE] + end[UNWIND_INVALID] == to + 1);
	}
	walker_close(w);
}

/* Walks that interrupt each other use slots of their own; those that find none are counted. */
static void test_levels(void **state)
{
	struct walker *w = walker_open();
	uint64_t pc[4] = { 1, 1, 1, 1 }, nested = map_unwind.nested;

	(void)state;
	walker_publish(w);
	w->regs.ip = TEXT;
	for (int i = 0; i < UNWIND_LEVELS; i++) {
		assert_int_equal(rt_unwind(pc, 4, UNWIND_NOW), 1);
		assert_int_equal(pc[0], TEXT);
		assert_int_equal(w->slot[i]->end[UNWIND_BROKEN], 1);	/* it has no table, and bp is 0 */
		w->slot[i]->busy = 1;
	}
	assert_int_equal(rt_unwind(pc, 4, UNWIND_NOW), 0);
	assert_int_equal(pc[0], 0);
	assert_int_equal(rt_unwinddepth(4), 0);
	assert_int_equal(map_unwind.nested - nested, 2);
	walker_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_64_bits), cmocka_unit_test(test_32_bits), cmocka_unit_test(test_windows),
		cmocka_unit_test(test_handovers), cmocka_unit_test(test_signal_32), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_cycles), cmocka_unit_test(test_levels),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
