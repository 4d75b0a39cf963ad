/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The linker: what the library's object holds, and what of it comes into a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "engine/bpf/code/link.h"

static struct arena arena;
static struct diags diags;
static const struct rt_lib *lib;

static const enum ir_op ops[] = {
#define RT(n, t, s, np, nv, k, f, d) IR_##n,
#include "rt/rt.def"
};

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, NULL, NULL);
	diags_init(&diags, &arena);
	lib = link_open(&arena, &diags);
	return lib ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* Walkers are called by tail calls, below which the kernel permits less stack. */
static void test_stack(void **state)
{
	uint32_t jstack = link_find(lib, "jstack");
	bool bad = false;

	(void)state;
	for (uint32_t f = 0; f < lib->nfuncs; f++) {
		const char *name = lib->func[f].name;
		bool walker = !strncmp(name, "v8_", 3) || !strncmp(name, "jstack_", 7) || !strncmp(name, "rt_py_", 6);
		uint32_t limit = f == jstack ? STACK_CALL + 64 : walker ? STACK_WALKER : STACK_RT;
		uint32_t n = link_stack(lib, f, true);

		if (n > limit)
			print_error("%s needs %u bytes of stack\n", name, n);
		bad |= n > limit;
	}
	assert_false(bad);
}

/* A walker is a program of its own, whose first function is called with the context; in other programs only the tail
 * call is left. */
static void test_walkers(void **state)
{
	struct rt_link link;
	struct asm_buf a;
	size_t whole;

	(void)state;
	asm_init(&a, &arena);
	link_init(&link, lib, &arena);
	link_label(&link, &a, "jstack");
	link_emit(&link, &a);
	whole = a.code.n;
	asm_init(&a, &arena);
	link_init(&link, lib, &arena);
	link.walkers = 7;
	link_label(&link, &a, "jstack");
	link_emit(&link, &a);
	assert_true(a.code.n < whole / 2);
	for (unsigned w = 0; w < LINK_WALKERS; w++) {
		asm_init(&a, &arena);
		link_init(&link, lib, &arena);
		link_emit_walker(&link, &a, w);
		assert_true(a.subs.n > 1 && !a.subs.v[0].insn);
		assert_string_equal(a.subs.v[0].name, w == LINK_V8 ? "jstack_program_v8" : "jstack_program_python");
	}
}

/* Callees follow their callers; calls go to the first instruction of a subprogram. */
static void check_calls(const struct asm_buf *a)
{
	for (size_t i = 0; i < a->code.n; i++) {
		const struct bpf_insn *in = &a->code.v[i];
		bool call = in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL;
		bool found = false;

		if (!call && !(in->code == (BPF_LD | BPF_IMM | BPF_DW) && in->src_reg == BPF_PSEUDO_FUNC))
			continue;
		assert_true(in->imm >= 0);
		for (size_t s = 0; s < a->subs.n; s++)
			found |= a->subs.v[s].insn == i + 1 + (uint32_t)in->imm;
		assert_true(found);
	}
}

/* Each function alone, with what it calls and nothing else. */
static void test_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		struct asm_buf a;
		struct rt_link l;
		uint32_t label;

		asm_init(&a, &arena);
		link_init(&l, lib, &arena);
		label = link_label(&l, &a, ir_opinfo[ops[i]].text);
		assert_int_equal(link_label(&l, &a, ir_opinfo[ops[i]].text), label);
		asm_callsub(&a, label);
		asm_exit(&a);
		link_emit(&l, &a);
		assert_true(asm_finish(&a));
		assert_int_equal(l.start, 2);
		assert_string_equal(a.subs.v[0].name + 3, ir_opinfo[ops[i]].text);
		assert_true(a.subs.n < lib->nfuncs / 2);
		check_calls(&a);
	}
}

static void test_all(void **state)
{
	struct asm_buf a;
	struct rt_link l;

	(void)state;
	asm_init(&a, &arena);
	link_init(&l, lib, &arena);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		asm_callsub(&a, link_label(&l, &a, ir_opinfo[ops[i]].text));
	link_emit(&l, &a);
	assert_true(asm_finish(&a));
	check_calls(&a);
}

static void test_none(void **state)
{
	struct asm_buf a;
	struct rt_link l;

	(void)state;
	asm_init(&a, &arena);
	link_init(&l, NULL, &arena);
	link_emit(&l, &a);
	assert_int_equal(a.code.n, 0);
	assert_int_equal(l.start, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack), cmocka_unit_test(test_walkers), cmocka_unit_test(test_each),
		cmocka_unit_test(test_all), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("link", tests, setup, teardown);
}
