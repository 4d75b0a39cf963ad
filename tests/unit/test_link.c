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

static void test_stack(void **state)
{
	bool bad = false;

	(void)state;
	for (uint32_t f = 0; f < lib->nfuncs; f++) {
		if (link_stack(lib, f) > STACK_RT)
			print_error("%s needs %u bytes of stack\n", lib->func[f].name, link_stack(lib, f));
		bad |= link_stack(lib, f) > STACK_RT;
	}
	assert_false(bad);
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
		cmocka_unit_test(test_stack), cmocka_unit_test(test_each), cmocka_unit_test(test_all),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("link", tests, setup, teardown);
}
