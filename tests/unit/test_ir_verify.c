/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verifier: what it must refuse, one program a rule, and near it what it must accept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ir/ir.h"

static const char objs[] =
	"obj t temp size=16\nobj l local size=8\nobj r rec size=8\nobj g global size=64\nobj c const size=3 "
	"init=414243\n"
	"obj h thread size=8\nobj d dyn key=8 size=8\nobj a agg key=16 size=16\nobj z agg size=8\nobj y agg key=16 "
	"size=16\n"
	"obj n agg key=8 cells=4 size=8\n";

struct verify_verdict {
	struct arena a;
	struct ir_prog p;
	struct diags d;
	int result;
};

static void open_text(struct verify_verdict *v, const char *objects, const char *text)
{
	struct source src = { 0 };

	arena_init(&v->a, NULL, NULL);
	ir_prog_init(&v->p, &v->a);
	diags_init(&v->d, &v->a);
	src.text = arena_printf(&v->a, "%s%s", objects, text);
	src.len = strlen(src.text);
	src.name = "t";
	if (ir_parse(&v->p, &src, &v->d))
		fail_msg("%s: %s", text, v->d.list.v[0].text);
	v->result = ir_verify(&v->p, &v->d);
}

/* `says` NULL: must be accepted. */
static void check(const char *objects, const char *text, const char *says)
{
	struct verify_verdict v;

	open_text(&v, objects, text);
	if (!says && v.result)
		fail_msg("%s: %s", text, v.d.list.v[0].text);
	if (says && (!v.result || !strstr(v.d.list.v[0].text, says)))
		fail_msg("%s: %s", text, v.result ? v.d.list.v[0].text : "accepted");
	if (says)
		assert_int_equal(v.d.list.v[0].tag, D_BPF);
	arena_free(&v.a);
}

struct verify_row {
	const char *body, *says;
};

static void check_rows(const char *ctx, const struct verify_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[1024];

		snprintf(text, sizeof text, "func f %s {\nb0:\n%s}\n", ctx, rows[i].body);
		check(objs, text, rows[i].says);
	}
}

#define ROWS(ctx, rows) check_rows(ctx, rows, sizeof rows / sizeof *rows)

static void test_objects(void **state)
{
	(void)state;
	check("obj x temp size=8\n", "", NULL);
	check("obj x temp size=0\n", "", "no size");
	check("obj x temp size=4294967288\n", "", "too large");
	check("obj x temp size=12\n", "", "multiple of 8");
	check("obj x const size=12\n", "", NULL);
	check("obj x agg key=4 size=8\n", "", "key is not a multiple of 8");
	check("obj x temp key=8 size=8\n", "", "has a key");
	check("obj x dyn size=8\n", "", "has no key");
	check("obj x temp size=8 cells=4\n", "", "has numbered cells");
	check("obj x agg key=16 cells=4 size=8\n", "", "has numbered cells");
	check("obj x agg key=8 cells=6 size=8\n", "", "not a power of two");
	check("obj x agg key=8 cells=8192 size=8\n", "", "too large");
	check("obj x agg size=8\n", "", NULL);
	check("obj x temp size=8 init=0000000000000000\n", "", "must not have an initial value");
	check("obj x temp size=8 leader=8\n", "", "has an invalid leader");
	check("obj x thread size=8 leader=12\n", "", "has an invalid leader");
	check("obj x thread size=8 leader=32768\n", "", "has an invalid leader");
}

static void test_blocks(void **state)
{
	static const struct verify_row rows[] = {
		{ "ret\n", NULL },
		{ "", "empty" },
		{ "exit 1\n", "the block does not end" },
		{ "jmp -> b1\nb1:\nret\n", NULL },
		{ "jmp -> b0\n", "is not a later block" },
		{ "jmp -> b1\nb1:\njmp -> b1\n", "is not a later block" },
		{ "jmp -> b2\nb1:\nret\n", "b2 does not exist" },
		{ "beq 1, 2 -> b1, b0\nb1:\nret\n", "is not a later block" },
		{ "fault 1, 2, 3, 4, 0 -> b1\nb1:\nret\n", NULL },
		{ "fault 1, 2, 3, 4, 0 -> b0\n", "is not a later block" },
	};

	(void)state;
	ROWS("run", rows);
}

static void test_places(void **state)
{
	static const struct verify_row rows[] = {
		{ "r1 = ld64 [t+8]\nret\n", NULL },
		{ "r1 = ld64 [t+16]\nret\n", "outside of 't'" },
		{ "r1 = ld64 [t-8]\nret\n", "outside of 't'" },
		{ "r1 = ld64 [t+9223372036854775800]\nret\n", "outside of 't'" },
		{ "r1 = ld32 [t+2]\nret\n", "not aligned to 4" },
		{ "r1 = ld8 [c+2]\nret\n", NULL },
		{ "r1 = ld16 [c+2]\nret\n", "outside of 'c'" },
		{ "r1 = mov 1\nr2 = ld64 [g+8+r1*8<7]\nret\n", NULL },
		{ "r1 = mov 1\nr2 = ld64 [g+8+r1*8<8]\nret\n", "outside of 'g'" },
		{ "r1 = mov 1\nr2 = ld64 [g+8+r1*8<0]\nret\n", "an index is not allowed here" },
		{ "r1 = mov 1\nzero [g+0+r1*8<4], 8\nret\n", "an index is not allowed here" },
		{ "zero [t+0], 16\nret\n", NULL },
		{ "zero [t+0], 17\nret\n", "outside of 't'" },
		{ "zero [t+0], 0\nret\n", "no bytes" },
		{ "zero [t+0], -1\nret\n", "outside of 't'" },
		{ "comm [t+0]\nret\n", NULL },
		{ "comm [t+8]\nret\n", "outside of 't'" },
		{ "copy [t+0], [c+0], 3\nret\n", NULL },
		{ "copy [t+0], [c+0], 4\nret\n", "outside of 'c'" },
		{ "copy [l+0], [t+0], 9\nret\n", "outside of 'l'" },
		{ "scopy [t+0], 16, [c+0], 3\nret\n", NULL },
		{ "scopy [t+0], 17, [c+0], 3\nret\n", "outside of 't'" },
		{ "scopy [t+0], 16, [c+0], 4\nret\n", "outside of 'c'" },
		{ "r1 = seq [c+0], 3, [c+0], 4\nret\n", "outside of 'c'" },
		{ "r1 = kread [t+0], 17, 0\nret\n", "outside of 't'" },
		{ "r1 = cell a, [t+0]\nret\n", NULL },
		{ "r1 = cell a, [t+8]\nret\n", "outside of 't'" },
		{ "r1 = dyn d, [t+8], 1\nret\n", NULL },
		{ "r1 = dyn d, [t+16], 1\nret\n", "outside of 't'" },
		{ "dyndel d, [t+16]\nret\n", "outside of 't'" },
		{ "r1 = ld64 [a+0]\nret\n", "only reached through a cell" },
		{ "r1 = cell0 z\nr2 = ld64 [r1:t+0]\nret\n", "not reached through a cell" },
	};

	(void)state;
	ROWS("run", rows);
}

static void test_constants(void **state)
{
	static const struct verify_row rows[] = {
		{ "st8 [c+0], 1\nret\n", "'c' is constant" }, { "zero [c+0], 1\nret\n", "'c' is constant" },
		{ "copy [c+0], [t+0], 1\nret\n", "'c' is constant" },
		{ "scopy [c+0], 3, [t+0], 3\nret\n", "'c' is constant" },
		{ "kread [c+0], 3, 5\nret\n", "'c' is constant" }, { "kstr [c+0], 3, 5\nret\n", "'c' is constant" },
		{ "r1 = scmp [c+0], 3, [t+0], 3\nret\n", NULL },
	};

	(void)state;
	check("obj k const size=16\n", "func f run {\nb0:\ncomm [k+0]\nret\n}\n", "'k' is constant");
	check("obj k const size=16\n", "func f run {\nb0:\nxadd [k+0], 1\nret\n}\n", "'k' is constant");
	check("obj k const size=16\nobj a agg key=16 size=8\n", "func f run {\nb0:\nr1 = cell a, [k+0]\nret\n}\n",
	      NULL);
	ROWS("run", rows);
}

static void test_operands(void **state)
{
	static const struct verify_row run[] = {
		{ "r1 = ctx 16\nret\n", NULL }, { "r1 = ctx 4\nret\n", "out of range" },
		{ "r1 = ctx -8\nret\n", "out of range" }, { "r1 = ctx 8000\nret\n", "out of range" },
		{ "r1 = param 0\nret\n", "is not allowed" }, { "drop 0\nret\n", NULL },
		{ "drop 99\nret\n", "out of range" }, { "drop -1\nret\n", "out of range" },
		{ "r1 = dyn d, [t+0], 2\nret\n", "out of range" }, { "r1 = tls h, 2\nret\n", "out of range" },
		{ "fault 0, -1, 0, 0, 0 -> b1\nb1:\nret\n", "out of range" },
		{ "fault 0, 4294967296, 0, 0, 0 -> b1\nb1:\nret\n", "out of range" },
		{ "fault 0, 0, 10, 0, 0 -> b1\nb1:\nret\n", "out of range" },
		{ "r1 = cell d, [t+0]\nret\n", "'d' is of kind dyn" },
		{ "r1 = cell0 t\nret\n", "'t' is of kind temp" },
		{ "r1 = cell n, [t+0]\nret\n", "'n' has numbered cells" }, { "r1 = celln a, 0\nret\n",
		  "'a' has a key" },
		{ "r1 = celln z, 0\nret\n", "'z' has no key" }, { "r1 = cell0 a\nret\n", "'a' has a key" },
		{ "r1 = cell z, [t+0]\nret\n", "'z' has no key" },
		{ "r1 = dyn a, [t+0], 0\nret\n", "'a' is of kind agg" },
		{ "dyndel h, [t+0]\nret\n", "'h' is of kind thread" },
		{ "r1 = tls d, 0\nret\n", "'d' is of kind dyn" },
		{ "commit r\nret\n", NULL }, { "commit t\nret\n", "'t' is of kind temp" },
	};
	static const struct verify_row error[] = {
		{ "r1 = param 4\nret\n", NULL }, { "r1 = param 5\nret\n", "out of range" },
		{ "r1 = param -1\nret\n", "out of range" }, { "r1 = ctx 8\nret\n", "is not allowed" },
	};

	(void)state;
	ROWS("run", run);
	ROWS("error", error);
}

static void test_written_first(void **state)
{
	static const struct verify_row rows[] = {
		{ "exit r1\nret\n", "r1 is not written on every path" },
		{ "r1 = add r1, 1\nret\n", "r1 is not written on every path" },
		{ "r1 = mov 1\nexit r1\nret\n", NULL },
		{ "exit r1\nr1 = mov 1\nret\n", "r1 is not written" },
		{ "r2 = ld64 [g+0+r1*8<2]\nret\n", "r1 is not written" },
		{ "beq 1, 2 -> b1, b2\nb1:\nr1 = mov 1\njmp -> b2\nb2:\nexit r1\nret\n",
		  "b2: exit: r1 is not written" },
		{ "beq 1, 2 -> b1, b2\nb1:\nr1 = mov 1\njmp -> b3\nb2:\nr1 = mov 2\njmp -> b3\nb3:\nexit r1\nret\n",
		  NULL },
		{ "r1 = mov 3\nbeq 1, 2 -> b1, b2\nb1:\nr1 = mov 1\njmp -> b2\nb2:\nexit r1\nret\n", NULL },
		{ "beq 1, 2 -> b1, b2\nb1:\nr1 = mov 1\njmp -> b2\nb2:\njmp -> b3\nb3:\nbeq r1, 1 -> b4, "
		  "b4\nb4:\nret\n",
		  "b3: beq: r1 is not written" },
		/* nothing comes here, so nothing is wrong here */
		{ "ret\nb1:\nexit r1\nret\n", NULL },
	};

	(void)state;
	ROWS("run", rows);
}

static void test_cells(void **state)
{
	static const char no[] = "is not, on every path, a cell of this object";
	static const struct verify_row rows[] = {
		{ "r1 = cell a, [t+0]\nbeq r1, 0 -> b2, b1\nb1:\nxadd [r1:a+8], 1\njmp -> b2\nb2:\nret\n", NULL },
		{ "r1 = cell a, [t+0]\nbne r1, 0 -> b1, b2\nb1:\nxadd [r1:a+8], 1\njmp -> b2\nb2:\nret\n", NULL },
		{ "r1 = cell a, [t+0]\nbeq 0, r1 -> b2, b1\nb1:\nxadd [r1:a+8], 1\njmp -> b2\nb2:\nret\n", NULL },
		{ "r1 = cell0 z\nxadd [r1:z+0], 1\nret\n", NULL },
		{ "r1 = celln n, r2\nret\n", "r2" }, { "r1 = celln n, 9\nxadd [r1:n+0], 1\nret\n", NULL },
		{ "r1 = celln n, 0\nxadd [r1:n+8], 1\nret\n", "outside of 'n'" },
		{ "r1 = cell0 z\nxadd [r1:z+8], 1\nret\n", "outside of 'z'" },
		{ "r1 = cell a, [t+0]\nxadd [r1:a+8], 1\nret\n", no },
		{ "r1 = dyn d, [t+0], 1\nst64 [r1:d+0], 1\nret\n", no },
		{ "r1 = tls h, 1\nst64 [r1:h+0], 1\nret\n", no },
		{ "r1 = tls h, 1\nbeq r1, 0 -> b2, b1\nb1:\nst64 [r1:h+0], 1\njmp -> b2\nb2:\nret\n", NULL },
		/* the wrong way out of the comparison */
		{ "r1 = cell a, [t+0]\nbeq r1, 0 -> b1, b2\nb1:\nxadd [r1:a+8], 1\njmp -> b2\nb2:\nret\n", no },
		{ "r1 = cell a, [t+0]\nbeq r1, 0 -> b1, b1\nb1:\nxadd [r1:a+8], 1\nret\n", no },
		/* checked on one of two ways */
		{ "r1 = cell a, [t+0]\nbeq r1, 0 -> b2, b1\nb1:\njmp -> b2\nb2:\nxadd [r1:a+8], 1\nret\n", no },
		/* another object's cell */
		{ "r1 = cell y, [t+0]\nbeq r1, 0 -> b2, b1\nb1:\nxadd [r1:a+8], 1\njmp -> b2\nb2:\nret\n", no },
		{ "r1 = cell a, [t+0]\nbeq 1, 2 -> b1, b2\nb1:\nr1 = cell y, [t+0]\njmp -> b2\n"
		  "b2:\nbeq r1, 0 -> b4, b3\nb3:\nxadd [r1:a+8], 1\njmp -> b4\nb4:\nret\n", no },
		/* a number is no cell, whatever it was compared with */
		{ "r1 = mov 4096\nbeq r1, 0 -> b2, b1\nb1:\nxadd [r1:a+8], 1\njmp -> b2\nb2:\nret\n", no },
		/* set again after the comparison */
		{ "r1 = cell a, [t+0]\nbeq r1, 0 -> b2, b1\nb1:\nr1 = cell a, [t+0]\nxadd [r1:a+8], 1\njmp -> "
		  "b2\nb2:\nret\n",
		  no },
		/* looked up, else made: each way has its own check */
		{ "r1 = dyn d, [t+0], 0\nbne r1, 0 -> b3, b1\nb1:\nr1 = dyn d, [t+0], 1\nbeq r1, 0 -> b4, b2\n"
		  "b2:\njmp -> b3\nb3:\nst64 [r1:d+0], 1\njmp -> b4\nb4:\nret\n", NULL },
		/* an address must not become data */
		{ "r1 = cell0 z\nexit r1\nret\n", "is a cell and may only be compared with 0" },
		{ "r1 = cell0 z\nr2 = mov r1\nret\n", "is a cell" }, { "r1 = cell0 z\nst64 [g+0], r1\nret\n",
		  "is a cell" },
		{ "r1 = cell0 z\nr2 = eq r1, 1\nret\n", "is a cell" }, { "r1 = cell0 z\nr2 = eq r1, 0\nret\n", NULL },
		{ "r1 = cell0 z\nr2 = ld64 [g+0+r1*8<2]\nret\n", "is a cell" },
	};

	(void)state;
	ROWS("run", rows);
}

/* Errors that only a builder can make, not a text. */
static void test_built_wrong(void **state)
{
	static const struct {
		struct ir_ins ins;
		const char *says;
	} rows[] = {
		{ { .op = IR_NOPS, .nargs = 0 }, "does not exist" },
		{ { .op = IR_RET }, "ends too early" },
		{ { .op = IR_EXIT, .nargs = 0 }, "0 operands" },
		{ { .op = IR_EXIT, .nargs = 1, .dst = 1, .arg = { { .kind = IR_IMM } } }, "has no result" },
		{ { .op = IR_MOV, .nargs = 1, .dst = 2, .arg = { { .kind = IR_IMM } } }, "r2 does not exist" },
		{ { .op = IR_EXIT, .nargs = 1, .arg = { { .kind = IR_REG, .reg = 2 } } }, "r2 does not exist" },
		{ { .op = IR_EXIT, .nargs = 1, .arg = { { .kind = IR_REG } } }, "r0 does not exist" },
		{ { .op = IR_EXIT, .nargs = 1, .arg = { { .kind = IR_OBJ } } }, "is not a value" },
		{ { .op = IR_CTX, .nargs = 1, .arg = { { .kind = IR_REG, .reg = 1 } } }, "is not a number" },
		{ { .op = IR_LD8, .nargs = 1, .arg = { { .kind = IR_OBJ } } }, "is not a place" },
		{ { .op = IR_LD8, .nargs = 1, .arg = { { .kind = IR_MEM, .obj = 99 } } }, "object 99 does not exist" },
		{ { .op = IR_COMMIT, .nargs = 1, .arg = { { .kind = IR_OBJ, .obj = 99 } } },
		  "object 99 does not exist" },
		{ { .op = IR_COMMIT, .nargs = 1, .arg = { { .kind = IR_IMM } } }, "is not an object" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct verify_verdict v;
		struct ir_block *k;

		open_text(&v, objs, "func f run {\nb0:\nr1 = mov 0\nexit r1\nret\n}\n");
		assert_int_equal(v.result, 0);
		k = &v.p.funcs.v[0]->blocks.v[0];
		k->ins.v[1] = rows[i].ins;
		assert_int_equal(ir_verify(&v.p, &v.d), -1);
		if (!strstr(v.d.list.v[0].text, rows[i].says))
			fail_msg("%s: %s", rows[i].says, v.d.list.v[0].text);
		k->ins.v[1] = (struct ir_ins){ .op = IR_RET };
		k->ins.v[0] = (struct ir_ins){ .op = IR_JMP, .nargs = 1, .arg = { { .kind = IR_IMM, .imm = 1 } } };
		k->ins.n = 1;
		assert_int_equal(ir_verify(&v.p, &v.d), -1);
		arena_free(&v.a);
	}
}

/* `n` registers set in the entry block and read after `n` joins: a register set per block would take n * n. */
static void build_long(struct ir_prog *p, uint32_t n)
{
	struct ir_builder b = { .prog = p, .func = ir_func_add(p, "long", IR_C_RUN) };
	ir_reg first = ir_emit(&b, IR_MOV, ir_i(1));

	for (uint32_t i = 1; i < n; i++)
		ir_emit(&b, IR_MOV, ir_i(i));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t on;

		ir_emit(&b, IR_EXIT, ir_r(first + i));
		on = ir_newblock(&b, NULL);
		ir_emit(&b, IR_BEQ, ir_r(first), ir_r(first + i), ir_b(on), ir_b(on));
		ir_enter(&b, on);
	}
	ir_emit0(&b, IR_RET);
}

/* Hostile: every register lives everywhere. It may be refused as too large, but it must come to an end. */
static void test_bounded(void **state)
{
	struct verify_verdict v;
	clock_t start = clock();

	(void)state;
	open_text(&v, "", "");
	build_long(&v.p, 30000);
	assert_int_equal(ir_verify(&v.p, &v.d), -1);
	assert_int_equal(v.d.list.v[0].tag, D_LIMIT);
	arena_free(&v.a);
	open_text(&v, "", "");
	build_long(&v.p, 3000);
	assert_int_equal(ir_verify(&v.p, &v.d), 0);
	arena_free(&v.a);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects), cmocka_unit_test(test_blocks), cmocka_unit_test(test_places),
		cmocka_unit_test(test_constants), cmocka_unit_test(test_operands), cmocka_unit_test(test_written_first),
		cmocka_unit_test(test_cells), cmocka_unit_test(test_built_wrong), cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests_name("ir verifier", tests, NULL, NULL);
}
