/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is a return address (rt/callsite.h, rt/unwind_caller.c): every call that Zydis decodes, few other instructions;
 * and what a walk does with addresses that are none. test_walk.c compares both engines on random code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "engine/programs/decoder.h"
#include "engine/unwind/frame.h"
#include "rt/callsite.h"
#include "tests/lib/cfimake.h"
#include "tests/lib/random.h"
#include "tests/lib/walker.h"

/* ---- instructions ---- */
static bool ends_with_call(const uint8_t *end)
{
	uint64_t before;

	memcpy(&before, end - sizeof before, sizeof before);
	return callsite_call(before);
}

/* Programs make no far calls, and none with addresses of 16 bits, to which prefixes can lead. */
static bool is_unusual(const uint8_t *code, unsigned size)
{
	bool prefix = false;

	for (unsigned i = 0; i + 1 < size; i++) {
		if (code[i] == 0xff || code[i] == 0x9a || code[i] == 0xe8)
			return prefix || code[i] == 0x9a || (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 3);
		prefix |= code[i] == 0x66 || code[i] == 0x67;
	}
	return false;
}

static void forms_check(const struct decoder *d, bool wide, uint64_t *r)
{
	enum { ROUNDS = 2000000 };
	unsigned calls = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t word[3] = { random_next(r), random_next(r), random_next(r) };
		uint8_t *code = (uint8_t *)word + sizeof *word;
		struct insn x;

		code[random_below(r, 3)] = random_below(r, 2) ? 0xff : 0xe8;
		if (!decoder_insn(d, wide, code, 15, &x) || !x.call || x.size > CALLSITE_BYTES ||
		    is_unusual(code, x.size))
			continue;
		calls++;
		if (!ends_with_call(code + x.size))
			fail_msg("%02x %02x %02x %02x %02x, %u bytes", code[0], code[1], code[2], code[3], code[4],
				 x.size);
	}
	assert_true(calls > ROUNDS / 20);
}

static void test_forms(void **state)
{
	uint64_t r = 1;

	static const uint8_t tls[] = { 0x66, 0x66, 0x48, 0xe8, 1, 2, 3, 4 };	/* of __tls_get_addr */

	forms_check(*state, true, &r);
	forms_check(*state, false, &r);
	assert_true(ends_with_call(tls + 8));
}

/* A breakpoint in the place of the opcode is of a probe; several are padding. */
static void test_breakpoints(void **state)
{
	static const uint8_t direct[] = { 0x55, 0x53, 0x90, 0xcc, 1, 2, 3, 4 };
	static const uint8_t indirect[] = { 1, 2, 3, 4, 5, 6, 0xcc, 0xd0 };
	uint8_t padding[8];

	(void)state;
	memset(padding, 0xcc, sizeof padding);
	assert_true(ends_with_call(direct + 8));
	assert_true(ends_with_call(indirect + 8));
	assert_false(ends_with_call(padding + 8));
}

struct caller_library {
	const struct decoder *d;
	unsigned calls, others, wrong;
};

static void sweep(struct caller_library *l, const uint8_t *code, size_t n)
{
	struct insn x;

	for (size_t at = 16; at + 16 < n; at += x.size) {
		if (!decoder_insn(l->d, true, code + at, 16, &x)) {
			x.size = 1;
			continue;
		}
		if (x.call) {
			assert_true(ends_with_call(code + at + x.size));
			l->calls++;
			continue;
		}
		l->others++;
		l->wrong += ends_with_call(code + at + x.size);
	}
}

static int library_sweep(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; strstr(info->dlpi_name, "libc.") && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			sweep(arg, (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
			      info->dlpi_phdr[i].p_filesz);
	return 0;
}

static void test_library(void **state)
{
	struct caller_library l = { .d = *state };

	dl_iterate_phdr(library_sweep, &l);
	printf("# %u calls; %u other instructions, %u of them like calls\n", l.calls, l.others, l.wrong);
	if (!l.calls)
		skip();		/* there is no libc.so */
	assert_true(l.wrong < l.others / 50);
}

/* ---- walks ---- */
enum {
	TEXT = 0x10000, LEAF = TEXT + 0x20, CALLER = TEXT + 0x60, GAP = TEXT + 0x800, SIZE = 0x1000, MOST = 8,
	WORDS = 512,
};
#define STACK 0x7ffe0000ull
#define HEAP 0x500000ull

/* A file's code, in which functions of [TEXT, GAP) have a table (two words in a frame), and a stack. */
struct caller_scene {
	struct walker *w;
	struct buf file;
	struct object *object;
	uint8_t text[SIZE];
	uint64_t stack[WORDS];
	bool absent;			/* the code is not in memory */
	uint64_t pc[MOST];
};

static long scene_read(void *arg, void *dst, uint64_t from, uint32_t size)
{
	const struct caller_scene *s = arg;

	if (from >= TEXT && from < TEXT + SIZE && TEXT + SIZE - from >= size && !s->absent)
		memcpy(dst, s->text + (from - TEXT), size);
	else if (from >= STACK && from < STACK + sizeof s->stack && STACK + sizeof s->stack - from >= size)
		memcpy(dst, (const uint8_t *)s->stack + (from - STACK), size);
	else
		return -1;
	return 0;
}

static void scene_open(struct caller_scene *s)
{
	static const uint8_t two_words[] = { 0x0e, 16 };	/* DW_CFA_def_cfa_offset */
	struct buf eh = { 0 }, none = { 0 };
	struct pack k;

	memset(s, 0, sizeof *s);
	s->w = walker_open();
	cie_put(&eh, true, 64);
	fde_put(&eh, true, 64, TEXT, GAP - TEXT, two_words, sizeof two_words);
	s->object = object_make(&s->file, &eh, &none, 64);
	assert_true(pack_file(&k, s->object, &s->w->rules));
	walker_add(s->w, &k, TEXT, TEXT + SIZE, 0);
	walker_generated(s->w, HEAP, HEAP + SIZE);
	walker_publish(s->w);
	s->w->read = scene_read;
	s->w->arg = s;
	s->w->regs.sp = STACK;
	s->w->regs.ip = LEAF;
	s->w->regs.bp = 1;
	memset(s->text, 0x90, sizeof s->text);
	s->text[CALLER - 5 - TEXT] = 0xe8;
	pack_close(&k);
	buf_free(&eh);
}

static void scene_close(struct caller_scene *s)
{
	object_free(s->object);
	buf_free(&s->file);
	walker_close(s->w);
}

/* A stack with these return addresses in frames of two words. Returns how the walk ended; *n: its frames. */
static enum unwind_end scene_walk(struct caller_scene *s, const uint64_t *addr, uint64_t *n)
{
	uint64_t before[UNWIND_NENDS];
	unsigned i = 0;

	memset(s->stack, 0, sizeof s->stack);
	for (; addr[i]; i++)
		s->stack[2 * i + 1] = addr[i];
	memcpy(before, s->w->slot[0]->end, sizeof before);
	*n = rt_unwind(s->pc, MOST, UNWIND_NOW);
	assert_int_equal(s->pc[0], s->w->regs.ip);
	for (unsigned k = 1; k < *n; k++)
		assert_int_equal(s->pc[k], addr[k - 1]);
	for (i = 0; i < UNWIND_NENDS; i++)
		if (s->w->slot[0]->end[i] != before[i])
			break;
	return (enum unwind_end)i;
}

#define WALK(scene, ends, frames, ...) do { \
	uint64_t n_; \
	assert_int_equal(scene_walk(scene, (const uint64_t[]){ __VA_ARGS__, 0 }, &n_), ends); \
	assert_int_equal(n_, frames); \
} while (0)

static void test_calls(void **state)
{
	struct caller_scene s;

	(void)state;
	scene_open(&s);
	WALK(&s, UNWIND_COMPLETE, 3, CALLER, CALLER);
	/* data, the heap, other code of the file: the stack ends before them */
	WALK(&s, UNWIND_INVALID, 2, CALLER, 0x300000003);
	WALK(&s, UNWIND_INVALID, 2, CALLER, STACK + 8);
	WALK(&s, UNWIND_INVALID, 2, CALLER, CALLER + 1, CALLER);
	WALK(&s, UNWIND_INVALID, 1, CALLER - 1, CALLER);
	/* an address that was that of the innermost frame is not a return address therefore */
	s.w->regs.ip = CALLER + 8;
	WALK(&s, UNWIND_COMPLETE, 2, CALLER);
	s.w->regs.ip = LEAF;
	WALK(&s, UNWIND_INVALID, 2, CALLER, CALLER + 9, CALLER);
	/* generated code has any: there, the walk goes on by the frame pointer */
	WALK(&s, UNWIND_BROKEN, 3, CALLER, HEAP + 16, CALLER);
	scene_close(&s);
}

static void test_absent(void **state)
{
	struct caller_scene s;

	(void)state;
	scene_open(&s);
	s.absent = true;
	WALK(&s, UNWIND_COMPLETE, 3, CALLER + 1, CALLER + 1);
	WALK(&s, UNWIND_INVALID, 2, CALLER + 1, STACK);
	scene_close(&s);
}

/* Coroutines begin with an address that does not follow a call and has no table. */
static void test_entries(void **state)
{
	struct caller_scene s;

	(void)state;
	scene_open(&s);
	WALK(&s, UNWIND_COMPLETE, 3, CALLER, GAP + 16);
	WALK(&s, UNWIND_COMPLETE, 2, GAP + 16);
	/* found by the frame pointer: only if that is 0 then, and if the code is that of Go */
	s.w->regs.ip = GAP + 64;
	s.w->regs.bp = STACK;
	WALK(&s, UNWIND_INVALID, 1, GAP + 16);
	s.text[GAP + 16 - TEXT] = 0xe8;
	WALK(&s, UNWIND_COMPLETE, 2, GAP + 16);
	s.text[GAP + 15 - TEXT] = 0xc3;
	WALK(&s, UNWIND_INVALID, 1, GAP + 16);
	scene_close(&s);
}

/* A thread begins after the system call that made it. */
static void test_thread(void **state)
{
	static const uint8_t clone3[] = { 0xb8, 0xb3, 0x01, 0, 0, 0x0f, 0x05 };
	struct caller_scene s;

	(void)state;
	scene_open(&s);
	memcpy(&s.text[LEAF - sizeof clone3 - TEXT], clone3, sizeof clone3);
	s.w->regs.ax = 5;		/* the one that made it */
	WALK(&s, UNWIND_COMPLETE, 2, CALLER);
	s.w->regs.ax = 0;
	WALK(&s, UNWIND_COMPLETE, 1, STACK);
	s.text[LEAF - sizeof clone3 - TEXT] = 0x90;
	WALK(&s, UNWIND_INVALID, 1, STACK);
	s.w->regs.si = STACK;		/* its stack, as clone(2) has it */
	WALK(&s, UNWIND_COMPLETE, 1, STACK);
	s.w->regs.si = 1;
	WALK(&s, UNWIND_COMPLETE, 2, CALLER);
	/* a gap after a system call: the row before it counts */
	s.w->regs.ip = GAP + 1;
	WALK(&s, UNWIND_BROKEN, 1, CALLER);
	s.text[GAP - 1 - TEXT] = 0x0f;
	s.text[GAP - TEXT] = 0x05;
	WALK(&s, UNWIND_COMPLETE, 2, CALLER);
	scene_close(&s);
}

/* The handler of a signal returns to code that has no table (musl, Go). */
static void test_sigreturn(void **state)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	enum { CONTEXT = 40 / 8, SP = 15, PC = 16 };
	uint64_t *context;
	struct caller_scene s;

	(void)state;
	scene_open(&s);
	memcpy(&s.text[GAP + 16 - TEXT], code, sizeof code);
	s.stack[1] = GAP + 16;
	context = s.stack + 2 + CONTEXT;
	context[SP] = STACK + 8 * (WORDS - 4);
	context[PC] = LEAF + 8;		/* it was interrupted: no call is before it */
	s.stack[WORDS - 3] = CALLER;
	assert_int_equal(rt_unwind(s.pc, MOST, UNWIND_NOW), 4);
	assert_int_equal(s.pc[1], GAP + 16);
	assert_int_equal(s.pc[2], LEAF + 8);
	assert_int_equal(s.pc[3], CALLER);
	assert_int_equal(s.w->slot[0]->end[UNWIND_COMPLETE], 1);
	/* the thread is in that code */
	s.w->regs.sp = STACK + 16;
	for (unsigned i = 0; i < 3; i++) {
		s.w->regs.ip = GAP + 16 + (i ? i * 2 + 5 : 0);
		assert_int_equal(rt_unwind(s.pc, MOST, UNWIND_NOW), 3);
		assert_int_equal(s.pc[1], LEAF + 8);
		assert_int_equal(s.pc[2], CALLER);
	}
	s.w->regs.ip = LEAF;
	s.w->regs.sp = STACK;
	context[PC] = STACK;
	assert_int_equal(rt_unwind(s.pc, MOST, UNWIND_NOW), 2);
	assert_int_equal(s.w->slot[0]->end[UNWIND_INVALID], 1);
	scene_close(&s);
}

static int open_decoder(void **state)
{
	static struct decoder d;
	char reason[160];

	*state = &d;
	return decoder_open(&d, reason, sizeof reason) ? 0 : -1;
}

static int close_decoder(void **state)
{
	decoder_close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms), cmocka_unit_test(test_breakpoints), cmocka_unit_test(test_library),
		cmocka_unit_test(test_calls), cmocka_unit_test(test_absent), cmocka_unit_test(test_entries),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_sigreturn),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, open_decoder, close_decoder);
}
