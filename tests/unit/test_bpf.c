/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF backend without the kernel: assembler, disassembler, register allocator, and generated code run by a small
 * BPF machine beside the interpreter of the IR.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/regalloc.h"
#include "ir/interp.h"
#include "tests/lib/bpfmachine.h"

struct bpf_fixture {
	struct arena arena;
	struct diags diags;
	struct ir_prog prog;
	struct bpf_image im;
};

static int setup(void **state)
{
	struct bpf_fixture *f = calloc(1, sizeof *f);

	arena_init(&f->arena, NULL, NULL);
	diags_init(&f->diags, &f->arena);
	ir_prog_init(&f->prog, &f->arena);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct bpf_fixture *f = *state;

	arena_free(&f->arena);
	free(f);
	return 0;
}

static void parse(struct bpf_fixture *f, const char *text)
{
	struct source src = { .name = "test", .text = text, .len = strlen(text) };

	if (ir_parse(&f->prog, &src, &f->diags) || ir_verify(&f->prog, &f->diags))
		fail_msg("%s", f->diags.list.v[0].text);
}

static int generate(struct bpf_fixture *f)
{
	struct bpf_params par = { .ncpus = 4, .bufsize = 4096, .aggsize = 4096, .dynvarsize = 4096, .want_exit = true };

	return bpf_generate(&f->im, &f->arena, &f->prog, &par, &f->diags);
}

/* ---- assembler ---- */
/* Where a jump ends, islands included. */
static uint32_t target(const struct asm_buf *a, uint32_t at)
{
	do {
		assert_true(BPF_CLASS(a->code.v[at].code) == BPF_JMP);
		at += 1 + (uint32_t)a->code.v[at].off;
	} while (a->code.v[at].code == (BPF_JMP | BPF_JA));
	return at;
}

static void test_asm_near(void **state)
{
	struct bpf_fixture *f = *state;
	struct asm_buf a;
	uint32_t l;

	asm_init(&a, &f->arena);
	l = asm_label(&a);
	asm_jcci(&a, BPF_JEQ, R1, 7, l);
	asm_movi(&a, R0, 0x123456789abll);
	asm_jmp(&a, l);
	asm_bind(&a, l);
	asm_exit(&a);
	assert_true(asm_finish(&a));
	assert_int_equal(a.code.n, 5);
	assert_int_equal(a.code.v[0].off, 3);
	assert_int_equal(a.code.v[3].off, 0);
	assert_int_equal((uint32_t)a.code.v[1].imm, 0x456789ab);
	assert_int_equal(a.code.v[2].imm, 0x123);
}

/* Jumps over 100,000 instructions, from many places to several labels. */
static void test_asm_far(void **state)
{
	enum { LABELS = 3, EVERY = 1000, TOTAL = 100000 };
	struct bpf_fixture *f = *state;
	struct { uint32_t at, label; } jumps[TOTAL / EVERY];
	uint32_t label[LABELS], pos[LABELS], n = 0;
	struct asm_buf a;

	asm_init(&a, &f->arena);
	for (int i = 0; i < LABELS; i++)
		label[i] = asm_label(&a);
	for (int i = 0; i < TOTAL; i++) {
		if (i % EVERY == 0) {
			asm_jcci(&a, BPF_JNE, R1, i, label[n % LABELS]);
			jumps[n].at = (uint32_t)a.code.n - 1;
			jumps[n].label = n % LABELS;
			n++;
		}
		asm_alui(&a, BPF_ADD, R2, i);
	}
	for (int i = 0; i < LABELS; i++) {
		asm_bind(&a, label[i]);
		pos[i] = (uint32_t)a.code.n;
		asm_alui(&a, BPF_ADD, R3, i);
	}
	asm_exit(&a);
	assert_true(asm_finish(&a));
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(target(&a, jumps[i].at), pos[jumps[i].label]);
}

/* An island is not part of the way that falls through. */
static void test_asm_island_is_skipped(void **state)
{
	struct bpf_fixture *f = *state;
	struct asm_buf a;
	uint32_t l, seen = 0;

	asm_init(&a, &f->arena);
	l = asm_label(&a);
	asm_jcci(&a, BPF_JEQ, R1, 0, l);
	for (int i = 0; i < 70000; i++)
		asm_alui(&a, BPF_ADD, R2, 1);
	asm_bind(&a, l);
	asm_exit(&a);
	assert_true(asm_finish(&a));
	for (uint32_t at = 1; a.code.v[at].code != (BPF_JMP | BPF_EXIT); at++) {
		if (a.code.v[at].code == (BPF_JMP | BPF_JA))
			at += (uint32_t)a.code.v[at].off;
		else
			seen++;
	}
	assert_int_equal(seen, 70000);
	assert_int_equal(target(&a, 0), a.code.n - 1);
}

/* More open labels than islands can carry are an error, not a wrong encoding or an endless loop. */
static void test_asm_too_dense(void **state)
{
	struct bpf_fixture *f = *state;
	struct asm_buf a;

	asm_init(&a, &f->arena);
	for (int i = 0; i < 40000; i++)
		asm_jcci(&a, BPF_JEQ, R1, i, asm_label(&a));
	for (uint32_t i = 0; i < 40000; i++)
		asm_bind(&a, i);
	asm_exit(&a);
	assert_false(asm_finish(&a));
}

static void test_asm_open_label(void **state)
{
	struct bpf_fixture *f = *state;
	struct asm_buf a;

	asm_init(&a, &f->arena);
	asm_jmp(&a, asm_label(&a));
	assert_false(asm_finish(&a));
}

/* ---- disassembler ---- */
static void test_disasm(void **state)
{
	static const struct { struct bpf_insn i; const char *text; } cases[] = {
		{ { BPF_ALU64 | BPF_K | BPF_ADD, R1, 0, 0, -5 }, "r1 += -5" },
		{ { BPF_ALU64 | BPF_X | BPF_ARSH, R1, R2, 0, 0 }, "r1 s>>= r2" },
		{ { BPF_ALU | BPF_X | BPF_MOV, R3, R3, 0, 0 }, "w3 = w3" },
		{ { BPF_ALU64 | BPF_NEG, R4, 0, 0, 0 }, "r4 = -r4" },
		{ { BPF_ALU | BPF_END | BPF_TO_BE, R4, 0, 0, 64 }, "r4 = be64 r4" },
		{ { BPF_LDX | BPF_MEM | BPF_W, R1, FP, -8, 0 }, "r1 = *(u32 *)(r10 -8)" },
		{ { BPF_STX | BPF_MEM | BPF_B, R1, R2, 3, 0 }, "*(u8 *)(r1 +3) = r2" },
		{ { BPF_ST | BPF_MEM | BPF_DW, FP, 0, -16, 9 }, "*(u64 *)(r10 -16) = 9" },
		{ { BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 8, BPF_ADD }, "lock *(u64 *)(r1 +8) += r2" },
		{ { BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 8, BPF_ADD | BPF_FETCH },
		  "r2 = fetch_add((u64 *)(r1 +8), r2)" },
		{ { BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 0, BPF_CMPXCHG }, "r0 = cmpxchg((u64 *)(r1 +0), r0, r2)" },
		{ { BPF_JMP | BPF_K | BPF_JSLT, R1, 0, 4, -1 }, "if r1 s< -1 goto 5" },
		{ { BPF_JMP | BPF_X | BPF_JNE, R1, R2, 0, 0 }, "if r1 != r2 goto 1" },
		{ { BPF_JMP | BPF_JA, 0, 0, 2, 0 }, "goto 3" },
		{ { BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem }, "call map_lookup_elem#1" },
		{ { BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 7 }, "call pc+7 <8>" },
		{ { BPF_JMP | BPF_EXIT, 0, 0, 0, 0 }, "exit" },
		{ { BPF_LD | BPF_IMM | BPF_DW, R1, 0, 0, 5 }, "r1 = 0x5 ll" },
		{ { 0xff, 0, 0, 0, 0 }, NULL },	/* nothing that is known: any text will do */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct bpf_insn copy = cases[i].i;
		struct bpf_code c = { .insns = &copy, .n = 1 };
		struct buf b = { 0 };

		bpf_print_insn(&b, NULL, &c, 0);
		if (cases[i].text) {
			assert_memory_equal(buf_str(&b), "    0: ", 7);
			assert_int_equal(b.len, 7 + strlen(cases[i].text) + 1);
			assert_memory_equal(buf_str(&b) + 7, cases[i].text, strlen(cases[i].text));
		}
		buf_free(&b);
	}
}

/* ---- registers ---- */
static unsigned call_flags(void *arg, const struct ir_ins *ins)
{
	(void)arg;
	return ins->op == IR_CLOCK ? OPF_CALL : 0;
}

static bool no_scratch(void *arg, const struct ir_ins *ins)
{
	(void)arg;
	(void)ins;
	return false;
}

/* n values live at once, `calls` of them made by a call, then all of them added up. */
static struct ir_func *pressure(struct ir_prog *p, unsigned n, unsigned calls)
{
	uint32_t out = ir_obj_add(p, &(struct ir_obj){ .name = "out", .kind = IR_O_GLOBAL, .size = 8 });
	struct ir_func *f = ir_func_add(p, "pressure", IR_C_RUN);
	struct ir_builder b = { .prog = p, .func = f };
	ir_reg *r = arena_calloc(p->arena, n, sizeof *r), sum;

	for (unsigned i = 0; i < n; i++)
		r[i] = i < calls ? ir_emit0(&b, IR_CLOCK) : ir_emit(&b, IR_MOV, ir_i(1000003ll * (i + 1)));
	sum = ir_emit(&b, IR_MOV, ir_i(0));
	for (unsigned i = 0; i < n; i++) {
		sum = ir_emit(&b, IR_MUL, ir_r(sum), ir_i(31));
		sum = ir_emit(&b, IR_ADD, ir_r(sum), ir_r(r[i]));
	}
	ir_emit(&b, IR_ST64, ir_m(out, 0), ir_r(sum));
	ir_emit0(&b, IR_RET);
	return f;
}

static bool overlap(const struct interval *a, const struct interval *b)
{
	uint32_t ea = a->end > a->start ? a->end : a->start + 1, eb = b->end > b->start ? b->end : b->start + 1;

	return a->start < eb && b->start < ea;
}

static void check_allocation(const struct regalloc *ra)
{
	for (uint32_t i = 1; i <= ra->n; i++) {
		const struct interval *a = &ra->v[i];

		if (!a->end)
			continue;
		if (a->reg >= 0) {
			assert_int_not_equal(a->reg, R0);
			assert_int_not_equal(a->reg, R5);
			assert_true(a->reg <= R9);
			assert_true(!a->crosses || a->reg >= R6);
		}
		for (uint32_t k = i + 1; k <= ra->n; k++) {
			const struct interval *b = &ra->v[k];

			if (!b->end || !overlap(a, b))
				continue;
			if (a->reg >= 0 && b->reg >= 0)
				assert_int_not_equal(a->reg, b->reg);
			if (a->reg < 0 && b->reg < 0)
				assert_int_not_equal(a->slot, b->slot);
		}
	}
}

static void test_regalloc(void **state)
{
	static const unsigned sizes[][2] = { {1, 0}, {4, 0}, {8, 0}, {9, 0}, {20, 0}, {20, 20}, {60, 30} };
	struct live_env env = { .flags = call_flags, .scratch = no_scratch };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct bpf_fixture *f;
		struct ir_func *fn;
		struct regalloc ra;

		setup((void **)&f);
		fn = pressure(&f->prog, sizes[i][0], sizes[i][1]);
		live_scan(&ra, &f->arena, fn, live_reach(&f->arena, fn), &env);
		regalloc_run(&ra, &f->arena);
		check_allocation(&ra);
		if (sizes[i][0] > 8)
			assert_true(ra.nslots >= sizes[i][0] - 8);
		else if (sizes[i][0] < 8)
			assert_int_equal(ra.nslots, 0);
		teardown((void **)&f);
	}
}

/* One long block is split into parts, each of which reads the CPU number once. */
static void test_long_block(void **state)
{
	enum { OPS = 100000 };
	struct bpf_fixture *f = *state;
	uint32_t out = ir_obj_add(&f->prog, &(struct ir_obj){ .name = "out", .kind = IR_O_GLOBAL, .size = 8 });
	struct ir_builder b = { .prog = &f->prog, .func = ir_func_add(&f->prog, "f", IR_C_RUN) };

	for (int i = 0; i < OPS; i++)
		ir_emit(&b, IR_ST64, ir_m(out, 0), ir_r(ir_emit0(&b, IR_CPU)));
	ir_emit0(&b, IR_RET);
	assert_int_equal(generate(f), 0);
	assert_in_range(f->im.codes.n, 10, 32);
	for (size_t i = 0; i < f->im.codes.n; i++) {
		const struct bpf_code *c = &f->im.codes.v[i];
		unsigned calls = 0;

		assert_in_range(c->n, 1, 6 * OPS / f->im.codes.n);
		for (uint32_t k = 0; k < c->n; k++)
			calls += c->insns[k].code == (BPF_JMP | BPF_CALL) &&
				 c->insns[k].imm == BPF_FUNC_get_smp_processor_id;
		assert_int_equal(calls, 1);
	}
}

/* ---- the interpreter beside it ---- */
struct host {
	struct bpf_fixture *f;
	void **mem;
};

static void *host_mem(void *arg, uint32_t obj)
{
	return ((struct host *)arg)->mem[obj];
}

/* Generates and runs function 0 both ways; every GLOBAL must end equal. */
static void run_both(struct bpf_fixture *f)
{
	struct host h = { f, calloc(f->prog.objs.n, sizeof(void *)) };
	struct ir_world w = { .arg = &h, .mem = host_mem };
	struct bpf_machine m = { 0 };

	if (generate(f))
		fail_msg("%s", f->diags.list.v[0].text);
	m.code = &f->im.codes.v[0];
	m.data = calloc(1, f->im.data_size);
	for (size_t i = 0; i < f->prog.objs.n; i++) {
		const struct ir_obj *o = &f->prog.objs.v[i];

		h.mem[i] = calloc(1, o->size);
		if (!o->init)
			continue;
		memcpy(h.mem[i], o->init, o->size);
		memcpy(m.data + f->im.place[i].off, o->init, o->size);
	}
	bpf_machine_run(&m);
	ir_run(&f->prog, f->prog.funcs.v[0], &w);
	for (size_t i = 0; i < f->prog.objs.n; i++) {
		if (f->prog.objs.v[i].kind == IR_O_GLOBAL)
			assert_memory_equal(h.mem[i], m.data + f->im.place[i].off, f->prog.objs.v[i].size);
		free(h.mem[i]);
	}
	free(h.mem);
	free(m.data);
}

static void test_pressure_runs(void **state)
{
	/* more than fits on the stack: the rest is in scratch memory */
	static const unsigned sizes[] = { 1, 7, 8, 9, 10, 12, 30, 50, 55, 60, 65, 70, 200, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct bpf_fixture *f;

		setup((void **)&f);
		pressure(&f->prog, sizes[i], 0);
		run_both(f);
		teardown((void **)&f);
	}
}

/* Every operation on two registers, with results and operands in every mix of registers and spill slots. */
static void alu_program(struct ir_prog *p, enum ir_op op, uint64_t a, uint64_t b, unsigned crowd, bool same)
{
	uint32_t out = ir_obj_add(p, &(struct ir_obj){ .name = "out", .kind = IR_O_GLOBAL, .size = 32 });
	uint64_t init[2] = { a, b };
	uint32_t in = ir_obj_add(p, &(struct ir_obj){ .name = "in", .kind = IR_O_GLOBAL, .size = 16, .init = init });
	struct ir_func *f = ir_func_add(p, "alu", IR_C_RUN);
	struct ir_builder bl = { .prog = p, .func = f };
	ir_reg r[32], x, y, z, sum;

	for (unsigned i = 0; i < crowd; i++)
		r[i] = ir_emit(&bl, IR_ADD, ir_r(ir_emit(&bl, IR_LD64, ir_m(in, 0))), ir_i(i));
	x = ir_emit(&bl, IR_LD64, ir_m(in, 0));
	y = ir_emit(&bl, IR_LD64, ir_m(in, 8));
	if (ir_opinfo[op].flags & IR_F_UN)
		z = ir_emit(&bl, op, ir_r(x));
	else
		z = ir_emit(&bl, op, ir_r(x), ir_r(same ? x : y));
	if (!(ir_opinfo[op].flags & IR_F_UN)) {
		ir_emit_to(&bl, op, y, ir_r(x), ir_r(y));	/* the result in an operand's register */
		ir_emit_to(&bl, op, x, ir_i((int64_t)a), ir_r(y));
		x = ir_emit(&bl, op, ir_r(x), ir_i((int64_t)b));
	}
	ir_emit(&bl, IR_ST64, ir_m(out, 0), ir_r(z));
	ir_emit(&bl, IR_ST64, ir_m(out, 8), ir_r(y));
	ir_emit(&bl, IR_ST64, ir_m(out, 16), ir_r(x));
	sum = ir_emit(&bl, IR_MOV, ir_i(0));
	for (unsigned i = 0; i < crowd; i++)
		ir_emit_to(&bl, IR_ADD, sum, ir_r(sum), ir_r(r[i]));
	ir_emit(&bl, IR_ST64, ir_m(out, 24), ir_r(sum));
	ir_emit0(&bl, IR_RET);
}

static void test_alu_runs(void **state)
{
	static const uint64_t values[] = { 0, 1, 3, ~0ull, 63, 64, 1ull << 31, 1ull << 63, 0x123456789abcdefull };
	enum { NVALUES = sizeof values / sizeof values[0] };

	(void)state;
	for (int op = 0; op < IR_NOPS; op++) {
		if (!(ir_opinfo[op].flags & (IR_F_ALU | IR_F_UN | IR_F_COND)) || ir_opinfo[op].flags & IR_F_TERM)
			continue;
		for (unsigned i = 0; i < NVALUES * NVALUES; i++) {
			struct bpf_fixture *f;

			setup((void **)&f);
			alu_program(&f->prog, (enum ir_op)op, values[i / NVALUES], values[i % NVALUES], i % 4 * 7,
				    i % 5 == 0);
			run_both(f);
			teardown((void **)&f);
		}
	}
}

static void test_memory_runs(void **state)
{
	struct bpf_fixture *f = *state;

	parse(f, "obj g global size=64 init=00112233445566778899aabbccddeeff0102030405060708090a0b0c0d0e0f10"
		 "1111111111111111222222222222222233333333333333334444444444444444\n"
		 "obj t temp size=40\n"
		 "obj l local size=16\n"
		 "obj c const size=16 init=68656c6c6f2c20776f726c6400000000\n"
		 "obj s global size=24\n"
		 "obj o global size=64\n"
		 "func f run {\n"
		 "b0:\n"
		 "	zero [t+0], 40\n"
		 "	copy [t+3], [g+5], 21\n"
		 "	copy [o+8], [t+0], 32\n"
		 "	r1 = ld8 [t+4]\n"
		 "	st16 [o+0], r1\n"
		 "	r2 = ld64 [l+8]\n"
		 "	st64 [o+40], r2\n"
		 "	scopy [s+0], 24, [c+0], 16\n"
		 "	r3 = seq [s+0], 24, [c+0], 16\n"
		 "	st8 [o+48], r3\n"
		 "	r4 = scmp [s+0], 24, [g+0], 8\n"
		 "	st8 [o+49], r4\n"
		 "	r5 = mov 3\n"
		 "	r6 = ld64 [g+0+r5*8<4]\n"
		 "	st64 [o+56], r6\n"
		 "	r7 = mov 9\n"
		 "	r8 = ld64 [g+0+r7*8<4]\n"
		 "	st32 [o+4], r8\n"
		 "	r9 = xadd [o+56], -5\n"
		 "	r10 = xcas [g+0], r9, r6\n"
		 "	r11 = xmax [g+8], r10\n"
		 "	st8 [o+50], r11\n"
		 "	beq r3, 1 -> b1, b2\n"
		 "b1:\n"
		 "	st8 [o+51], 77\n"
		 "	jmp -> b2\n"
		 "b2:\n"
		 "	ret\n"
		 "}\n");
	run_both(f);
}

/* ---- layout ---- */
/* Temporaries of different clauses share the stack; those that are too large go to scratch memory. */
static void test_frame_shares(void **state)
{
	struct bpf_fixture *f = *state;
	struct ir_builder b = { .prog = &f->prog };
	char name[16];

	b.func = ir_func_add(&f->prog, "f", IR_C_RUN);
	for (int i = 0; i < 20; i++) {
		uint32_t o;

		snprintf(name, sizeof name, "t%d", i);
		o = ir_obj_add(&f->prog, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = 64 });
		ir_emit(&b, IR_ZERO, ir_m(o, 0), ir_i(64));
		ir_emit(&b, IR_LD64, ir_m(o, 8));
	}
	ir_emit0(&b, IR_RET);
	assert_int_equal(generate(f), 0);
	assert_int_equal(f->im.slot_size, 0);
}

static void test_frame_spills_to_scratch(void **state)
{
	struct bpf_fixture *f = *state;
	struct ir_builder b = { .prog = &f->prog };
	uint32_t o = ir_obj_add(&f->prog, &(struct ir_obj){ .name = "big", .kind = IR_O_TEMP, .size = 1000 });

	b.func = ir_func_add(&f->prog, "f", IR_C_RUN);
	ir_emit(&b, IR_ZERO, ir_m(o, 0), ir_i(1000));
	ir_emit0(&b, IR_RET);
	assert_int_equal(generate(f), 0);
	assert_true(f->im.slot_size >= 1000);
}

/* Only maps that are used are created. */
static void test_maps(void **state)
{
	struct bpf_fixture *f = *state;

	parse(f, "obj a agg key=8 size=8\nobj b agg key=8 size=800\nobj c agg size=8\nobj unused agg key=8 size=8\n"
		 "obj k temp size=8\n"
		 "func f run {\nb0:\n	zero [k+0], 8\n	r1 = cell a, [k+0]\n	r2 = cell b, [k+0]\n	r3 = cell0 "
		 "c\n	ret\n}\n");
	assert_int_equal(generate(f), 0);
	assert_int_equal(f->im.maps.n, 4);	/* data, wake, a, b */
	assert_int_equal(f->im.maps.v[1].type, BPF_MAP_TYPE_HASH);
	assert_int_equal(f->im.maps.v[1].keysize, 16);	/* the CPU follows the key */
	assert_int_equal(f->im.maps.v[1].flags, BPF_F_NO_PREALLOC);
	assert_int_equal(f->im.maps.v[2].type, BPF_MAP_TYPE_HASH);
	assert_int_equal(f->im.maps.v[2].keysize, 16);
}

static void test_data_too_large(void **state)
{
	struct bpf_fixture *f = *state;

	parse(f, "obj big temp size=1000000\nfunc f run {\nb0:\n	zero [big+0], 1000000\n	ret\n}\n");
	f->im.par.ncpus = 0;
	struct bpf_params par = { .ncpus = 4096, .aggsize = 4096, .dynvarsize = 4096 };

	assert_int_equal(bpf_generate(&f->im, &f->arena, &f->prog, &par, &f->diags), -1);
	assert_int_equal(f->diags.list.v[0].tag, D_LIMIT);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_asm_near), TEST(test_asm_far), TEST(test_asm_island_is_skipped), TEST(test_asm_too_dense),
		TEST(test_asm_open_label), TEST(test_disasm), TEST(test_regalloc), TEST(test_long_block),
		TEST(test_pressure_runs), TEST(test_alu_runs), TEST(test_memory_runs), TEST(test_frame_shares),
		TEST(test_frame_spills_to_scratch), TEST(test_maps), TEST(test_data_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
